/** Runs the call at the end of a path of names. */
type Call = (path: readonly string[], input: unknown, options: unknown) => Promise<unknown>;

/**
 * Names that JavaScript reads from objects by itself. They lead to an action only if one has this name, so that, for example,
 * `JSON.stringify` and `console.log` call no tool.
 */
const readByJavaScript: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
  'prototype',
  'toJSON',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
]);

/**
 * Creates a function for the action at a path, whose properties are the functions at longer paths. `then` is never a property,
 * because `await` would call it.
 */
export function callNode(
  call: Call,
  isKnown: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): unknown {
  const children = new Map<string, unknown>();
  const run = (input?: unknown, options?: unknown): Promise<unknown> => call(path, input, options);
  return new Proxy(run, {
    get: (_, name) => {
      if (typeof name === 'symbol' || name === 'then') return undefined;
      const below = [...path, name];
      if (readByJavaScript.has(name) && !isKnown(below)) return undefined;
      let child = children.get(name);
      if (child === undefined) children.set(name, (child = callNode(call, isKnown, below)));
      return child;
    },
    has: (_, name) => typeof name === 'string' && name !== 'then' && isKnown([...path, name]),
    // Only the names above exist; the properties of the function itself do not.
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
    getPrototypeOf: () => null,
  });
}
