import type { Logger } from '../values/logger.js';
import type { RateLimit, RateLimiter } from './rate-limiter.js';
import type { SessionStore } from './session-store.js';
import type { Claims, Sequence } from './claims.js';
import type { Store } from './store.js';
import type { SharedTaskDesk } from './task.js';

/** What goes on between a process and the state that it shares. */
export interface SharedEvent {
  /**
   * - `down`: it cannot be reached; `up`: it can be again.
   * - `degraded`: something was done here alone that should have been shared.
   * - `refused`: something was not done because it could not be shared.
   * - `invalid`: something was found that nobody of us has written.
   * - `unsafe`: its settings allow what was done to be forgotten.
   */
  readonly kind: 'down' | 'up' | 'degraded' | 'refused' | 'invalid' | 'unsafe';
  /** What it was about: `records`, `cache`, `rate limits`, `sessions`, `notifications`, `tasks`, `streams`. */
  readonly about?: string | undefined;
  /** What went wrong. */
  readonly error?: unknown;
}

/** State that several processes share: all that a registry, and whatever serves it, keeps from call to call. */
export interface Shared {
  /** What was done. It rejects where it cannot be asked, so that nothing is done twice. */
  readonly records: Store;
  /** What can be loaded again. */
  readonly cache: Store;
  /** Numbers for `context.fencingToken`. */
  readonly sequence: Sequence;
  /** Who runs which call with a key: such a call is written down in `records`. */
  readonly claims: Claims;
  /** The sessions of 2025 clients. */
  readonly sessions: SessionStore;
  /** Tells other processes what has happened in one. */
  readonly bus: Bus;
  /** What is known of tasks, whichever process runs them. */
  readonly tasks: TaskStore;
  /** What was sent on streams of sessions. */
  readonly events: EventLog;
  /** A limit that all processes have together. */
  createRateLimiter(limit?: RateLimit): RateLimiter;
  /** A secret that all processes have, for what clients carry from one to another. */
  readonly requestStateKey?: Uint8Array | undefined;
  /** The time in milliseconds, the same in all processes. */
  now(): number;
  /** Whether it can be reached, as far as is known. */
  readonly isUp: boolean;
  /** How often each kind of event happened, by kind and what it was about. */
  readonly counts: ReadonlyMap<string, number>;
  /** Calls back with what operators should know. The result stops that. */
  onEvent(listener: (event: SharedEvent) => void): () => void;
  /** Writes down what goes on. */
  logTo(logger: Logger): void;
  /** Makes the tasks of one process known in all. */
  shareTasks(): SharedTaskDesk;
  /** Tells other processes of a server what changes here, by what it gives, and here what changes there. */
  shareChanges(server: string, hear: (change: RegistryChange) => void): (change: RegistryChange) => void;
  /** Ends the connections. Nothing is shared from then on. */
  close(): Promise<void>;
}

/** What changed: the list of tools, prompts or resources, or one resource. */
export type RegistryChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/**
 * Tells the other processes what happened here. What is sent may be lost while they cannot be reached, and is not
 * repeated: nothing that must not be lost belongs here.
 */
export interface Bus {
  /** Sends JSON to whoever listens to the topic in another process, in order. Never throws. */
  publish(topic: string, message: unknown): void;
  /** Hears what others send, as JSON that nobody has checked. The result stops that. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void;
  /** Calls back when messages may have been missed. */
  onGap(listener: () => void): () => void;
}

/** What is known of tasks, and messages for the processes that run them. Whose a task is, the texts say. */
export interface TaskStore {
  /** What is known of a task. */
  get(id: string): Promise<string | undefined>;
  /** Puts a text in the place of another, or of none, in one step. Resolves to whether the other one was there. */
  exchange(id: string, expected: string | undefined, text: string, ttlMs: number): Promise<boolean>;
  /** Leaves a message, as JSON, for whoever runs a task. */
  send(id: string, message: unknown, ttlMs: number): Promise<void>;
  /** Takes all messages, in their order. They are JSON that nobody has checked. */
  take(id: string): Promise<readonly unknown[]>;
  /** Calls back when another process has left a message, with a test for the id. The result stops that. */
  onMessage(listener: (isMeant: (id: string) => boolean) => void): () => void;
}

export interface LoggedEvent {
  readonly number: number;
  readonly json: string;
}

export interface LoggedEvents {
  /** All that came after the number that was asked for. */
  readonly events: readonly LoggedEvent[];
  /** What was said when the log was begun. */
  readonly about: string;
  /** Whether nothing more comes. */
  readonly isOver: boolean;
  /** Whether the process that writes it is alive, as far as is known. */
  readonly isAlive: boolean;
}

/**
 * What was sent on streams, for clients that come back to another process. It is bounded, and what is written may be
 * lost: whoever reads is told where something is missing.
 */
export interface EventLog {
  /** Begins a log, or says again that whoever writes it is alive. Never throws, as the next two. */
  begin(stream: string, about: string, leaseMs: number): void;
  /** Events are numbered from 1. */
  append(stream: string, number: number, json: string): void;
  /** Says that nothing more will come. */
  end(stream: string): void;
  /** What came after a number; `undefined` where not all of it is there. */
  read(stream: string, after: number): Promise<LoggedEvents | undefined>;
  /** Calls back when another process has written to a log that was read here. The result stops that. */
  onAppend(listener: (isMeant: (stream: string) => boolean) => void): () => void;
}

/** The events after a number, where none is missing. */
export function eventsAfter(
  events: readonly LoggedEvent[],
  after: number,
  last: number,
): readonly LoggedEvent[] | undefined {
  const wanted = events.filter(({ number }) => number > after);
  const isWhole = after <= last && wanted.length === last - after;
  return isWhole && wanted.every(({ number }, index) => number === after + 1 + index) ? wanted : undefined;
}
