import type { Logger } from '../values/logger.js';
import type { RateLimit, RateLimiter } from './rate-limiter.js';
import type { SharedTaskDesk } from '../tasks/tasks.js';
import type { SessionStore } from './session-store.js';
import type { Bus } from './bus.js';
import type { Claims } from './claims.js';
import type { EventLog } from './event-log.js';
import type { Sequence } from './sequence.js';
import type { Store } from './store.js';
import type { TaskStore } from './task-store.js';

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
