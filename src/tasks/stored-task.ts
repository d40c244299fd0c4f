import { digest } from '../values/digest.js';
import { isJsonObject } from '../values/json-value.js';
import type { Task } from '../stores/task.js';

/** A task as other processes see it. */
export interface StoredTask {
  /** A digest of whose it is. */
  readonly owner: string;
  /** Until when the process that runs the task counts as alive. The process renews it. */
  readonly aliveUntil: number;
  /** Without its id, which is all that some callers have to show. */
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

/** What each field must be: a store may be written to by others. */
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

export function writeTask(task: Task, owner: string, aliveUntil: number): string {
  const stored: StoredTask = {
    owner: ownerDigest(owner),
    aliveUntil,
    task: { ...task, taskId: undefined },
  };
  return JSON.stringify(stored);
}

export function readTask(text: string): StoredTask | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(stored) || !isJsonObject(stored['task'])) return undefined;
  const { owner, aliveUntil, task } = stored;
  const isWhole =
    typeof owner === 'string' &&
    Number.isFinite(aliveUntil) &&
    Object.keys(task).every((name) => Object.hasOwn(fields, name)) &&
    Object.entries(fields).every(([name, isRight]) => isRight(task[name]));
  return isWhole ? (stored as unknown as StoredTask) : undefined;
}

export function isOver({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required';
}

/** The same task as one that has ended without a result. */
export function endTask(
  { owner, aliveUntil, task }: StoredTask,
  end: Pick<Task, 'status' | 'error' | 'lastUpdatedAt'>,
): StoredTask {
  const { inputRequests: _, ...rest } = task;
  return { owner, aliveUntil, task: { ...rest, ...end } };
}
