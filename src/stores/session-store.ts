import type { LoggingLevel } from '../protocol/log-levels.js';
import { ErrInvalidModel } from '../errors.js';
import { NOBODY } from '../callers/caller-key.js';
import { SessionTier } from './memory/session-tier.js';
import type { KeptSession } from './memory/session-tier.js';

/** The data of a 2025 session. It is plain data, so that any process can serve the session. */
export interface SessionRecord {
  /** What the client sends as `Mcp-Session-Id`. */
  readonly id: string;
  /** Who may use it: a digest of what was verified of the caller that opened it, or `nobody`. */
  readonly owner: string;
  /** The caller that opened it. A store bounds how many sessions one caller has. `nobody` stands for many callers. */
  readonly caller: string;
  /** The `mcp-client-id` that the client opened it with, if any. */
  readonly clientId?: string;
  /** The hash of the session context that the client opened it with, if any. */
  readonly context?: string;
  /** The revision that client and server have agreed on. */
  readonly protocolVersion: string;
  /** What the client calls itself. */
  readonly client: {
    /** As the client gave it. */
    readonly name: string;
    /** As the client gave it. */
    readonly version: string;
  };
  /** What the client says it can do. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The least severe log messages that the client wants. */
  readonly logLevel?: LoggingLevel;
  /** The toolsets that are enabled, once the client has enabled or disabled one. */
  readonly toolsets?: readonly string[];
  /** The resources of whose changes the client wants to hear. */
  readonly subscriptions?: readonly string[];
}

/** Where sessions are kept. Each ends when it was not used for a while, and may end earlier for room. */
export interface SessionStore {
  /** Keeps a session by its `id`. */
  create(session: SessionRecord): void | Promise<void>;
  /** Returns the session, and restarts its time to live. */
  get(id: string): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Replaces what is known of a session that is there. */
  update(session: SessionRecord): void | Promise<void>;
  /**
   * Changes a session by what is known of it, in one step: of changes that several processes make at once, each begins
   * with what another left. `derive` may be called more than once. Resolves to the session as it is then, if it is there.
   * Without it, one of two processes that change a session at the same time can undo what the other did.
   */
  change?(id: string, derive: DeriveSession): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Forgets a session. One that is not there is no error. */
  delete(id: string): void | Promise<void>;
  /**
   * Calls back when a session was ended by another process, with a test for its id: not every store tells ids. What ends
   * because its time is over is not told. The result stops that.
   */
  onEndElsewhere?(listener: (isEnded: (id: string) => boolean) => void): () => void;
}

/** What is different of a session. */
export type SessionChange = Partial<Omit<SessionRecord, 'id' | 'owner' | 'caller' | 'clientId' | 'context'>>;

/** Gives what of a session is to change. */
export type DeriveSession = (session: SessionRecord) => SessionChange | Promise<SessionChange>;

/** How many sessions are kept in memory, and for how long. */
export interface MemorySessionStoreOptions {
  /**
   * How many sessions are kept. When there are too many, the sessions that were hardly used end first, of the caller that
   * has most of them. Default: 10,000.
   */
  readonly max?: number | undefined;
  /**
   * The part of the sessions that one caller can have, at least ten. A caller with too many loses its own session that was
   * used least. Default: 0.25.
   */
  readonly callerShare?: number | undefined;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttl?: number | undefined;
  /** Told of every session that ends; of one that expired, when it is next looked for, makes room or is swept. */
  readonly onEnd?: ((id: string) => void) | undefined;
  /** The time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;

/** Minimum number of sessions of one caller, because a user often has several clients. */
const LEAST_SHARE = 10;
/** Number of requests after which a session counts as in real use: connecting and one request reach it. */
const REAL_USES = 3;

/**
 * Sessions in the memory of one process. Those that were never used, hardly used and really used are kept apart, so that
 * opening many sessions, or using each of them once, ends none that is in real use.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tiers = [new SessionTier(), new SessionTier(), new SessionTier()] as const;
  readonly #max: number;
  readonly #share: number;
  readonly #ttl: number;
  readonly #onEnd: (id: string) => void;
  readonly #clock: () => number;
  /** How many sessions each caller has. */
  readonly #counts = new Map<string, number>();

  constructor({
    max = 10_000,
    callerShare = 0.25,
    ttl = HOUR,
    onEnd = () => {},
    clock = () => performance.now(),
  }: MemorySessionStoreOptions = {}) {
    for (const [name, value] of Object.entries({ max, ttl })) {
      if (!Number.isSafeInteger(value) || value < 1)
        throw new ErrInvalidModel(`sessions.${name} must be a whole number of at least 1.`, {
          details: { name },
        });
    }
    if (!(callerShare > 0 && callerShare <= 1))
      throw new ErrInvalidModel('sessions.callerShare must be a number above 0 and at most 1.', {
        details: { callerShare },
      });
    this.#max = max;
    this.#share = Math.max(LEAST_SHARE, Math.floor(max * callerShare));
    this.#ttl = ttl;
    this.#onEnd = onEnd;
    this.#clock = clock;
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#tiers.reduce((sum, { size }) => sum + size, 0);
  }

  create(record: SessionRecord): void {
    this.delete(record.id);
    this.#makeRoomFor(record.caller);
    this.#counts.set(record.caller, (this.#counts.get(record.caller) ?? 0) + 1);
    this.#tiers[0].put({ record, uses: 0, until: this.#clock() + this.#ttl });
  }

  get(id: string): SessionRecord | undefined {
    const session = this.#find(id);
    if (!session) return undefined;
    const before = this.#tierOf(session);
    session.uses++;
    session.until = this.#clock() + this.#ttl;
    const tier = this.#tierOf(session);
    if (tier !== before) before.delete(session);
    tier.put(session);
    return session.record;
  }

  update(record: SessionRecord): void {
    const session = this.#find(record.id);
    if (!session) return;
    session.record = { ...record, caller: session.record.caller };
    session.until = this.#clock() + this.#ttl;
    this.#tierOf(session).put(session);
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
    const session = this.#tiers.map((tier) => tier.get(id)).find(Boolean);
    if (session) this.#end(session);
  }

  /** Ends expired sessions. Otherwise a session expires only when a request asks for it. */
  sweep(): void {
    const now = this.#clock();
    this.#endWhile(({ until }) => until < now);
  }

  /** Ends all sessions. */
  clear(): void {
    this.#endWhile(() => true);
  }

  #find(id: string): KeptSession | undefined {
    for (const tier of this.#tiers) {
      const session = tier.get(id);
      if (session && session.until >= this.#clock()) return session;
      if (session) this.#end(session);
    }
    return undefined;
  }

  #tierOf({ uses }: KeptSession): SessionTier {
    const [opened, tried, used] = this.#tiers;
    if (uses >= REAL_USES) return used;
    return uses > 0 ? tried : opened;
  }

  #makeRoomFor(caller: string): void {
    const isOverShare = caller !== NOBODY && (this.#counts.get(caller) ?? 0) >= this.#share;
    if (!isOverShare && this.size < this.#max) return;
    for (const tier of this.#tiers) {
      const session = isOverShare ? tier.oldest(caller) : tier.oldestOfLargest();
      if (session) return this.#end(session);
    }
  }

  #end(session: KeptSession): void {
    const { id, caller } = session.record;
    this.#tierOf(session).delete(session);
    const left = (this.#counts.get(caller) ?? 1) - 1;
    if (left === 0) this.#counts.delete(caller);
    else this.#counts.set(caller, left);
    this.#onEnd(id);
  }

  #endWhile(isOver: (session: KeptSession) => boolean): void {
    for (const tier of this.#tiers)
      for (let session = tier.oldest(); session && isOver(session); session = tier.oldest())
        this.#end(session);
  }
}
