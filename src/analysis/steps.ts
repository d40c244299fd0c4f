import { setImmediate } from 'node:timers/promises';

/** Work in steps. Each step yields the share of the work that is done, from 0 to 1. */
export type Steps<T> = Generator<number, T>;

/** Milliseconds of work after which other requests get their turn. */
const SLICE_MS = 10;

/** Handles pending requests and signals between two parts of long work. Rejects if the signal aborts the work. */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

/** Maps a list, with a step before each item. */
export function* eachInSteps<T, U>(items: readonly T[], map: (item: T) => U): Steps<U[]> {
  const mapped: U[] = [];
  for (const [at, item] of items.entries()) {
    yield at / items.length;
    mapped.push(map(item));
  }
  return mapped;
}

/** Does all steps at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does work in slices, because the server that is analysed may run in the same process. */
export async function inSlices<T>(steps: Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await yieldToEventLoop(signal);
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
  }
}
