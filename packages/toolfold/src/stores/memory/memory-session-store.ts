import { NOBODY } from '../../callers/caller-key.js';
import { assertOptions, callback, count, share } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { DeriveSession, SessionRecord, SessionStore } from '../contracts.js';

/** Limits the sessions of a `MemorySessionStore`. */
export interface MemorySessionStoreOptions {
  /**
   * Maximum number of sessions. When it is reached, the least used sessions of the caller with most sessions end first.
   * Default: 10,000.
   */
  readonly max?: number | undefined;
  /**
   * The fraction of all sessions that one caller can have, but at least ten. A caller that exceeds it loses its own least
   * used session. Default: 0.25.
   */
  readonly callerShare?: number | undefined;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttlMs?: number | undefined;
  /** @internal Called when a session ends. An expired session ends when it is requested, evicted or swept. */
  readonly onEnd?: ((id: string) => void) | undefined;
  /** The time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const rules: Rules<keyof MemorySessionStoreOptions> = {
  max: count,
  callerShare: share,
  ttlMs: count,
  onEnd: callback,
  clock: callback,
};

const HOUR = 60 * 60_000;

/** Minimum number of sessions of one caller, because a user often has several clients. */
const LEAST_SHARE = 10;
/** Number of requests after which a session counts as regularly used: connecting and one request reach it. */
const REGULAR_USES = 3;

/**
 * Stores sessions in the memory of one process. Unused, hardly used and regularly used sessions are kept in separate
 * tiers, so that opening many sessions, or using each of them once, evicts none that is in regular use.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tiers = [new SessionTier(), new SessionTier(), new SessionTier()] as const;
  readonly #max: number;
  readonly #share: number;
  readonly #ttlMs: number;
  readonly #onEnd: (id: string) => void;
  readonly #clock: () => number;

  constructor(options: MemorySessionStoreOptions = {}) {
    assertOptions('sessions', options, rules, { nameOf: (name) => `sessions.${name}` });
    const { max = 10_000, callerShare = 0.25, ttlMs = HOUR } = options;
    const { onEnd = () => {}, clock = performance.now.bind(performance) } = options;
    this.#max = max;
    this.#share = Math.max(LEAST_SHARE, Math.floor(max * callerShare));
    this.#ttlMs = ttlMs;
    this.#onEnd = onEnd;
    this.#clock = clock;
  }

  /** Number of sessions, including expired ones that were not swept yet. */
  get size(): number {
    return this.#tiers.reduce((sum, { sessions }) => sum + sessions.size, 0);
  }

  create(record: SessionRecord): void {
    this.delete(record.id);
    this.#makeRoomFor(record.caller);
    const [tier] = this.#tiers;
    tier.put({ record, tier, uses: 0, until: this.#clock() + this.#ttlMs });
  }

  get(id: string): SessionRecord | undefined {
    const session = this.#find(id);
    if (!session) return undefined;
    session.uses++;
    session.until = this.#clock() + this.#ttlMs;
    const [, tried, used] = this.#tiers;
    const tier = session.uses >= REGULAR_USES ? used : tried;
    if (tier !== session.tier) session.tier.delete(session);
    session.tier = tier;
    tier.put(session);
    return session.record;
  }

  update(record: SessionRecord): void {
    const session = this.#find(record.id);
    if (!session) return;
    session.record = { ...record, caller: session.record.caller };
    session.until = this.#clock() + this.#ttlMs;
    session.tier.put(session);
  }

  async change(id: string, derive: DeriveSession): Promise<SessionRecord | undefined> {
    for (;;) {
      const session = this.get(id);
      if (!session) return undefined;
      const changed = { ...session, ...(await derive(session)) };
      // If another change came in between, start again from its result.
      if (this.#find(id)?.record !== session) continue;
      this.update(changed);
      return changed;
    }
  }

  delete(id: string): void {
    const session = this.#tiers.map(({ sessions }) => sessions.get(id)).find(Boolean);
    if (session) this.#end(session);
  }

  /** Ends expired sessions. Otherwise a session expires only when a request asks for it. */
  sweep(): void {
    const now = this.#clock();
    this.#endWhile(({ until }) => until < now);
  }

  /** Ends every session, for example when the server closes. */
  clear(): void {
    this.#endWhile(() => true);
  }

  #find(id: string): KeptSession | undefined {
    for (const { sessions } of this.#tiers) {
      const session = sessions.get(id);
      if (session && session.until >= this.#clock()) return session;
      if (session) this.#end(session);
    }
    return undefined;
  }

  #makeRoomFor(caller: string): void {
    const own = this.#tiers.reduce((sum, tier) => sum + tier.countOf(caller), 0);
    const isOverShare = caller !== NOBODY && own >= this.#share;
    if (!isOverShare && this.size < this.#max) return;
    for (const tier of this.#tiers) {
      const session = isOverShare ? tier.oldest(caller) : tier.oldestOfLargest();
      if (session) return this.#end(session);
    }
  }

  #end(session: KeptSession): void {
    session.tier.delete(session);
    this.#onEnd(session.record.id);
  }

  #endWhile(isOver: (session: KeptSession) => boolean): void {
    for (const tier of this.#tiers)
      for (let session = tier.oldest(); session && isOver(session); session = tier.oldest())
        this.#end(session);
  }
}

interface KeptSession {
  record: SessionRecord;
  tier: SessionTier;
  uses: number;
  /** The time at which the session expires unless it is used before. */
  until: number;
}

/**
 * Sessions with a similar number of uses, ordered by their last use, overall and for each caller. All have the same time
 * to live, so this is also the order in which they expire.
 */
class SessionTier {
  readonly sessions = new Map<string, KeptSession>();
  readonly #byCaller = new Map<string, Set<string>>();
  /** Callers by their number of sessions in this tier. */
  readonly #bySize = new Map<number, Set<string>>();
  #largest = 0;

  /** Adds a session, or moves it to the end. */
  put(session: KeptSession): void {
    const { id, caller } = session.record;
    this.sessions.delete(id);
    this.sessions.set(id, session);
    const ids = this.#byCaller.get(caller) ?? new Set();
    const isNew = !ids.delete(id);
    this.#byCaller.set(caller, ids.add(id));
    if (isNew) this.#resize(caller, ids.size - 1, ids.size);
  }

  delete({ record: { id, caller } }: KeptSession): void {
    const ids = this.#byCaller.get(caller);
    if (!this.sessions.delete(id) || ids?.delete(id) !== true) return;
    if (ids.size === 0) this.#byCaller.delete(caller);
    this.#resize(caller, ids.size + 1, ids.size);
  }

  countOf(caller: string): number {
    return this.#byCaller.get(caller)?.size ?? 0;
  }

  /** Returns the least recently used session, of all callers or of one. */
  oldest(caller?: string): KeptSession | undefined {
    const [id] = (caller === undefined ? this.sessions : this.#byCaller.get(caller))?.keys() ?? [];
    return id === undefined ? undefined : this.sessions.get(id);
  }

  /** Returns the least recently used session of the callers with most sessions in this tier. */
  oldestOfLargest(): KeptSession | undefined {
    const oldest = this.oldest();
    const callers = this.#bySize.get(this.#largest);
    if (!oldest || !callers || callers.has(oldest.record.caller)) return oldest;
    const [largest] = callers;
    return this.oldest(largest);
  }

  /** Updates `#bySize` and `#largest`. Sizes change by one. */
  #resize(caller: string, from: number, to: number): void {
    const left = this.#bySize.get(from);
    if (left?.delete(caller) === true && left.size === 0) this.#bySize.delete(from);
    if (to > 0) this.#bySize.set(to, (this.#bySize.get(to) ?? new Set()).add(caller));
    if (to > this.#largest || !this.#bySize.has(this.#largest)) this.#largest = to;
  }
}
