import { pause } from '@toolfold/schema/internal';
import { isRecord } from '../sections/try/form/json.js';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a connection that following a task needs. */
export interface TaskPort {
  readonly request: (method: string, params: Fields, signal?: AbortSignal) => Promise<Fields>;
  /** Shows the questions of a 2026 task to the developer. */
  readonly ask: (questions: Fields) => Promise<Fields>;
  readonly onStatus: (task: Fields) => void;
  readonly signal: AbortSignal;
}

const DEFAULT_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 5_000;

/** Thrown with the error of a failed task. */
class TaskError extends Error {
  readonly code: number | undefined;
  readonly data: unknown;

  constructor(message: string, { code, data }: { code?: number | undefined; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Follows a task to its end and returns its result. Cancels the task when the signal aborts. */
export async function followTask(port: TaskPort, started: Fields, isModern: boolean): Promise<Fields> {
  const { taskId } = started;
  // The task may already be gone, so ignore errors.
  const cancel = (): void => void port.request('tasks/cancel', { taskId }).catch(() => undefined);
  port.signal.addEventListener('abort', cancel, { once: true });
  try {
    const last = await poll(port, started, isModern);
    if (last['status'] === 'cancelled') throw new TaskError('The server cancelled the task.');
    if (!isModern) return await port.request('tasks/result', { taskId }, port.signal);
    const { result, error } = last;
    if (isRecord(error))
      throw new TaskError(String(error['message'] ?? 'The task failed.'), {
        code: typeof error['code'] === 'number' ? error['code'] : undefined,
        data: error['data'],
      });
    if (isRecord(result)) return result;
    throw new TaskError(String(last['statusMessage'] ?? 'The task failed.'));
  } finally {
    port.signal.removeEventListener('abort', cancel);
  }
}

async function poll(port: TaskPort, started: Fields, isModern: boolean): Promise<Fields> {
  const { taskId } = started;
  const answered = new Set<string>();
  let task = started;
  let payload: Promise<unknown> | undefined;
  while (isRunning(task)) {
    port.onStatus(task);
    if (task['status'] === 'input_required') {
      // A 2025 task asks its questions while its result is requested.
      if (!isModern) payload ??= port.request('tasks/result', { taskId }, port.signal).catch(() => undefined);
      else await answer(port, task, answered);
    }
    await pause(intervalOf(task), port.signal);
    const { task: inner, ...answerFields } = await port.request('tasks/get', { taskId }, port.signal);
    task = isRecord(inner) ? inner : answerFields;
  }
  port.onStatus(task);
  return task;
}

async function answer(
  port: TaskPort,
  { taskId, inputRequests }: Fields,
  answered: Set<string>,
): Promise<void> {
  const open = Object.entries(isRecord(inputRequests) ? inputRequests : {}).filter(
    ([key]) => !answered.has(key),
  );
  if (open.length === 0) return;
  const inputResponses = await port.ask(Object.fromEntries(open));
  for (const [key] of open) answered.add(key);
  await port.request('tasks/update', { taskId, inputResponses }, port.signal);
}

function isRunning({ status }: Fields): boolean {
  return status === 'working' || status === 'submitted' || status === 'input_required';
}

function intervalOf({ pollInterval, pollIntervalMs }: Fields): number {
  const wanted = [pollIntervalMs, pollInterval].find((each): each is number => typeof each === 'number');
  return Math.min(Math.max(wanted ?? DEFAULT_POLL_MS, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}
