import { INTERNAL_ERROR } from '../protocol/rpc-error.js';
import { missingCapabilities } from '../protocol/input-required.js';
import type { WireQuestions } from '../protocol/input-required.js';
import type { ReportProgress, TaskRule } from '../define/tool-definition.js';
import { ErrInputUnavailable, ErrOverloaded, ErrUnknownTask } from '@toolfold/schema/errors';
import type { ErrorReport } from '../engine/error-handler.js';
import { isProtocolError } from '../engine/call-errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { randomId } from '../runtime/random-id.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { AskClient } from '../questions/request-input.js';
import type { ShareableTask, SharedTaskDesk, Task, TaskDesk, TaskStatus } from '../stores/contracts.js';
import { TaskRoom } from './task-quota.js';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const TEN_MINUTES = 10 * 60_000;
const SECOND = 1_000;
/** Client capabilities that a task needs, to know which questions it can ask. */
const ASKABLE = { elicitation: ['form', 'url'], roots: [], sampling: ['tools'] };

/**
 * Calls that continue after their request was answered. The client polls them, and each task belongs to one caller. A task is
 * kept for the whole time that its client was promised, so a full server rejects new tasks and drops none.
 */
export class Tasks {
  readonly #tasks = new Map<string, RunningTask>();
  readonly #room = new TaskRoom();
  readonly #clock: () => number;
  #sweptAt = Number.NEGATIVE_INFINITY;
  readonly #shared: SharedTaskDesk | undefined;

  /** With `shared`, clients can poll the tasks in every process that uses the same state. */
  constructor(clock: () => number = Date.now, shared?: SharedTaskDesk) {
    this.#clock = clock;
    this.#shared = shared;
  }

  get size(): number {
    return this.#tasks.size;
  }

  hasRoomFor(payer: string): boolean {
    // At most one sweep a second, because a sweep visits every task and rejections must be cheap.
    if (this.#clock() >= this.#sweptAt + SECOND) this.#sweep();
    return this.#room.hasRoomFor(payer);
  }

  /** Only the owner can poll the task. Its place counts against the payer, whose key has no session context. */
  create(
    owner: string,
    rule: TaskRule,
    capabilities: Readonly<Record<string, unknown>> | undefined,
    payer = owner,
  ): RunningTask {
    if (!this.hasRoomFor(payer)) throw tooMany(this.#room.hasRoom);
    const onFinish = ({ bytes }: RunningTask): void => this.#room.add(payer, { bytes });
    const task = new RunningTask({ owner, payer }, rule, capabilities, this.#clock, onFinish);
    this.#room.add(payer, { places: 1 });
    this.#tasks.set(task.id, task);
    return task;
  }

  /** Writes a task to the shared state. If that fails, the task is removed and the result is false. */
  async share(task: RunningTask): Promise<boolean> {
    if (!this.#shared || (await this.#shared.begin(task))) return true;
    this.#remove(task);
    return false;
  }

  /** Answers polls, with shared state also for the tasks of other processes. */
  get desk(): TaskDesk {
    return this.#shared ?? this;
  }

  get(owner: string, id: unknown): Task {
    return this.#find(owner, id).describe();
  }

  update(owner: string, id: unknown, inputResponses: unknown): void {
    this.#find(owner, id).answer(isJsonObject(inputResponses) ? inputResponses : {});
  }

  cancel(owner: string, id: unknown): void {
    this.#find(owner, id).cancel();
  }

  /** Finds a task of an owner. Tasks of other owners are reported as unknown. */
  #find(owner: string, id: unknown): RunningTask {
    const task = typeof id === 'string' ? this.#tasks.get(id) : undefined;
    if (task?.owner === owner && !task.hasExpired) return task;
    throw new ErrUnknownTask('There is no such task, or its time is over.');
  }

  #sweep(): void {
    this.#sweptAt = this.#clock();
    for (const task of this.#tasks.values()) {
      if (!task.hasExpired) continue;
      this.#remove(task);
      // The handler may still wait for answers of a client that has gone.
      task.cancel();
    }
  }

  #remove(task: RunningTask): void {
    if (this.#tasks.delete(task.id)) this.#room.add(task.payer, { places: -1, bytes: -task.bytes });
  }
}

/** A task is kept while it runs, and afterwards until its `ttlMs` has passed. */
export class RunningTask implements ShareableTask {
  /** Unguessable, because only the task id distinguishes anonymous callers. */
  readonly id = randomId();
  readonly owner: string;
  readonly payer: string;
  readonly #rule: TaskRule;
  readonly #capabilities: Readonly<Record<string, unknown>> | undefined;
  readonly #clock: () => number;
  readonly #onFinish: (task: RunningTask) => void;
  onChange: (() => void) | undefined;
  #controller = new AbortController();
  readonly #createdAt: number;
  #updatedAt: number;
  status: TaskStatus = 'working';
  #statusMessage: string | undefined;
  #outcome: Pick<Task, 'result' | 'error'> = {};
  /** Length of the JSON of the outcome. */
  bytes = 0;
  /** Open questions, by the key under which the client sees them. */
  readonly #pending = new Map<
    string,
    {
      readonly question: WireQuestions[string];
      readonly resolve: (answer: unknown) => void;
      readonly reject: (reason: ErrInputUnavailable) => void;
    }
  >();
  readonly #usedKeys = new Set<string>();

  constructor(
    { owner, payer }: { readonly owner: string; readonly payer: string },
    rule: TaskRule,
    capabilities: Readonly<Record<string, unknown>> | undefined,
    clock: () => number,
    onFinish: (task: RunningTask) => void,
  ) {
    this.owner = owner;
    this.payer = payer;
    this.#rule = rule;
    this.#capabilities = capabilities && pickAskable(capabilities);
    this.#clock = clock;
    this.#onFinish = onFinish;
    this.#createdAt = this.#updatedAt = clock();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.status !== 'working' && this.status !== 'input_required';
  }

  /**
   * A running task does not expire, because `timeoutMs` of its action limits it. A task that waits for its client does,
   * because the client may never come back.
   */
  get hasExpired(): boolean {
    return this.status !== 'working' && this.#clock() >= this.#updatedAt + this.#ttlMs;
  }

  get #ttlMs(): number {
    return this.#rule.ttlMs ?? TEN_MINUTES;
  }

  readonly progress: ReportProgress = async (progress, total, message) => {
    if (this.isOver) return;
    this.#statusMessage = message ?? (total === undefined ? String(progress) : `${progress}/${total}`);
    this.#updatedAt = this.#clock();
    this.onChange?.();
  };

  /** Asks the client and waits for all answers, which may arrive one by one. */
  readonly ask: AskClient = async (questions) => {
    const missing = missingCapabilities(questions, this.#capabilities ?? {});
    if (missing) {
      throw new ErrInputUnavailable(
        `The client cannot be asked: it has no ${Object.keys(missing).join(', ')}.`,
      );
    }
    if (this.isOver) throw tooLate();
    const answers = Object.entries(questions).map(async ([key, question]) => {
      const answer = await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(this.#mint(key), { question, resolve, reject });
      });
      return [key, answer] as const;
    });
    if (answers.length > 0) this.#change('input_required');
    return Object.fromEntries(await Promise.all(answers));
  };

  answer(inputResponses: Readonly<Record<string, unknown>>): void {
    for (const [key, answer] of Object.entries(inputResponses)) {
      const pending = this.#pending.get(key);
      if (!pending || !isJsonObject(answer)) continue;
      this.#pending.delete(key);
      pending.resolve(answer);
      this.#updatedAt = this.#clock();
      this.onChange?.();
    }
    if (this.status === 'input_required' && this.#pending.size === 0) this.#change('working');
  }

  cancel(): void {
    if (this.isOver) return;
    this.#change('cancelled');
    this.#controller.abort();
  }

  /** Stores the result. It is ignored if the task has ended or was cancelled. */
  finish(result: CallToolResult): void {
    if (this.isOver) return;
    const outcome = outcomeOf(result);
    const bytes = measure(outcome);
    this.#outcome = bytes === undefined ? { error: noJson } : outcome;
    this.bytes = bytes ?? 0;
    this.#change(this.#outcome.error ? 'failed' : 'completed');
    // Release the listeners of the old signal, because they may hold the whole request.
    this.#controller = new AbortController();
    this.#onFinish(this);
  }

  /** The answer to the call: the task without its outcome and its questions, which the client polls for. */
  announce(): Task {
    const { result: _, error: __, inputRequests: ___, ...task } = this.describe();
    return task;
  }

  describe(): Task {
    const questions = [...this.#pending].map(([key, { question }]) => [key, question]);
    return {
      taskId: this.id,
      status: this.status,
      ...(this.#statusMessage === undefined ? {} : { statusMessage: this.#statusMessage }),
      createdAt: new Date(this.#createdAt).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
      ttlMs: this.#ttlMs,
      pollIntervalMs: this.#rule.pollIntervalMs ?? SECOND,
      ...(this.status === 'input_required'
        ? { inputRequests: Object.fromEntries(questions) as WireQuestions }
        : {}),
      ...this.#outcome,
    };
  }

  /** A key that this task has not used before, because each key means one question for the lifetime of the task. */
  #mint(key: string): string {
    let minted = key;
    for (let count = 2; this.#usedKeys.has(minted); count++) minted = `${key}-${count}`;
    this.#usedKeys.add(minted);
    return minted;
  }

  #change(status: TaskStatus): void {
    this.status = status;
    this.#updatedAt = this.#clock();
    this.onChange?.();
    if (!this.isOver) return;
    for (const { reject } of this.#pending.values()) reject(tooLate());
    this.#pending.clear();
  }
}

function tooLate(): ErrInputUnavailable {
  return new ErrInputUnavailable('The task ended before the client answered.');
}

function tooMany(hasRoom: boolean): ErrOverloaded {
  return new ErrOverloaded(`Too many tasks ${hasRoom ? 'of this caller ' : ''}are kept at the moment.`, {
    hint: 'Try again in a minute.',
  });
}

function outcomeOf(result: CallToolResult): Pick<Task, 'result' | 'error'> {
  const report = result._meta?.['toolfold/error'] as ErrorReport | undefined;
  if (!report || !isProtocolError(result)) return { result };
  const { rpcCode, data } = report.details;
  const error = { code: typeof rpcCode === 'number' ? rpcCode : INTERNAL_ERROR, message: report.message };
  return { error: data === undefined ? error : { ...error, data } };
}

const noJson = { code: INTERNAL_ERROR, message: 'The result cannot be sent: it is not JSON.' };

/** The length of the JSON of an outcome, or `undefined` if it cannot be written as JSON. */
function measure(outcome: object): number | undefined {
  try {
    return JSON.stringify(outcome).length;
  } catch {
    return undefined;
  }
}

/** Copies the few capabilities that a task needs, because a client may declare many and a task is kept for long. */
function pickAskable(capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, parts] of Object.entries(ASKABLE)) {
    const declared = capabilities[name];
    if (typeof declared !== 'object' || declared === null) continue;
    picked[name] = Object.fromEntries(parts.filter((part) => part in declared).map((part) => [part, {}]));
  }
  return picked;
}
