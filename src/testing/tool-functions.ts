import { errorTable, ErrToolFailed, ToolfoldError } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { isJsonObject } from '../values/json-value.js';
import { readToolError } from './tool-error.js';
import type { TestCallOptions } from './typed-client.js';

type Arguments = Readonly<Record<string, unknown>>;
type CallPath = (path: string, input?: Arguments, options?: TestCallOptions) => Promise<unknown>;

/** Creates the functions of `client.tools`: every property leads to the action with that path. */
export function createToolFunctions(call: CallPath, path = ''): unknown {
  const run = (input?: Arguments, options?: TestCallOptions): Promise<unknown> => call(path, input, options);
  return new Proxy(run, {
    get: (_, name) => {
      // An awaited or printed object is asked for these. It is neither a promise nor an action.
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      return createToolFunctions(call, path === '' ? name : `${path}.${name}`);
    },
  });
}

/** Whether the action of a path has an output schema. */
export function hasOutput(registry: AnyRegistry, path: string): boolean {
  for (const { actions } of registry.view().tools.values())
    for (const { action, address } of actions.values())
      if (address.replaceAll(/[/:]/g, '.') === path) return action.output !== undefined;
  return true;
}

/** The error of a failed call, with the code and the details of its report. */
export function toToolError(result: CallToolResult): ToolfoldError {
  const { code = '', message = '' } = readToolError(result) ?? {};
  const report = result._meta?.['toolfold/error'];
  const details = isJsonObject(report) && isJsonObject(report['details']) ? report['details'] : {};
  if (Object.hasOwn(errorTable, code)) return new ToolfoldError(code as ErrorCode, message, { details });
  return new ErrToolFailed(message, { details: { ...details, code } });
}
