import { signal } from '@preact/signals';
import type { LiveCall, LiveStatistics, PageEvent } from '../../../../../src/devtools/page-events.js';
import { Ring } from './ring.js';

/** Calls that the page keeps. Older ones are forgotten. */
export const KEPT_CALLS = 2_000;

/** Numbers of calls. `total` is the sum of `seen`, `away` and `cleared`; the list has `kept` of the `received` of the `seen` ones. */
export interface LiveCounts {
  /** All calls since the start of the server. */
  readonly total: number;
  /** Calls of which the tab was told since it was opened or cleared. */
  readonly seen: number;
  /** Calls that the server sent. It leaves out some if many arrive. */
  readonly received: number;
  readonly kept: number;
  /** Calls that arrived while the tab was not connected, and that the server no longer had when it connected. */
  readonly away: number;
  /** Calls before the list was cleared. */
  readonly cleared: number;
}

/**
 * The calls and figures that the page has received. Events only fill fields of a fixed size; what the page shows changes at most once
 * in a frame, and not at all while the page is hidden.
 */
export class LiveStore {
  readonly calls = new Ring<LiveCall>(KEPT_CALLS);
  /** Grows when calls have arrived. */
  readonly version = signal(0);
  readonly counts = signal<LiveCounts>({ total: 0, seen: 0, received: 0, kept: 0, away: 0, cleared: 0 });
  readonly statistics = signal<LiveStatistics | undefined>(undefined);
  /** When `statistics` arrived, in milliseconds since 1970. */
  statisticsAt = 0;
  readonly #onFrame: (publish: () => void) => void;
  readonly #listeners = new Set<(call: LiveCall) => void>();
  #seen = 0;
  #received = 0;
  #away = 0;
  #cleared = 0;
  #latest: LiveStatistics | undefined;
  #isScheduled = false;

  constructor(onFrame: (publish: () => void) => void) {
    this.#onFrame = onFrame;
  }

  accept(event: PageEvent): void {
    if (event.event === 'calls') this.#addCalls(event.seen, event.calls);
    else if (event.event === 'statistics') {
      // Figures that had to wait for the connection are older than the calls before them, so the number never falls.
      this.#away = Math.max(this.#away, event.statistics.calls - this.#cleared - this.#seen);
      this.setStatistics(event.statistics);
    }
  }

  setStatistics(statistics: LiveStatistics): void {
    this.#latest = statistics;
    this.statisticsAt = Date.now();
    this.#schedule();
  }

  /** Calls a function with every call that is received, such as to find the calls of a run of code. Returns how to end it. */
  listen(listener: (call: LiveCall) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the calls that are shown. The figures belong to the server and stay. */
  clear(): void {
    this.calls.clear();
    this.#cleared += this.#seen + this.#away;
    this.#away = 0;
    this.#seen = 0;
    this.#received = 0;
    this.#schedule();
  }

  #addCalls(seen: number, calls: readonly LiveCall[]): void {
    this.#seen += seen;
    for (const call of calls) {
      this.#received++;
      this.calls.push(call);
      for (const listener of this.#listeners) listener(call);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#onFrame(() => {
      this.#isScheduled = false;
      this.#publish();
    });
  }

  #publish(): void {
    this.counts.value = {
      total: this.#seen + this.#away + this.#cleared,
      seen: this.#seen,
      received: this.#received,
      kept: this.calls.size,
      away: this.#away,
      cleared: this.#cleared,
    };
    if (this.#latest !== this.statistics.peek()) this.statistics.value = this.#latest;
    this.version.value++;
  }
}
