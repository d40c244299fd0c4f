import type { SessionRecord } from '../session-store.js';

/** A session in memory, and how it was used. */
export interface KeptSession {
  record: SessionRecord;
  /** How many requests came since it was opened. */
  uses: number;
  /** The time at which the session expires unless it is used before. */
  until: number;
}

/**
 * Sessions that were used about equally much, in the order of their last use: all of them, and those of each caller. All
 * have the same time to live, so this is also the order in which they expire.
 */
export class SessionTier {
  readonly #sessions = new Map<string, KeptSession>();
  readonly #byCaller = new Map<string, Set<string>>();
  /** The callers by their number of sessions in this tier. */
  readonly #bySize = new Map<number, Set<string>>();
  #largest = 0;

  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): KeptSession | undefined {
    return this.#sessions.get(id);
  }

  /** Puts a session last, whether it is here or not. */
  put(session: KeptSession): void {
    const { id, caller } = session.record;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const ids = this.#byCaller.get(caller) ?? new Set();
    const isNew = !ids.delete(id);
    this.#byCaller.set(caller, ids.add(id));
    if (isNew) this.#resize(caller, ids.size - 1, ids.size);
  }

  delete({ record: { id, caller } }: KeptSession): void {
    const ids = this.#byCaller.get(caller);
    if (!this.#sessions.delete(id) || ids?.delete(id) !== true) return;
    if (ids.size === 0) this.#byCaller.delete(caller);
    this.#resize(caller, ids.size + 1, ids.size);
  }

  /** The least recently used session, of all or of one caller. */
  oldest(caller?: string): KeptSession | undefined {
    const [id] = (caller === undefined ? this.#sessions : this.#byCaller.get(caller))?.keys() ?? [];
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  /** The least recently used session of a caller that has most sessions here. If all have one, it is the least used of all. */
  oldestOfLargest(): KeptSession | undefined {
    const oldest = this.oldest();
    const callers = this.#bySize.get(this.#largest);
    if (!oldest || !callers || callers.has(oldest.record.caller)) return oldest;
    const [largest] = callers;
    return this.oldest(largest);
  }

  /** Keeps `#bySize` and `#largest` up to date; sizes change by one. */
  #resize(caller: string, from: number, to: number): void {
    const left = this.#bySize.get(from);
    if (left?.delete(caller) === true && left.size === 0) this.#bySize.delete(from);
    if (to > 0) this.#bySize.set(to, (this.#bySize.get(to) ?? new Set()).add(caller));
    if (to > this.#largest || !this.#bySize.has(this.#largest)) this.#largest = to;
  }
}
