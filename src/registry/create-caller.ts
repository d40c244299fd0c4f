import type { CompiledTool } from '../compile/compiled-tool.js';
import type { ToolsOf, TypedCaller } from '../define/typed-tool.js';
import { toCallError } from '../engine/call-error.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import { ErrInvalidOptions } from '../errors.js';
import { callNode } from '../protocol/call-node.js';
import { isJsonObject } from '../values/json-value.js';
import { anything, assertOptions, callback, flag, objectLike, text } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { View } from '../views/view.js';
import type { AnyRegistry } from './any-registry.js';

/** Options of a call through a caller, as the edge of a server passes them. */
export interface CallOptions extends Pick<
  RequestOptions,
  | 'caller'
  | 'accessToken'
  | 'session'
  | 'signal'
  | 'progress'
  | 'log'
  | 'ask'
  | 'meta'
  | 'clientId'
  | 'protocolVersion'
> {
  /** The idempotency key of the call, for actions that declare idempotency. */
  readonly idempotencyKey?: string | undefined;
  /** Whether texts of the result are compact. Default: the server's choice. */
  readonly minify?: boolean | undefined;
}

/** Options of `createCaller`. They apply to every call that does not set them itself. */
export interface CallerOptions extends CallOptions {
  /** The tools that can be called, as `registry.view()` returns them. Default: all tools. */
  readonly view?: View | undefined;
}

const callRules: Rules<keyof CallOptions> = {
  caller: objectLike('an object with auth'),
  accessToken: text,
  session: objectLike('the result of SessionContext.resolve()'),
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  progress: callback,
  log: callback,
  ask: callback,
  meta: objectLike('an object'),
  clientId: text,
  protocolVersion: text,
  idempotencyKey: text,
  minify: flag,
};
const rules: Rules<keyof CallerOptions> = { ...callRules, view: anything };

/** The call of an action. */
interface Target {
  readonly name: string;
  readonly discriminator: string | undefined;
  readonly key: string | undefined;
  readonly hasOutput: boolean;
}

/** Creates functions that call the actions of a registry through its pipeline, such as `caller.users.list(input)`. */
export function createCaller<R extends AnyRegistry>(
  registry: R,
  options: CallerOptions = {},
): TypedCaller<ToolsOf<R>, CallOptions> {
  if (typeof (registry as Partial<AnyRegistry> | undefined)?.executeTool !== 'function')
    throw new ErrInvalidOptions('createCaller needs a registry.', {
      hint: 'Write createCaller(new ToolRegistry().register(…)).',
    });
  assertOptions('createCaller', options, rules);
  const { view: given, ...defaults } = options;
  const paths = new WeakMap<View, ReadonlyMap<string, Target>>();
  const targetsIn = (view: View): ReadonlyMap<string, Target> => {
    let found = paths.get(view);
    if (!found) paths.set(view, (found = readTargets(view)));
    return found;
  };
  const call = async (path: readonly string[], input: unknown, more: unknown): Promise<unknown> => {
    if (more !== undefined) assertOptions(`caller.${path.join('.')}`, more, callRules);
    const view = given ?? registry.view();
    const target = targetsIn(view).get(path.join('.')) ?? guess(path, view);
    const request = toRequest(target, input, defaults, (more ?? {}) as CallOptions);
    const result = await registry.executeTool(request, view);
    if (result.isError === true) throw toCallError(result);
    return target.hasOutput ? result.structuredContent : result;
  };
  const isKnown = (path: readonly string[]): boolean => {
    const start = path.join('.');
    const known = [...targetsIn(given ?? registry.view()).keys()];
    return known.some((each) => each === start || each.startsWith(`${start}.`));
  };
  return callNode(call, isKnown) as TypedCaller<ToolsOf<R>, CallOptions>;
}

function toRequest(
  { name, discriminator, key }: Target,
  input: unknown,
  defaults: CallOptions,
  more: CallOptions,
): ExecuteRequest {
  const { signal } = defaults;
  const signals = signal && more.signal ? { signal: AbortSignal.any([signal, more.signal]) } : {};
  const given = discriminator === undefined ? (input ?? {}) : addKey(input ?? {}, discriminator, key);
  return { ...defaults, ...more, ...signals, name, arguments: given as ExecuteRequest['arguments'] };
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
