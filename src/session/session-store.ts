import { LRUCache } from 'lru-cache';
import type { LoggingLevel } from '../compile/tool-definition.js';
import { ErrInvalidModel } from '../errors.js';

/** What is known of a client of 2025 or before, from one request to the next. It is data, so that any node can serve it. */
export interface SessionRecord {
  readonly id: string;
  /** Who opened it, and may use it. */
  readonly owner: string;
  readonly protocolVersion: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The least severe log messages that the client wants. */
  readonly logLevel?: LoggingLevel;
  /** The resources of whose changes the client wants to hear. */
  readonly subscriptions?: readonly string[];
}

/** Where sessions are kept. Each ends when it was not used for a while, and may end earlier for room. */
export interface SessionStore {
  create(session: SessionRecord): void | Promise<void>;
  /** The session, whose time begins anew. */
  get(id: string): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Replaces what is known of a session that is there. */
  update(session: SessionRecord): void | Promise<void>;
  delete(id: string): void | Promise<void>;
}

export interface MemorySessionStoreOptions {
  /**
   * How many sessions are kept that are used, and how many that were only opened; the one that was not used for longest
   * ends first. Default: 10,000.
   */
  readonly max?: number | undefined;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttl?: number | undefined;
  /** Told of every session that ends; of one that expired, when it is next looked for or makes room. */
  readonly onEnd?: ((id: string) => void) | undefined;
  /** The time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;

/**
 * Sessions in the memory of one process. Those that were opened and never used since have a place of their own, so that
 * opening many ends none that is in use.
 */
export class MemorySessionStore implements SessionStore {
  readonly #opened: LRUCache<string, SessionRecord>;
  readonly #used: LRUCache<string, SessionRecord>;

  constructor({ max = 10_000, ttl = HOUR, onEnd, clock }: MemorySessionStoreOptions = {}) {
    for (const [name, value] of Object.entries({ max, ttl })) {
      // LRUCache takes 0 for no bound.
      if (!Number.isSafeInteger(value) || value < 1)
        throw new ErrInvalidModel(`sessions.${name} must be a whole number of at least 1.`, {
          details: { name },
        });
    }
    const time = clock ? { perf: { now: clock }, ttlResolution: 0 } : {};
    const dispose = (_: SessionRecord, id: string, reason: string): void => {
      if (reason !== 'set' && !this.#isMoving) onEnd?.(id);
    };
    // With a number of entries it would take memory for all of them at once.
    const room = { maxSize: max, sizeCalculation: () => 1, ttl, dispose, ...time };
    this.#opened = new LRUCache(room);
    this.#used = new LRUCache({ ...room, updateAgeOnGet: true });
  }

  #isMoving = false;

  get size(): number {
    return this.#opened.size + this.#used.size;
  }

  create(session: SessionRecord): void {
    this.#opened.set(session.id, session);
  }

  get(id: string): SessionRecord | undefined {
    const used = this.#used.get(id);
    if (used) return used;
    const opened = this.#opened.get(id);
    if (!opened) return undefined;
    this.#isMoving = true;
    this.#opened.delete(id);
    this.#isMoving = false;
    this.#used.set(id, opened);
    return opened;
  }

  update(session: SessionRecord): void {
    for (const place of [this.#used, this.#opened]) if (place.has(session.id)) place.set(session.id, session);
  }

  delete(id: string): void {
    this.#opened.delete(id);
    this.#used.delete(id);
  }

  clear(): void {
    this.#opened.clear();
    this.#used.clear();
  }
}
