import { LRUCache } from 'lru-cache';
import { NOBODY } from '../guard/caller-key.js';
import type { SessionRecord } from './session-store.js';

export interface SessionPlaceOptions {
  /** How many sessions there is room for. */
  readonly max: number;
  /** How many of them one owner can have; those of whom nothing is known are many that look like one, and have all. */
  readonly share: number;
  readonly ttl: number;
  readonly isRenewedByUse: boolean;
  readonly onEnd: (id: string) => void;
  readonly clock: (() => number) | undefined;
}

/** Sessions with an end. Where there are too many, of one owner or of all, the one that was not used for longest ends. */
export class SessionPlace {
  readonly #sessions: LRUCache<string, SessionRecord>;
  /** The sessions of each owner, in the order of their last use. */
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #share: number;
  readonly #onEnd: (id: string) => void;
  #isTaking = false;

  constructor({ max, share, ttl, isRenewedByUse, onEnd, clock }: SessionPlaceOptions) {
    this.#share = share;
    this.#onEnd = onEnd;
    this.#sessions = new LRUCache({
      // With a number of entries it would take memory for all of them at once.
      maxSize: max,
      sizeCalculation: () => 1,
      ttl,
      updateAgeOnGet: isRenewedByUse,
      dispose: (session, id, reason) => this.#forget(session, id, reason),
      ...(clock ? { perf: { now: clock }, ttlResolution: 0 } : {}),
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** How many owners have something here. */
  get owners(): number {
    return this.#byOwner.size;
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  get(id: string): SessionRecord | undefined {
    const session = this.#sessions.get(id);
    if (session) this.#moveLast(session);
    return session;
  }

  set(session: SessionRecord): void {
    // Before the rest makes room for it.
    this.#makeRoomFor(session);
    this.#sessions.set(session.id, session);
    this.#moveLast(session);
  }

  /** Gives away a session, which does not end by that. */
  take(id: string): SessionRecord | undefined {
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    this.#isTaking = true;
    this.#sessions.delete(id);
    this.#isTaking = false;
    return session;
  }

  delete(id: string): void {
    this.#sessions.delete(id);
  }

  /** Ends those whose time is over. */
  sweep(): void {
    this.#sessions.purgeStale();
  }

  clear(): void {
    this.#sessions.clear();
  }

  #makeRoomFor({ owner, id }: SessionRecord): void {
    const ids = this.#byOwner.get(owner);
    if (!ids || ids.size < this.#share || ids.has(id)) return;
    const [oldest] = ids;
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }

  #moveLast({ owner, id }: SessionRecord): void {
    if (owner === NOBODY) return;
    const ids = this.#byOwner.get(owner);
    if (!ids) {
      this.#byOwner.set(owner, new Set([id]));
      return;
    }
    // Most have one session, which is the last.
    if (ids.size > 1) ids.delete(id);
    ids.add(id);
  }

  #forget({ owner }: SessionRecord, id: string, reason: string): void {
    const ids = this.#byOwner.get(owner);
    if (ids?.delete(id) === true && ids.size === 0) this.#byOwner.delete(owner);
    if (reason !== 'set' && !this.#isTaking) this.#onEnd(id);
  }
}
