import { signal } from '@preact/signals';
import type { LiveCall, LiveStatistics, PageEvent } from '../../../../../src/page-events.js';
import { Ring } from './ring.js';

/** Maximum number of calls that the page keeps. */
export const KEPT_CALLS = 2_000;

/** Counts of calls. `total` is the sum of `seen`, `away` and `cleared`; the list holds `kept` of the `received` calls. */
export interface LiveCounts {
  /** All calls since the server started. */
  readonly total: number;
  /** Calls since the tab was opened or cleared, including those that the server left out. */
  readonly seen: number;
  /** Calls that the server sent. It leaves out some if many arrive. */
  readonly received: number;
  readonly kept: number;
  /** Calls that arrived while the tab was disconnected and that the server no longer had on reconnect. */
  readonly away: number;
  /** Calls before the list was cleared. */
  readonly cleared: number;
}

/**
 * Stores received calls and statistics in a fixed amount of memory. Publishes changes at most once per frame, and never while the
 * page is hidden.
 */
export class LiveStore {
  readonly calls = new Ring<LiveCall>(KEPT_CALLS);
  /** Increases when calls arrive, because `calls` is mutable and publishes no changes. */
  readonly version = signal(0);
  readonly counts = signal<LiveCounts>({ total: 0, seen: 0, received: 0, kept: 0, away: 0, cleared: 0 });
  readonly statistics = signal<LiveStatistics | undefined>(undefined);
  /** Time at which `statistics` arrived, in milliseconds since 1970. */
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
      // Delayed statistics may be older than the received calls, so never decrease the number.
      this.#away = Math.max(this.#away, event.statistics.calls - this.#cleared - this.#seen);
      this.setStatistics(event.statistics);
    }
  }

  setStatistics(statistics: LiveStatistics): void {
    this.#latest = statistics;
    this.statisticsAt = Date.now();
    this.#schedule();
  }

  /** Subscribes to received calls, such as to find those of a code run. Returns a function that unsubscribes. */
  listen(listener: (call: LiveCall) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Clears the list. The statistics stay, because they belong to the server. */
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
