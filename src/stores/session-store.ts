import type { LoggingLevel } from '../protocol/log-levels.js';

/** The state of a 2025 session, as plain data, so that any process can serve it. */
export interface SessionRecord {
  /** The `Mcp-Session-Id` header that the client sends. */
  readonly id: string;
  /** A digest of the verified identity of the caller that opened the session and may use it, or `nobody`. */
  readonly owner: string;
  /** The caller whose sessions the store counts and limits. `nobody` is shared by all anonymous callers. */
  readonly caller: string;
  /** The `mcp-client-id` header of the request that opened the session. */
  readonly clientId?: string;
  /** The hash of the session context of the request that opened the session. */
  readonly context?: string;
  /** The negotiated protocol revision. */
  readonly protocolVersion: string;
  /** The client's `clientInfo`. */
  readonly client: {
    /** Name of the client. */
    readonly name: string;
    /** Version of the client. */
    readonly version: string;
  };
  /** The capabilities that the client declared. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The minimum level of log messages that the client wants. */
  readonly logLevel?: LoggingLevel;
  /** The enabled toolsets, once the client has enabled or disabled one. */
  readonly toolsets?: readonly string[];
  /** URIs of the resources that the client subscribed to. */
  readonly subscriptions?: readonly string[];
}

/** Stores sessions. A session expires when it is not used for a while, and may be evicted earlier. */
export interface SessionStore {
  /** Stores a new session. */
  create(session: SessionRecord): void | Promise<void>;
  /** Returns the session and renews its time to live. */
  get(id: string): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Replaces the data of an existing session. */
  update(session: SessionRecord): void | Promise<void>;
  /**
   * Changes a session atomically: concurrent changes of several processes are applied one after another. `derive` may be
   * called more than once. Resolves to the changed session, if it exists. Without this method, concurrent changes can
   * overwrite each other.
   */
  change?(id: string, derive: DeriveSession): SessionRecord | undefined | Promise<SessionRecord | undefined>;
  /** Deletes a session. A missing session is not an error. */
  delete(id: string): void | Promise<void>;
  /**
   * Calls the listener when another process ended a session, with a test for session ids, because not every store reveals
   * them. Expired sessions are not reported. Returns a function that removes the listener.
   */
  onEndElsewhere?(listener: (isEnded: (id: string) => boolean) => void): () => void;
}

/** The changed fields of a session. */
export type SessionChange = Partial<Omit<SessionRecord, 'id' | 'owner' | 'caller' | 'clientId' | 'context'>>;

/** Returns the fields of a session that change. */
export type DeriveSession = (session: SessionRecord) => SessionChange | Promise<SessionChange>;
