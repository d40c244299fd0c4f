import { sharesPendingWork } from '@toolfold/schema/internal';

export type Steps<T> = Generator<void, T>;

/** Bounds one slice of work, apart from its last step. */
const SLICE_MS = 10;

/** Resolves when it is the turn of the slice that was requested last. */
let turn: Promise<void> = Promise.resolve();

const ITEMS = 8;

export function* inSteps<T>(items: readonly T[], work: (item: T, at: number) => void): Steps<void> {
  for (let from = 0; from < items.length; from += ITEMS) {
    items.slice(from, from + ITEMS).forEach((item, at) => work(item, from + at));
    yield;
  }
}

export function runAtOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs the steps in slices of 10 ms, and lets the event loop serve other requests between them. Concurrent work takes turns, so that each
 * turn of the event loop has about one slice. Rejects if the signal aborts.
 */
export async function runInSlices<T>(steps: Generator<unknown, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await nextTurn();
    signal?.throwIfAborted();
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
  }
}

/**
 * Waits until earlier requested slices have run, and for a turn of the event loop. On Cloudflare Workers it does not wait, because a timer
 * ends with its request there and the clock stands still during a slice.
 */
export function nextTurn(): Promise<void> {
  if (!sharesPendingWork()) return Promise.resolve();
  // `setTimeout` takes a millisecond, but not every runtime has `setImmediate`.
  const wait = typeof setImmediate === 'function' ? setImmediate : setTimeout;
  turn = turn.then(() => new Promise((resolve) => void wait(resolve)));
  return turn;
}
