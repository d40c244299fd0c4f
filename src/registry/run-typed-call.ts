import type { CompiledTool } from '../compile/compiled-tool.js';
import type { ExecuteRequest } from '../engine/request.js';
import { readCallResult } from '../protocol/call-error.js';
import { isJsonObject } from '../values/json-value.js';
import type { View } from '../views/view.js';
import type { AnyRegistry } from './any-registry.js';
import type { CallOptions } from './call-options.js';

/** The call of an action. */
interface Target {
  readonly name: string;
  readonly discriminator: string | undefined;
  readonly key: string | undefined;
  readonly hasOutput: boolean;
}

/** The targets of each view, which are read once. */
const known = new WeakMap<View, ReadonlyMap<string, Target>>();

/** Runs the call of an action by its path. Returns its data, or its result if it has no output schema. Rejects if it failed. */
export async function runTypedCall(
  registry: AnyRegistry,
  given: View,
  path: readonly string[],
  input: unknown,
  options: readonly [defaults: CallOptions, more: CallOptions],
): Promise<unknown> {
  // Typed calls have the names and arguments of the author.
  const view = given.authored ?? given;
  let targets = known.get(view);
  if (!targets) known.set(view, (targets = readTargets(view)));
  const target = targets.get(path.join('.')) ?? guess(path, view);
  const result = await registry.executeTool(toRequest(target, input, ...options), view);
  return readCallResult(result, target.hasOutput);
}

function toRequest(
  { name, discriminator, key }: Target,
  input: unknown,
  defaults: CallOptions,
  more: CallOptions,
): ExecuteRequest {
  const given = [defaults.signal, more.signal].filter((signal) => signal !== undefined);
  const signals = given.length > 0 ? { signal: AbortSignal.any(given) } : {};
  const sent = discriminator === undefined ? (input ?? {}) : addKey(input ?? {}, discriminator, key);
  return { ...defaults, ...more, ...signals, name, arguments: sent as ExecuteRequest['arguments'] };
}

/** Adds the discriminator. A value that is no object stays as it is, so that the pipeline rejects it. */
function addKey(input: unknown, discriminator: string, key: string | undefined): unknown {
  return isJsonObject(input) ? { ...input, [discriminator]: key } : input;
}

/** The calls of all actions of a view, by namespace, tool, group and action, joined by dots. */
function readTargets({ tools }: View): ReadonlyMap<string, Target> {
  const found = new Map<string, Target>();
  for (const tool of tools.values())
    for (const [key, { spec, key: ownKey, action }] of tool.actions) {
      const path = [spec.namespace, spec.name, ownKey].filter((part) => part !== undefined).join('.');
      if (!found.has(path)) found.set(path, toTarget(tool, key, action.output !== undefined));
    }
  return found;
}

function toTarget({ wireName: name, discriminator }: CompiledTool, key: string, hasOutput: boolean): Target {
  return { name, discriminator, key, hasOutput };
}

/** The call whose error tells the caller most: an unknown action of a tool that exists, or an unknown tool. */
function guess([tool = '', ...rest]: readonly string[], { tools }: View): Target {
  const { discriminator } = tools.get(tool) ?? {};
  return discriminator === undefined
    ? { name: [tool, ...rest].join('.'), discriminator: undefined, key: undefined, hasOutput: false }
    : { name: tool, discriminator, key: rest.join('.'), hasOutput: false };
}
