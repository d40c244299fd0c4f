import type { Client } from '@modelcontextprotocol/client';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isJsonObject } from '@toolfold/schema/internal';
import { revealResult } from './untrusted-messages.js';

/** Limits all pages of a list together. */
export interface ListLimits {
  readonly maxItems: number;
  /** Counts the characters of keys and strings, plus one for every value. */
  readonly maxSize: number;
}

interface ListRequest extends ListLimits {
  readonly method: string;
  /** The result of each page has the items in this field. */
  readonly key: string;
  /** The list is empty if the server does not declare this capability. */
  readonly capability: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export const MAX_PAGES = 1_000;
export const MAX_CURSOR_LENGTH = 8_192;

/** Thrown for an unusable list. The message ends a sentence about the server. */
export class ListError extends Error {}

/** Reads all pages of a list. The items are not checked, so that one invalid item does not hide the others. */
export async function listAll(client: Client, request: ListRequest): Promise<unknown[]> {
  const { method, key, capability, timeoutMs, signal } = request;
  const capabilities = client.getServerCapabilities() as Readonly<Record<string, unknown>> | undefined;
  if (!capabilities?.[capability]) return [];
  const deadline = Date.now() + timeoutMs;
  const fetchPage = async (cursor: string | undefined): Promise<Record<string, unknown>> => {
    const timeout = deadline - Date.now();
    if (timeout <= 0) throw new ListError(`its list of ${key} does not end`);
    const params = cursor === undefined ? {} : { cursor };
    return client.request({ method, params }, anyObject, { timeout, ...(signal ? { signal } : {}) });
  };
  return readPages(key, fetchPage, request);
}

export const anyObject: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'toolfold',
    validate: (value) =>
      isJsonObject(value)
        ? { value: revealResult(value) }
        : { issues: [{ message: 'the answer is not an object' }] },
  },
};

/** Reads a list page by page. Throws a `ListError` if it is not a list, or exceeds a limit. */
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
    if (!Array.isArray(listed)) throw new ListError(`its list of ${key} is not a list`);
    if (items.length + listed.length > maxItems) throw new ListError(`it lists more than ${maxItems} ${key}`);
    size += sizeOf(listed);
    if (size > maxSize) throw new ListError(`its list of ${key} is larger than ${maxSize} bytes`);
    for (const item of listed as unknown[]) items.push(item);
    if (typeof nextCursor !== 'string') return items;
    if (nextCursor.length > MAX_CURSOR_LENGTH)
      throw new ListError(`its list of ${key} has a cursor of more than ${MAX_CURSOR_LENGTH} characters`);
    if (seen.has(nextCursor)) throw new ListError(`its list of ${key} repeats a cursor`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new ListError(`its list of ${key} does not end`);
}

/** Measures a value without recursion, because it may be nested deeper than the stack. */
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
