import { ErrToolFailed } from 'toolfold/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { UpstreamCall } from '../call.js';
import { isAnswer } from '../health/link-errors.js';
import { toQuestions } from '../questions/pass-questions.js';
import { pause } from '@toolfold/schema/internal';

type Fields = Readonly<Record<string, unknown>>;

export interface TaskPort {
  readonly name: string;
  readonly call: UpstreamCall;
  /** Sends a request about the task. Rejects with the error of the server, or when the signal aborts. */
  readonly request: (method: string, params: Fields, signal?: AbortSignal) => Promise<Fields>;
  /** Called with errors that do not end the call. */
  readonly onError: (error: unknown) => void;
}

/** Asks a 2025 server to keep a task this long. */
export const TASK_TTL_MS = 60 * 60_000;
const DEFAULT_POLL_MS = 1_000;
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 30_000;
const MAX_ID_LENGTH = 1_000;
const MAX_STATUS_LENGTH = 1_000;
const MAX_QUESTIONS = 100;

const running: ReadonlySet<unknown> = new Set(['working', 'submitted', 'input_required']);

/** Throws unless a server answered with a task that can be polled. */
export function assertTask(value: unknown, name: string): Fields {
  if (isTask(value)) return value;
  throw new ErrToolFailed(`The server "${name}" answered with a task that has no valid ID.`, {
    details: { upstream: name },
  });
}

function isTask(value: unknown): value is Fields & { readonly taskId: string } {
  if (!isJsonObject(value)) return false;
  const { taskId } = value;
  return typeof taskId === 'string' && taskId !== '' && taskId.length <= MAX_ID_LENGTH;
}

/**
 * Sends a request that is aborted some time after the call. Until then, a server that has started a task can answer with the ID that is
 * needed to cancel the task.
 */
export async function abortLater<T>(
  signal: AbortSignal,
  graceMs: number,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (graceMs === 0 || signal.aborted) return send(signal);
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const abort = (): void => {
    timer = setTimeout(() => controller.abort(signal.reason), graceMs);
    timer.unref();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await send(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Waits for the end of a task of a 2025 server, and returns its result. Its questions arrive while its result is requested. */
export async function awaitLegacyTask(port: TaskPort, started: Fields): Promise<unknown> {
  const { taskId } = started;
  const { call } = port;
  let payload: Promise<Fields> | undefined;
  const requestPayload = (): Promise<Fields> => {
    const requested = port.request('tasks/result', { taskId }, call.signal);
    // The outcome is read after the last poll.
    requested.catch(() => undefined);
    return requested;
  };
  const last = await poll(port, started, async (task) => {
    if (task['status'] === 'input_required') payload ??= requestPayload();
  });
  if (last['status'] === 'cancelled') throw cancelledBy(port.name);
  // A server may have answered the first request with an error, because the task was not over.
  const early = await payload?.catch(() => undefined);
  return early ?? requestPayload();
}

/** Waits for the end of a task of the 2026 extension, and returns its result. Polls return its questions. */
export async function awaitModernTask(port: TaskPort, started: Fields): Promise<unknown> {
  const { taskId } = started;
  const answered = new Set<string>();
  const last = await poll(port, started, async ({ status, inputRequests }) => {
    if (status !== 'input_required' || !isJsonObject(inputRequests)) return;
    const open = Object.entries(inputRequests).filter(([key]) => !answered.has(key));
    if (open.length === 0) return;
    if (answered.size + open.length > MAX_QUESTIONS)
      throw new ErrToolFailed(
        `A task of the server "${port.name}" asks more than ${MAX_QUESTIONS} questions.`,
        {
          details: { upstream: port.name },
        },
      );
    const inputResponses = await port.call.ask(toQuestions(Object.fromEntries(open)));
    for (const [key] of open) answered.add(key);
    await port.request('tasks/update', { taskId, inputResponses }, port.call.signal);
  });
  if (last['status'] === 'cancelled') throw cancelledBy(port.name);
  const { result, error } = last;
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    throw Object.assign(new Error(String(message)), { code: Number(code), data });
  }
  return result;
}

/** Polls a task until it is over, and cancels it on the server if the call ends earlier. */
async function poll(
  port: TaskPort,
  started: Fields,
  onRunning: (task: Fields) => Promise<void>,
): Promise<Fields> {
  const { taskId } = started;
  const { call } = port;
  const cancel = (): void => void port.request('tasks/cancel', { taskId }).catch(port.onError);
  call.taskId = String(taskId);
  call.signal.addEventListener('abort', cancel, { once: true });
  if (call.signal.aborted) cancel();
  let task = started;
  let seen: string | undefined;
  try {
    while (running.has(task['status'])) {
      const { status, statusMessage, lastUpdatedAt } = task;
      const state = JSON.stringify([status, statusMessage, lastUpdatedAt]);
      if (state !== seen) call.reportStatus(statusText(statusMessage, status));
      seen = state;
      await onRunning(task);
      await pause(intervalOf(task), call.signal);
      const { task: inner, ...answer } = await port.request('tasks/get', { taskId }, call.signal);
      task = isTask(inner) ? inner : answer;
    }
  } catch (error) {
    // The run on the server no longer has a caller. If the server answered with an error, the task has ended.
    if (!call.signal.aborted && !isAnswer(error)) cancel();
    throw error;
  } finally {
    call.signal.removeEventListener('abort', cancel);
  }
  const { status } = task;
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled')
    throw new ErrToolFailed(`The server "${port.name}" reports an unknown status of a task.`, {
      details: { upstream: port.name },
    });
  return task;
}

function statusText(message: unknown, status: unknown): string {
  return (typeof message === 'string' && message !== '' ? message : String(status)).slice(
    0,
    MAX_STATUS_LENGTH,
  );
}

function intervalOf({ pollInterval, pollIntervalMs }: Fields): number {
  const wanted = [pollIntervalMs, pollInterval].find((each) => typeof each === 'number' && each > 0);
  return Math.min(
    Math.max((wanted as number | undefined) ?? DEFAULT_POLL_MS, SHORTEST_POLL_MS),
    LONGEST_POLL_MS,
  );
}

function cancelledBy(name: string): ErrToolFailed {
  return new ErrToolFailed(`The server "${name}" cancelled the task.`, { details: { upstream: name } });
}
