import type { WireQuestion } from 'toolfold';
import type { Task } from 'toolfold/internal';
import type { ScriptedAnswers } from './answers.js';

/** Sends a request of the tasks extension. Rejects with the error of the server. */
export type SendTaskRequest = (
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

/** The state of a task as `tasks/get` returns it, without its result. */
export interface TaskState {
  /** Identifies the task in requests of the tasks extension. */
  readonly taskId: string;
  /** A task that is not working and does not wait for input has ended. */
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** The message of the handler's last progress report. */
  readonly statusMessage?: string;
  /** When the task began, as an ISO date. */
  readonly createdAt: string;
  /** When the task last changed, as an ISO date. */
  readonly lastUpdatedAt: string;
  /** Milliseconds after the last change for which the task can be read. */
  readonly ttlMs: number;
  /** Milliseconds that clients should leave between two polls. */
  readonly pollIntervalMs: number;
}

/** Polls often, because the server is in the same process. `pollIntervalMs` is meant for distant clients. */
const POLL_MS = 2;

export class TestTask {
  readonly id: string;
  readonly #send: SendTaskRequest;
  readonly #answers: ScriptedAnswers;
  #cancelled: Promise<unknown> | undefined;

  constructor(announced: Readonly<Record<string, unknown>>, send: SendTaskRequest, answers: ScriptedAnswers) {
    this.id = String(announced['taskId']);
    this.#send = send;
    this.#answers = answers;
  }

  /** Sends one `tasks/get` request. */
  async get(): Promise<TaskState> {
    const { result: _, error: __, inputRequests: ___, ...state } = await this.poll();
    return state;
  }

  /** Cancels the task. Resolves when the server has aborted the signal of its handler. */
  async cancel(): Promise<void> {
    await (this.#cancelled ??= this.#send('tasks/cancel', { taskId: this.id }));
  }

  /** Polls until the task has ended, answers its questions, and returns the JSON-RPC response to its call. */
  async outcome(): Promise<{ readonly result: object } | { readonly error: object }> {
    for (;;) {
      const { status, inputRequests = {}, result, error } = await this.poll();
      if (status === 'completed') return { result: { ...(result as object), resultType: 'complete' } };
      if (status === 'failed') return { error: error ?? { code: -32_603, message: 'The task failed.' } };
      if (status === 'cancelled') return { error: { code: -32_800, message: 'The task was cancelled.' } };
      const questions = Object.entries(inputRequests);
      if (questions.length > 0) await this.#answer(questions);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** @internal The task with its questions and its outcome. */
  async poll(): Promise<Task> {
    return (await this.#send('tasks/get', { taskId: this.id })) as unknown as Task;
  }

  async #answer(questions: readonly (readonly [string, WireQuestion])[]): Promise<void> {
    const inputResponses: Record<string, unknown> = {};
    try {
      for (const [key, question] of questions) inputResponses[key] = await this.#answers.answer(question);
    } catch (error) {
      // The question has no answer, so the call is cancelled: otherwise its handler would wait forever.
      await this.cancel();
      throw error;
    }
    await this.#send('tasks/update', { taskId: this.id, inputResponses });
  }
}
