import { ErrCancelled } from '@toolfold/schema/errors';
import { pause } from '@toolfold/schema/internal';

export interface RetryOptions {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  /** Maximum pause in milliseconds before the second attempt. It doubles for each later attempt. */
  readonly delayMs: number;
  /** Maximum of all pauses in milliseconds. */
  readonly maxDelayMs: number;
  readonly signal?: AbortSignal | undefined;
  /** A random number from 0 to below 1. */
  readonly random?: () => number;
  /** Waits. Rejects at once when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * Retries `work` after transient errors. The maximum pause doubles, and each pause is a random part of it, so that
 * callers that failed together do not retry together. If the error says when to retry, the pause is at least that long;
 * if that is longer than `maxDelayMs`, the error is thrown. `work` gets the number of the attempt, from 1.
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const {
    attempts,
    delayMs,
    maxDelayMs,
    signal,
    random = Math.random,
    sleep = pauseUnlessCancelled,
  } = options;
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw new ErrCancelled(undefined, { cause: signal.reason });
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !isTransient(error)) throw error;
      const told = retryAfterOf(error) ?? 0;
      if (told > maxDelayMs) throw error;
      const backOff = random() * Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1));
      await sleep(Math.min(maxDelayMs, told + backOff), signal);
    }
  }
}

function pauseUnlessCancelled(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return pause(ms, signal).catch((cause: unknown) => {
    throw new ErrCancelled(undefined, { cause });
  });
}

/** HTTP statuses of transient errors. 500 is missing, because it is usually a defect that a retry does not fix. */
const TRANSIENT_STATUS = new Set([408, 425, 429, 502, 503, 504]);
/** Error codes of transient errors. ENOTFOUND is missing, because the host name does not exist. */
const TRANSIENT_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Whether an error is transient, judged by its fields and those of its causes, never by its text. The outermost error
 * with an HTTP status or a known code decides; the status takes precedence over the code.
 */
export function isTransient(error: unknown): boolean {
  return firstOf(error, transience) ?? false;
}

/** Finds the HTTP status of an error or of one of its causes. */
export function statusOf(error: unknown): number | undefined {
  return firstOf(error, ownStatus);
}

/** Finds the milliseconds after which an error or one of its causes asks for a retry. */
export function retryAfterOf(error: unknown, now: number = Date.now()): number | undefined {
  return firstOf(error, (link) => ownRetryAfter(link, now));
}

type Fields = Readonly<Record<string, unknown>>;

/** Asks an error and its causes until one gives an answer. Asks at most eight, because the chain may be circular. */
function firstOf<T>(error: unknown, ask: (link: Fields) => T | undefined): T | undefined {
  try {
    let link = error;
    for (let depth = 0; depth < 8 && isFields(link); depth++) {
      const answer = ask(link);
      if (answer !== undefined) return answer;
      link = link['cause'];
    }
  } catch {
    // Any value can be thrown, even one whose properties throw when they are read.
  }
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function transience(link: Fields): boolean | undefined {
  const status = ownStatus(link);
  if (status !== undefined) return TRANSIENT_STATUS.has(status);
  const { code, name } = link;
  if (typeof code === 'string' && TRANSIENT_CODES.has(code)) return true;
  // `AbortSignal.timeout()` aborts a request with this error.
  return name === 'TimeoutError' ? true : undefined;
}

function ownStatus(link: Fields): number | undefined {
  const response = link['response'];
  const metadata = link['$metadata'];
  const candidates = [
    link['status'],
    link['statusCode'],
    ...(isFields(response) ? [response['status'], response['statusCode']] : []),
    isFields(metadata) ? metadata['httpStatusCode'] : undefined,
  ];
  return candidates.find(isStatus);
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;
}

function ownRetryAfter(link: Fields, now: number): number | undefined {
  const { retryAfterMs, details, headers, response } = link;
  for (const given of [retryAfterMs, isFields(details) ? details['retryAfterMs'] : undefined]) {
    if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  }
  return (
    readRetryAfter(headerOf(headers), now) ??
    readRetryAfter(isFields(response) ? headerOf(response['headers']) : undefined, now)
  );
}

/** Reads `retry-after` from a `Headers` object or from a plain object, whatever the case of its names. */
function headerOf(headers: unknown): unknown {
  if (!isFields(headers)) return undefined;
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, 'retry-after') as unknown;
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'retry-after');
  const value = name === undefined ? undefined : headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Reads the header, which is a number of seconds or an HTTP date, as milliseconds from now. */
function readRetryAfter(value: unknown, now: number): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(trimmed)) return Number(trimmed) * 1_000;
  const date = /^[A-Z][a-z]+, .{1,30} GMT$/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
