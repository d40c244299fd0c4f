import { setImmediate } from 'node:timers/promises';

/** Work that can pause. Each step yields the finished share, from 0 to 1. */
export type Steps<T> = Generator<number, T>;

/** Handles pending requests and signals in the middle of long work. Rejects if the signal aborted. */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

/** Maps a list with a step before each item. */
export function* eachInSteps<T, U>(items: readonly T[], map: (item: T) => U): Steps<U[]> {
  const mapped: U[] = [];
  for (const [at, item] of items.entries()) {
    yield at / items.length;
    mapped.push(map(item));
  }
  return mapped;
}
