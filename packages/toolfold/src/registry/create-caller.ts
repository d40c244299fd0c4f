import type { ToolsOf, TypedCaller } from '../define/typed-tool.js';
import { callNode } from '../protocol/call-node.js';
import { anything, assertOptions, callback, flag, objectLike, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { View } from '../views/view.js';
import type { AnyRegistry } from './any-registry.js';
import { assertRegistry } from './assert-registry.js';
import type { CallOptions } from './run-typed-call.js';

/** Options of `createCaller`. They apply to every call that does not set them itself. */
export interface CallerOptions extends CallOptions {
  /** The tools that can be called, as `registry.view()` returns them. Default: all tools. */
  readonly view?: View | undefined;
}

const object = objectLike('an object');
const rules: Rules<keyof CallerOptions> = {
  caller: object,
  accessToken: text,
  session: object,
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  progress: callback,
  log: callback,
  ask: callback,
  meta: object,
  protocolVersion: text,
  idempotencyKey: text,
  minify: flag,
  view: anything,
};

/** Creates functions that call the actions of a registry through its pipeline, such as `caller.users.list(input)`. */
export function createCaller<R extends AnyRegistry>(
  registry: R,
  options: CallerOptions = {},
): TypedCaller<ToolsOf<R>, CallOptions> {
  assertRegistry('createCaller', registry);
  assertOptions('createCaller', options, rules);
  const { view: given, ...defaults } = options;
  const call = async (path: readonly string[], input: unknown, more: unknown = {}): Promise<unknown> => {
    assertOptions('A call', more, rules);
    const view = given ?? registry.view();
    // Loaded with the first call, because most servers have no caller.
    const { runTypedCall } = await import('./run-typed-call.js');
    return runTypedCall(registry, view, path, input, [defaults, more as CallOptions]);
  };
  return callNode(call) as TypedCaller<ToolsOf<R>, CallOptions>;
}
