/** Runs the action at a path of names. */
type Call = (path: readonly string[], input: unknown, options: unknown) => Promise<unknown>;

/**
 * Creates a function for the action at a path. Its properties are the functions at longer paths. Names that JavaScript itself
 * reads are no properties, because `await` would call `then` and `String()` would call `toString`.
 */
export function callNode(call: Call, path: readonly string[] = []): unknown {
  const run = (input?: unknown, options?: unknown): Promise<unknown> => call(path, input, options);
  return new Proxy(run, {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name in Object.prototype
        ? undefined
        : callNode(call, [...path, name]),
    set: () => false,
  });
}
