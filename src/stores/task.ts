import type { WireQuestions } from '../protocol/input-required.js';
import type { CallToolResult } from '../protocol/tool-result.js';

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
