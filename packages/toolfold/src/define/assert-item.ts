import { ErrInvalidTool } from '@toolfold/schema/errors';
import { describeValue, isClass, isObject, isPromise } from '@toolfold/schema/internal';

type Taker = 'registry.register' | '.action';

/** Throws for values that are passed to `register()` or `.action()` by mistake. The fields of definitions are checked elsewhere. */
export function assertItem(taker: Taker, item: unknown): asserts item is object {
  const hint = adviseOn(taker, item);
  if (hint === undefined) return;
  const wanted = taker === '.action' ? 'a definition' : 'builders and definitions';
  throw new ErrInvalidTool(`${taker} takes ${wanted}, but got ${describeValue(item)}.`, { hint });
}

/**
 * Explains what to pass instead of an invalid item. Returns `undefined` if the item may be a builder or a definition.
 */
function adviseOn(taker: Taker, item: unknown): string | undefined {
  const definition = `{ name: '…', description: '…', inputSchema: { … }, handler: ({ input }) => … }`;
  if (typeof item === 'string')
    return `Write ${taker}(${definition.replace("'…'", () => JSON.stringify(item).slice(0, 60))}).`;
  if (typeof item === 'function') {
    const name = item.name === '' ? 'create' : item.name;
    return `Write ${taker}(${isClass(item) ? `new ${name}('…')` : `await ${name}()`}).`;
  }
  if (!isObject(item)) return `Write ${taker}(${definition}).`;
  if (Array.isArray(item)) return `Write ${taker}(...list.flat()).`;
  if (isPromise(item)) return `Write ${taker}(await …).`;
  if ('executeTool' in item && 'register' in item)
    return `Write registry.mount('prefix', other) to add the tools of another registry.`;
  if ('~standard' in item) return `Write ${taker}(${definition.replace('{ … }', 'schema')}).`;
  if (taker === '.action')
    return hasCompile(item) ? 'Register it on its own: registry.register(builder).' : undefined;
  if (hasCompile(item) || 'name' in item || 'handler' in item) return undefined;
  const field = Object.entries(item).find(([, entry]) => isItem(entry))?.[0];
  return field === undefined ? undefined : `Write ${taker}(….${field}).`;
}

function hasCompile(item: object): boolean {
  return 'compile' in item && typeof item.compile === 'function';
}

function isItem(value: unknown): boolean {
  return isObject(value) && (hasCompile(value) || ('name' in value && 'handler' in value));
}
