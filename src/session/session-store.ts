import type { LoggingLevel } from '../compile/tool-definition.js';
import { ErrInvalidModel } from '../errors.js';
import { SessionPlace } from './session-place.js';

/** What is known of a client of 2025 or before, from one request to the next. It is data, so that any node can serve it. */
export interface SessionRecord {
  /** What the client sends as `Mcp-Session-Id`. */
  readonly id: string;
  /** Who opened it, and may use it. */
  readonly owner: string;
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
  /** The session, whose time begins anew. */
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
export type SessionChange = Partial<Omit<SessionRecord, 'id' | 'owner'>>;

/** Gives what of a session is to change. */
export type DeriveSession = (session: SessionRecord) => SessionChange | Promise<SessionChange>;

/** How many sessions are kept in memory, and for how long. */
export interface MemorySessionStoreOptions {
  /**
   * How many sessions are kept that are used, and how many that were only opened; the one that was not used for longest
   * ends first. One owner can have a tenth of them, or ten where that is more; callers of whom nothing is known have all
   * of them together. Default: 10,000.
   */
  readonly max?: number | undefined;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttl?: number | undefined;
  /** Told of every session that ends; of one that expired, when it is next looked for, makes room or is swept. */
  readonly onEnd?: ((id: string) => void) | undefined;
  /** The time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;

/** A person has several clients, also where there is little room. */
const LEAST_SHARE = 10;

/**
 * Sessions in the memory of one process. Those that were opened and never used since have a place of their own, so that
 * opening many ends none that is in use.
 */
export class MemorySessionStore implements SessionStore {
  readonly #opened: SessionPlace;
  readonly #used: SessionPlace;

  constructor({ max = 10_000, ttl = HOUR, onEnd = () => {}, clock }: MemorySessionStoreOptions = {}) {
    for (const [name, value] of Object.entries({ max, ttl })) {
      // LRUCache takes 0 for no bound.
      if (!Number.isSafeInteger(value) || value < 1)
        throw new ErrInvalidModel(`sessions.${name} must be a whole number of at least 1.`, {
          details: { name },
        });
    }
    const share = Math.max(LEAST_SHARE, Math.floor(max / 10));
    const options = { max, share, ttl, onEnd, clock };
    this.#opened = new SessionPlace({ ...options, isRenewedByUse: false });
    this.#used = new SessionPlace({ ...options, isRenewedByUse: true });
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#opened.size + this.#used.size;
  }

  create(session: SessionRecord): void {
    this.#opened.set(session);
  }

  get(id: string): SessionRecord | undefined {
    const used = this.#used.get(id);
    if (used) return used;
    const opened = this.#opened.take(id);
    if (opened) this.#used.set(opened);
    return opened;
  }

  update(session: SessionRecord): void {
    for (const place of [this.#used, this.#opened]) if (place.has(session.id)) place.set(session);
  }

  async change(id: string, derive: DeriveSession): Promise<SessionRecord | undefined> {
    for (;;) {
      const session = this.get(id);
      if (!session) return undefined;
      const changed = { ...session, ...(await derive(session)) };
      // Where somebody was faster, what they left is where it begins anew.
      if (this.get(id) !== session) continue;
      this.update(changed);
      return changed;
    }
  }

  delete(id: string): void {
    this.#opened.delete(id);
    this.#used.delete(id);
  }

  /** Ends the sessions whose time is over, which are otherwise noticed when somebody asks for them. */
  sweep(): void {
    this.#opened.sweep();
    this.#used.sweep();
  }

  /** Ends all sessions. */
  clear(): void {
    this.#opened.clear();
    this.#used.clear();
  }
}
