import type { LoggingLevel } from '../protocol/mcp-types.js';
import type { Logger } from '../values/logger.js';
import type { WireQuestions } from '../protocol/input-required.js';
import type { CallToolResult } from '../protocol/tool-result.js';

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
  /** Text to store under the key if the key is not claimed yet. */
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

/** Numbers the runs of all processes in increasing order. */
export interface Sequence {
  /** Returns a number above all earlier ones. */
  next(): Promise<number>;
}

/** The remaining points of a caller, and the time until they are restored. */
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
    /** The name that the client reported. */
    readonly name: string;
    /** The version that the client reported. */
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
  /** Adds a session. */
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

/** The fields of a session that can change after it was opened. */
export type SessionChange = Partial<Omit<SessionRecord, 'id' | 'owner' | 'caller' | 'clientId' | 'context'>>;

/** Computes the changed fields of a session from its current state. */
export type DeriveSession = (session: SessionRecord) => SessionChange | Promise<SessionChange>;

/** Reports trouble between a process and the shared state, or its end. */
export interface SharedEvent {
  /**
   * - `down`: the shared state cannot be reached; `up`: it can be reached again.
   * - `degraded`: an operation was done in this process alone although it should have been shared.
   * - `refused`: an operation was rejected because it could not be shared.
   * - `invalid`: the shared state contains data that no process of this server wrote.
   * - `unsafe`: the settings of the shared state allow it to lose records.
   */
  readonly kind: 'down' | 'up' | 'degraded' | 'refused' | 'invalid' | 'unsafe';
  /** The affected area: `records`, `cache`, `rate limits`, `sessions`, `notifications`, `tasks`, `streams`. */
  readonly about?: string | undefined;
  /** The error, if there was one. */
  readonly error?: unknown;
}

/** State that several processes share: everything that a registry and its transports keep between calls. */
export interface Shared {
  /** Records of executed calls. Rejects while it cannot be reached, so that no call runs twice. */
  readonly records: Store;
  /** Data that can be loaded again. */
  readonly cache: Store;
  /** Numbers for `context.fencingToken`. */
  readonly sequence: Sequence;
  /** Claims of idempotency keys. The calls themselves are stored in `records`. */
  readonly claims: Claims;
  /** Stores the sessions that 2025 clients open. */
  readonly sessions: SessionStore;
  /** Carries notifications to other processes. */
  readonly bus: Bus;
  /** The state of tasks, no matter which process runs them. */
  readonly tasks: TaskStore;
  /** Events that were sent on the streams of sessions. */
  readonly events: EventLog;
  /** Creates a rate limiter that all processes share. */
  createRateLimiter(limit?: RateLimit): RateLimiter;
  /** The secret of all processes for state that clients carry between them. */
  readonly requestStateKey?: Uint8Array | undefined;
  /** The time in milliseconds, the same in all processes. */
  now(): number;
  /** Whether the shared state was reachable when it was last used. */
  readonly isUp: boolean;
  /** Why the shared state cannot work until an operator changes its configuration. `/readyz` answers 503 with this reason. */
  readonly fault?: Error | undefined;
  /** Number of events by kind and area. */
  readonly counts: ReadonlyMap<string, number>;
  /** Calls the listener with events for operators. Returns a function that removes it. */
  onEvent(listener: (event: SharedEvent) => void): () => void;
  /** Logs all events. */
  logTo(logger: Logger): void;
  /** Makes the tasks of this process available in all processes. */
  shareTasks(): SharedTaskDesk;
  /**
   * Connects the changes of all processes of a server: calls `hear` with changes elsewhere, and returns a function that
   * publishes changes from here.
   */
  shareChanges(server: string, hear: (change: RegistryChange) => void): (change: RegistryChange) => void;
  /** Closes the connections. Nothing is shared afterwards. */
  close(): Promise<void>;
}

/** A change of the list of tools, prompts or resources, or of one resource. */
export type RegistryChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/** Notifies other processes. Messages may be lost and are not repeated, so important data must be stored elsewhere too. */
export interface Bus {
  /** Sends JSON to the subscribers of a topic in other processes, in order. Never throws. */
  publish(topic: string, message: unknown): void;
  /** Receives messages of other processes as unvalidated JSON. Returns a function that unsubscribes. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void;
  /** Calls the listener when messages may have been lost. Returns a function that removes it. */
  onGap(listener: () => void): () => void;
}

/** The state of tasks as texts, which name the owner, and messages for the processes that run them. */
export interface TaskStore {
  /** The stored text of a task. */
  get(id: string): Promise<string | undefined>;
  /** Replaces the expected text, or none, atomically. Resolves to whether the expected text was there. */
  exchange(id: string, expected: string | undefined, text: string, ttlMs: number): Promise<boolean>;
  /** Leaves a JSON message for the process that runs a task. */
  send(id: string, message: unknown, ttlMs: number): Promise<void>;
  /** Removes and returns all messages in order, as unvalidated JSON. */
  take(id: string): Promise<readonly unknown[]>;
  /** Calls the listener with a test for the task id when another process left a message. Returns a function that removes it. */
  onMessage(listener: (isMeant: (id: string) => boolean) => void): () => void;
}

export interface LoggedEvent {
  readonly number: number;
  readonly json: string;
}

export interface LoggedEvents {
  /** The events after the requested number. */
  readonly events: readonly LoggedEvent[];
  /** The text passed to `begin`: the id of the request that the stream answers, as JSON, or `null`. */
  readonly about: string;
  /** Whether the log has ended. */
  readonly isOver: boolean;
  /** Whether the lease of the writing process is still valid. */
  readonly isAlive: boolean;
}

/**
 * Logs the events of streams, for clients that reconnect to another process. The log is bounded and writes may be lost, so
 * `read` reports missing events.
 */
export interface EventLog {
  /** Begins a log, or renews the lease of its writer. Like `append` and `end`, it never throws. */
  begin(stream: string, about: string, leaseMs: number): void;
  /** Events are numbered from 1. */
  append(stream: string, number: number, json: string): void;
  /** Marks the log as complete. */
  end(stream: string): void;
  /** Reads the events after a number; `undefined` if some of them are missing. */
  read(stream: string, after: number): Promise<LoggedEvents | undefined>;
  /** Calls the listener when another process wrote to a log that was read here. Returns a function that removes it. */
  onAppend(listener: (isMeant: (stream: string) => boolean) => void): () => void;
}

/** Returns the events after a number up to the last, or `undefined` if one is missing. */
export function eventsAfter(
  events: readonly LoggedEvent[],
  after: number,
  last: number,
): readonly LoggedEvent[] | undefined {
  const wanted = events.filter(({ number }) => number > after);
  const isWhole = after <= last && wanted.length === last - after;
  return isWhole && wanted.every(({ number }, index) => number === after + 1 + index) ? wanted : undefined;
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as its client sees it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly inputRequests?: WireQuestions;
  readonly result?: CallToolResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Answers the requests of clients about their tasks. */
export interface TaskDesk {
  /** The current state of a task of this owner. */
  get(owner: string, id: unknown): Task | Promise<Task>;
  /** Passes the client's answers to a waiting task. */
  update(owner: string, id: unknown, inputResponses: unknown): void | Promise<void>;
  /** Cancels a task. */
  cancel(owner: string, id: unknown): void | Promise<void>;
}

/** The part of a running task that is shared with other processes. */
export interface ShareableTask {
  readonly id: string;
  readonly owner: string;
  readonly status: TaskStatus;
  /** Called after every change of the task. */
  onChange: (() => void) | undefined;
  describe(): Task;
  answer(inputResponses: Readonly<Record<string, unknown>>): void;
  cancel(): void;
}

/** Answers requests about the tasks of all processes, whichever process gets the request. */
export interface SharedTaskDesk extends TaskDesk {
  /**
   * Makes a task known to the other processes. Resolves to `false` if that failed; the call must then not be answered with
   * a task, because another process could not find it.
   */
  begin(task: ShareableTask): Promise<boolean>;
}
