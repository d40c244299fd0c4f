/** Limits on a list of a server, for all pages together. */
export interface ListLimits {
  readonly maxItems: number;
  /** Characters of keys and strings, plus one for every value. */
  readonly maxSize: number;
}

export const MAX_PAGES = 1_000;
export const MAX_CURSOR_LENGTH = 8_192;

/** Says what is wrong with a list, as the end of a sentence about the server. */
export class ListError extends Error {}

/** Reads a list page by page, as it comes, and throws a `ListError` where it is not one of bounded size. */
export async function readPages(
  key: string,
  fetchPage: (cursor: string | undefined) => Promise<Readonly<Record<string, unknown>>>,
  { maxItems, maxSize }: ListLimits,
): Promise<unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let size = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { [key]: listed, nextCursor } = await fetchPage(cursor);
    if (!Array.isArray(listed)) throw new ListError(`its list of ${key} is none`);
    if (items.length + listed.length > maxItems) throw new ListError(`it lists more than ${maxItems} ${key}`);
    size += sizeOf(listed);
    if (size > maxSize) throw new ListError(`its list of ${key} is larger than ${maxSize} bytes`);
    for (const item of listed as unknown[]) items.push(item);
    if (typeof nextCursor !== 'string') return items;
    if (nextCursor.length > MAX_CURSOR_LENGTH)
      throw new ListError(`its list of ${key} has a cursor of more than ${MAX_CURSOR_LENGTH} characters`);
    if (seen.has(nextCursor)) throw new ListError(`its list of ${key} goes in a circle`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new ListError(`its list of ${key} does not end`);
}

/** Not recursive: the value may be nested deeper than the stack. */
function sizeOf(value: unknown): number {
  let size = 0;
  for (const waiting = [value]; waiting.length > 0;) {
    const next = waiting.pop();
    size++;
    if (typeof next === 'string') size += next.length;
    else if (Array.isArray(next)) for (const item of next as unknown[]) waiting.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, entry] of Object.entries(next)) {
        size += name.length;
        waiting.push(entry);
      }
    }
  }
  return size;
}
