/** Runs the call at the end of a path of names. */
type Call = (path: readonly string[], input: unknown, options: unknown) => Promise<unknown>;

/**
 * Creates a function for the action at a path, whose properties are the functions at longer paths. `then` is never a property,
 * because `await` would call it. Names that JavaScript reads by itself, such as `toJSON`, are properties only if `isName` says that
 * a tool has this name.
 */
export function callNode(
  call: Call,
  isName: (name: string) => boolean,
  path: readonly string[] = [],
): unknown {
  const run = (input?: unknown, options?: unknown): Promise<unknown> => call(path, input, options);
  return new Proxy(run, {
    get: (_, name) => {
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if ((name === 'toJSON' || name in Function.prototype) && !isName(name)) return undefined;
      return callNode(call, isName, [...path, name]);
    },
    set: () => false,
  });
}
