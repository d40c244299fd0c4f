import type { LoggingLevel } from '../protocol/log-levels.js';

/**
 * Texts by key, each with a time to live, shared by calls and possibly by processes. Keys are as confidential as values,
 * because they name callers.
 *
 * - Any method may reject when the store cannot be reached. No method waits forever.
 * - Requests of one process take effect in order, awaited or not.
 * - An entry may disappear before it expires, by a restart or by eviction (see `evicts`), but does not reappear.
 * - `ttlMs` must be finite and above 0, otherwise the method rejects. An expired entry is not found.
 */
export interface Store {
  /** Whether the store drops entries before they expire. Such a store must not hold records of executed calls. */
  readonly evicts?: boolean;
  /** Returns the value, or `undefined` if it is missing or expired. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets or replaces a value. If the value is too large, an evicting store deletes the entry, and any other store rejects
   * and keeps the old value.
   */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Sets the value atomically if there is none. Resolves to the existing value, or `undefined`. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>;
  /** Deletes the value. A missing value is not an error. */
  delete(key: string): Promise<void>;
}

/**
 * The result of claiming a key. `found`: the key is taken, with this text. `ours`: the run may begin, and its token is
 * above those of all earlier runs. `full`: the owner has too many keys.
 */
export type Claim =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'ours'; readonly token: number }
  | { readonly kind: 'full' };

export interface ClaimRequest {
  readonly key: string;
  /** Stored under the key if it is free. */
  readonly text: string;
  readonly ttlMs: number;
  /** The caller that the key is counted for. */
  readonly owner: string;
}

/** `claim` rejects with this error if its request was certainly not sent. After any other error, the key may be claimed. */
export class NotClaimed extends Error {}

/** Decides which process runs a call: only one can claim its key. */
export interface Claims {
  /** Claims a key atomically if it is free. Rejects with `NotClaimed` if the key was certainly not claimed. */
  claim(request: ClaimRequest): Promise<Claim>;
  /** Releases a key, as if it had never been claimed, if one of these texts is stored under it. */
  free(key: string, owner: string, texts: readonly string[]): Promise<void>;
}

/** Maximum number of keys that one owner can claim within their time to live. */
export const MAX_PER_OWNER = 10_000;

/** Increasing numbers, shared by all processes. */
export interface Sequence {
  /** Returns a number above all earlier ones. */
  next(): Promise<number>;
}

/** The remaining allowance of a caller. */
export interface Allowance {
  /** Milliseconds until the allowance is full again. */
  readonly msBeforeNext: number;
  /** Points left until then. */
  readonly remainingPoints: number;
}

/**
 * Counts calls by key. The limiters of `rate-limiter-flexible` implement this interface, so several processes can share
 * their counts in Redis or another database. It rejects with an `Allowance` when a key has no points left, and with an
 * `Error` when it cannot count.
 */
export interface RateLimiter {
  /** Takes points from the allowance of a key. */
  consume(key: string, points?: number): Promise<Allowance>;
  /**
   * Takes points for an anonymous caller, also from the common allowance of all anonymous callers for the action. If it is
   * missing, anonymous callers are counted with `consume` and have no common limit.
   */
  consumeAnonymous?(key: string, action: string, points: number): Promise<Allowance>;
}

/** How many calls each caller may make of each action within a window of time. */
export interface RateLimit {
  /** Calls allowed within the window. */
  readonly calls: number;
  /** Length of the window, in milliseconds. */
  readonly windowMs: number;
  /**
   * Calls of each action that all anonymous callers may make together. Each of them, identified by address, has `calls`.
   * Default: ten times `calls`.
   */
  readonly anonymousCalls?: number;
}

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
