import type { Logger } from '../values/logger.js';
import type { RateLimit, RateLimiter, Claims, Sequence, Store, SessionStore } from './contracts.js';
import type { WireQuestions } from '../protocol/input-required.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/** A change in the connection between a process and the shared state. */
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
  /** Notifies other processes. */
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
  /** The text that `begin` was called with. */
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

/** A running task, as far as shared state needs to know it. */
export interface ShareableTask {
  readonly id: string;
  readonly owner: string;
  readonly status: TaskStatus;
  /** Called after every change of the task. */
  onChange: (() => void) | undefined;
  describe(): Task;
  /** Passes the client's answers on. */
  answer(inputResponses: Readonly<Record<string, unknown>>): void;
  cancel(): void;
}

/** A task desk for the tasks of all processes. */
export interface SharedTaskDesk extends TaskDesk {
  /**
   * Makes a task known to the other processes. Resolves to `false` if that failed; the call must then not be answered with
   * a task, because another process could not find it.
   */
  begin(task: ShareableTask): Promise<boolean>;
}
