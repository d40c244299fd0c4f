import type { LoggingLevel } from '../protocol/log-levels.js';

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
