import { sharesPendingWork } from '../../runtime/runtime.js';

/** Work in short steps, and its result. */
export type Steps<T> = Generator<void, T>;

/** Maximum time that one slice of work takes, apart from its last step. */
const SLICE_MS = 10;

/** Resolves when it is the turn of the slice that was requested last. */
let turn: Promise<void> = Promise.resolve();

/** Number of items in a step. */
const ITEMS = 8;

/** Calls a function for each item of a list. */
export function* inSteps<T>(items: readonly T[], work: (item: T, at: number) => void): Steps<void> {
  for (let from = 0; from < items.length; from += ITEMS) {
    items.slice(from, from + ITEMS).forEach((item, at) => work(item, from + at));
    yield;
  }
}

/** Does some work at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does some work in slices of 10 ms, and lets the event loop serve other requests between them. If several pieces of work run
 * concurrently, they take turns, so that each turn of the event loop has about one slice.
 */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
  }
}

/**
 * Waits until the slices that were requested before have run, and for a turn of the event loop. Does not wait on Cloudflare Workers, where a timer ends with its
 * request and the clock stands still during a slice.
 */
export function nextTurn(): Promise<void> {
  if (!sharesPendingWork()) return Promise.resolve();
  turn = turn.then(() => new Promise((resolve) => setTimeout(resolve)));
  return turn;
}
