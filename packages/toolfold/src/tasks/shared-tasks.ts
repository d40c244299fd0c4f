import { INTERNAL_ERROR } from '../protocol/rpc-error.js';
import { ErrUnknownTask } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { Shared, ShareableTask, SharedTaskDesk, Task } from '../stores/contracts.js';
import { digest } from '../values/digest.js';
import { parseJson } from '../values/parse-json.js';
import { startInterval } from '../runtime/timers.js';

/** A process that does not renew its tasks for this long counts as dead. */
const LEASE_MS = 15_000;
/** Minimum time between two writes of progress to the store. */
const PROGRESS_MS = 1_000;
const MAX_TRIES = 20;

interface Mirror {
  readonly task: ShareableTask;
  text?: string;
  wroteAt: number;
  status?: Task['status'];
  isDirty: boolean;
  writing?: Promise<void> | undefined;
}

/**
 * Tasks in a store that all processes read. One process runs each task: it writes the state of the task to the store, and
 * receives the client's answers and cancellations as messages from the other processes. If the running process dies, the
 * first process that notices it marks the task as failed.
 */
export class SharedTasks implements SharedTaskDesk {
  readonly #shared: Pick<Shared, 'tasks' | 'now'>;
  readonly #leaseMs: number;
  readonly #mirrors = new Map<string, Mirror>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isListening = false;

  constructor(
    shared: Pick<Shared, 'tasks' | 'now'>,
    { leaseMs = LEASE_MS }: { readonly leaseMs?: number } = {},
  ) {
    this.#shared = shared;
    this.#leaseMs = leaseMs;
  }

  /** Writes a task to the store. Resolves to false if that fails, and the client must then not be given a task. */
  async begin(task: ShareableTask): Promise<boolean> {
    this.#listen();
    const mirror: Mirror = { task, wroteAt: 0, isDirty: false };
    task.onChange = () => this.#changed(mirror);
    this.#mirrors.set(task.id, mirror);
    this.#timer ??= startInterval(() => this.#renew(), this.#leaseMs / 3);
    await this.#write(mirror);
    if (mirror.text !== undefined) return true;
    this.#drop(mirror);
    return false;
  }

  async get(owner: string, id: unknown): Promise<Task> {
    const { stored } = await this.#find(owner, id);
    return { ...stored.task, taskId: id as string };
  }

  async update(owner: string, id: unknown, given: unknown): Promise<void> {
    const inputResponses = isJsonObject(given) ? given : {};
    const { stored } = await this.#find(owner, id);
    const mirror = this.#mirrors.get(id as string);
    if (mirror) {
      mirror.task.answer(inputResponses);
      await this.#write(mirror);
    } else if (!isOver(stored.task))
      await this.#shared.tasks.send(
        id as string,
        { kind: 'answer', inputResponses },
        this.#keepMs(stored.task),
      );
  }

  async cancel(owner: string, id: unknown): Promise<void> {
    const mirror = this.#mirrors.get(id as string);
    const { stored, text } = await this.#find(owner, id);
    if (mirror) {
      mirror.task.cancel();
      await this.#write(mirror);
    } else if (!isOver(stored.task)) {
      await this.#shared.tasks.send(id as string, { kind: 'cancel' }, this.#keepMs(stored.task));
      await this.#end(owner, id as string, text, { status: 'cancelled' });
    }
  }

  /** Finds a task of an owner. Tasks of other owners are reported as unknown. If the running process has died, the task fails. */
  async #find(owner: string, id: unknown): Promise<{ stored: StoredTask; text: string }> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const text = typeof id === 'string' ? await this.#shared.tasks.get(id) : undefined;
      const stored = text === undefined ? undefined : readTask(text);
      if (text === undefined || stored?.owner !== ownerDigest(owner)) break;
      if (isOver(stored.task) || stored.aliveUntil >= this.#shared.now()) return { stored, text };
      await this.#end(owner, id as string, text, { status: 'failed', error: died });
    }
    throw new ErrUnknownTask('There is no such task, or its time is over.');
  }

  /** Ends a task on behalf of the process that runs it, unless the task has changed meanwhile. */
  async #end(owner: string, id: string, text: string, end: Pick<Task, 'status' | 'error'>): Promise<void> {
    const stored = readTask(text);
    if (!stored || stored.owner !== ownerDigest(owner)) return;
    const lastUpdatedAt = new Date(this.#shared.now()).toISOString();
    // A task that has ended has no open questions.
    const { inputRequests: _, ...task } = stored.task;
    const ended = JSON.stringify({ ...stored, task: { ...task, ...end, lastUpdatedAt } });
    const isEnded = await this.#shared.tasks.exchange(id, text, ended, this.#keepMs(stored.task));
    if (isEnded || end.status !== 'cancelled') return;
    // The task has changed meanwhile, but a cancelled task must still end.
    const next = await this.#shared.tasks.get(id);
    const found = next === undefined ? undefined : readTask(next);
    if (next !== undefined && found && !isOver(found.task)) await this.#end(owner, id, next, end);
  }

  #changed(mirror: Mirror): void {
    const isSame = mirror.status === mirror.task.status;
    if (isSame && performance.now() - mirror.wroteAt < PROGRESS_MS) mirror.isDirty = true;
    else void this.#write(mirror);
  }

  /** Writes the state of a task to the store. Resolves also if that failed; the next renewal then writes it again. */
  #write(mirror: Mirror): Promise<void> {
    mirror.isDirty = true;
    return (mirror.writing ??= this.#writeAll(mirror));
  }

  async #writeAll(mirror: Mirror): Promise<void> {
    try {
      // Changes in the same tick are written together.
      await undefined;
      while (mirror.isDirty) {
        mirror.isDirty = false;
        await this.#writeOnce(mirror);
      }
    } catch {
      // The shared state has already reported the error to its listener.
      mirror.isDirty = true;
    } finally {
      mirror.writing = undefined;
    }
  }

  async #writeOnce(mirror: Mirror): Promise<void> {
    const { task } = mirror;
    const { tasks } = this.#shared;
    const described = task.describe();
    const stored: StoredTask = {
      owner: ownerDigest(task.owner),
      aliveUntil: Math.floor(this.#shared.now() + this.#leaseMs),
      task: { ...described, taskId: undefined },
    };
    const text = JSON.stringify(stored);
    const keepMs = this.#keepMs(described);
    if (!(await tasks.exchange(task.id, mirror.text, text, keepMs))) {
      const found = await tasks.get(task.id);
      // The store may have lost the task, or may have stored a write of ours whose confirmation was lost. Other
      // processes only end tasks, so a task that has not ended is ours.
      const other = found === undefined ? undefined : readTask(found);
      const isOurs = found === undefined || (other !== undefined && !isOver(other.task));
      if (!isOurs || !(await tasks.exchange(task.id, found, text, keepMs))) {
        // Another process has ended the task, and its outcome counts.
        this.#drop(mirror);
        task.cancel();
        return;
      }
    }
    mirror.text = text;
    mirror.wroteAt = performance.now();
    mirror.status = described.status;
    if (isOver(described)) this.#drop(mirror);
  }

  #drop({ task }: Mirror): void {
    task.onChange = undefined;
    this.#mirrors.delete(task.id);
    if (this.#mirrors.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Renews the leases of this process, and reads messages whose notification was lost. */
  #renew(): void {
    for (const mirror of this.#mirrors.values()) {
      void this.#write(mirror);
      void this.#take(mirror);
    }
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#shared.tasks.onMessage((isMeant) => {
      for (const [id, mirror] of this.#mirrors) if (isMeant(id)) void this.#take(mirror);
    });
  }

  async #take(mirror: Mirror): Promise<void> {
    let messages: readonly unknown[];
    try {
      messages = await this.#shared.tasks.take(mirror.task.id);
    } catch {
      // The messages stay in the store until the next renewal reads them.
      return;
    }
    for (const message of messages) {
      if (!isJsonObject(message)) continue;
      if (message['kind'] === 'cancel') mirror.task.cancel();
      else if (isJsonObject(message['inputResponses'])) mirror.task.answer(message['inputResponses']);
    }
  }

  #keepMs({ ttlMs }: Pick<Task, 'ttlMs'>): number {
    return Math.max(ttlMs, 1) + 2 * this.#leaseMs;
  }
}

const died = {
  code: INTERNAL_ERROR,
  message: 'The process that ran the task has ended, and its outcome is not known.',
};

interface StoredTask {
  readonly owner: string;
  /** Time until which the process that runs the task counts as alive. The process renews it. */
  readonly aliveUntil: number;
  /** The task without its ID, because anonymous callers prove with the ID alone that a task is theirs. */
  readonly task: Omit<Task, 'taskId'> & { readonly taskId?: undefined };
}

const statuses: ReadonlySet<unknown> = new Set([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
]);
const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isObjectOrNone = (value: unknown): boolean => value === undefined || isJsonObject(value);

/** Checks for each field, because other programs may write to the store. */
const fields: Readonly<Record<Exclude<keyof Task, 'taskId'>, (value: unknown) => boolean>> = {
  status: (value) => statuses.has(value),
  statusMessage: isTextOrNone,
  createdAt: (value) => typeof value === 'string',
  lastUpdatedAt: (value) => typeof value === 'string',
  ttlMs: (value) => Number.isFinite(value),
  pollIntervalMs: (value) => Number.isFinite(value),
  inputRequests: isObjectOrNone,
  result: (value) => value === undefined || (isJsonObject(value) && Array.isArray(value['content'])),
  error: (value) =>
    value === undefined ||
    (isJsonObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string'),
};

export function ownerDigest(owner: string): string {
  return digest(JSON.stringify(owner));
}

function readTask(text: string): StoredTask | undefined {
  const stored = parseJson(text);
  if (!isJsonObject(stored) || !isJsonObject(stored['task'])) return undefined;
  const { owner, aliveUntil, task } = stored;
  const isWhole =
    typeof owner === 'string' &&
    Number.isFinite(aliveUntil) &&
    Object.keys(task).every((name) => Object.hasOwn(fields, name)) &&
    Object.entries(fields).every(([name, isRight]) => isRight(task[name]));
  return isWhole ? (stored as unknown as StoredTask) : undefined;
}

function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required';
}
