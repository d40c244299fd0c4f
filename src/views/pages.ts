import { ErrInvalidCursor, ErrInvalidPolicy } from '../errors.js';
import { digest } from '../values/digest.js';

export interface Page {
  readonly page: readonly unknown[];
  readonly nextCursor?: string;
}

/** A size with which a list would have no end is a mistake of the author. */
export function assertPageSize(pageSize: number | undefined): void {
  if (pageSize === undefined || pageSize === Number.POSITIVE_INFINITY) return;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw new ErrInvalidPolicy(`pageSize must be a whole number of at least 1, not ${String(pageSize)}.`);
}

/** A page of a list. A cursor holds for the list that it was given out for: one of a list that has changed is refused. */
export function pageOf(
  list: readonly unknown[],
  cursor: unknown,
  pageSize: number = Number.POSITIVE_INFINITY,
): Page {
  if (cursor === undefined && list.length <= pageSize) return { page: list };
  const at = cursor === undefined ? 0 : readCursor(cursor, list, pageSize);
  const end = at + pageSize;
  const page = list.slice(at, end);
  return end < list.length ? { page, nextCursor: `${end}.${listDigest(list)}` } : { page };
}

export function readCursor(cursor: unknown, list: readonly unknown[], pageSize: number): number {
  const [, at = '', of] = /^([1-9]\d{0,8})\.([\w-]+)$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  const start = Number(at);
  const isOurs = of !== undefined && of === listDigest(list) && start < list.length;
  if (isOurs && start % pageSize === 0) return start;
  throw new ErrInvalidCursor('The cursor is not known, or the list has changed since.', {
    hint: 'Start again without a cursor.',
  });
}

/** Lists are frozen and few. */
const digests = new WeakMap<object, string>();

export function listDigest(list: readonly unknown[]): string {
  let made = digests.get(list);
  if (made === undefined) digests.set(list, (made = digest(JSON.stringify(list)).slice(0, 22)));
  return made;
}
