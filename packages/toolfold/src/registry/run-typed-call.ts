import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import { readCallResult } from '../protocol/call-error.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { View } from '../views/view.js';
import type { Callable } from './any-registry.js';
import { getOrMake } from '../values/get-or-make.js';

/** Sets for one call what the edge of a server otherwise reads from its request. */
export interface CallOptions extends Pick<
  RequestOptions,
  'caller' | 'accessToken' | 'session' | 'signal' | 'progress' | 'log' | 'ask' | 'meta' | 'protocolVersion'
> {
  /** Identifies repetitions of the call, for actions that declare idempotency. */
  readonly idempotencyKey?: string | undefined;
  /** Whether JSON in the result is compact. Default: the server's choice. */
  readonly minify?: boolean | undefined;
}

interface Target {
  readonly name: string;
  readonly discriminator: string | undefined;
  readonly key: string | undefined;
  readonly hasOutput: boolean;
}

const known = new WeakMap<View, ReadonlyMap<string, Target>>();

/** Runs the call of an action by its path. Returns its data, or its result if it has no output schema. Rejects if it failed. */
export async function runTypedCall(
  registry: Callable,
  given: View,
  path: readonly string[],
  input: unknown,
  options: readonly [defaults: CallOptions, more: CallOptions],
): Promise<unknown> {
  // Typed calls have the names and arguments of the author.
  const view = given.authored ?? given;
  const targets = getOrMake(known, view, () => readTargets(view));
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
  const own = input ?? {};
  // The pipeline rejects values other than objects.
  const sent = discriminator !== undefined && isJsonObject(own) ? { ...own, [discriminator]: key } : own;
  return { ...defaults, ...more, ...signals, name, arguments: sent as ExecuteRequest['arguments'] };
}

/** The calls of all actions of a view, by namespace, tool, group and action, joined by dots. */
function readTargets({ tools }: View): ReadonlyMap<string, Target> {
  const found = new Map<string, Target>();
  for (const tool of tools.values())
    for (const [key, { spec, key: ownKey, action }] of tool.actions) {
      const path = [spec.namespace, spec.name, ownKey].filter((part) => part !== undefined).join('.');
      const { wireName: name, discriminator } = tool;
      if (!found.has(path))
        found.set(path, { name, discriminator, key, hasOutput: action.output !== undefined });
    }
  return found;
}

/** Makes a call whose error tells most: the tool exists and lacks the action, or there is no such tool. */
function guess([tool = '', ...rest]: readonly string[], { tools }: View): Target {
  const { discriminator } = tools.get(tool) ?? {};
  return discriminator === undefined
    ? { name: [tool, ...rest].join('.'), discriminator: undefined, key: undefined, hasOutput: false }
    : { name: tool, discriminator, key: rest.join('.'), hasOutput: false };
}
