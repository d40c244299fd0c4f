import { ErrCancelled, ErrInvalidOptions } from '../../errors.js';

export interface RetryOptions {
  /** How often it is tried in all. */
  readonly attempts: number;
  /** The longest pause before the second attempt; each later one may be twice as long. */
  readonly delayMs: number;
  /** No pause is longer. */
  readonly maxDelayMs: number;
  /** Whether trying again may help. Default: `isTransient`. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** Waits, and rejects at once when the signal says so. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Does something again while it fails in a way that may pass. Pauses double, and each is a random part of what it
 * may be, so that those who failed together do not come back together. Where the error says when to come back, that
 * is kept to; when it is later than the longest pause, the error stands. `work` is told which attempt it is, from 1.
 */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, delayMs, maxDelayMs, signal, random = Math.random, sleep = pause } = options;
  const mayPass = options.isTransient ?? isTransient;
  assertOptions(options);
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw cancelled(signal.reason);
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !mayPass(error)) throw error;
      const told = retryAfterOf(error) ?? 0;
      if (told > maxDelayMs) throw error;
      const backOff = random() * Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1));
      await sleep(Math.min(maxDelayMs, told + backOff), signal);
    }
  }
}

function assertOptions({ attempts, delayMs, maxDelayMs }: RetryOptions): void {
  if (!Number.isSafeInteger(attempts) || attempts < 1) {
    throw new ErrInvalidOptions('retry.attempts must be a whole number of at least 1.', {
      details: { attempts },
    });
  }
  if (!(delayMs >= 0 && maxDelayMs >= 0 && maxDelayMs <= LONGEST_TIMER)) {
    throw new ErrInvalidOptions(`retry.delayMs and retry.maxDelayMs must be from 0 to ${LONGEST_TIMER}.`, {
      details: { delayMs, maxDelayMs },
    });
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelled(signal.reason));
      return;
    }
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(cancelled(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

function cancelled(cause: unknown): ErrCancelled {
  return new ErrCancelled('The call was cancelled.', { cause });
}

/** 500 is not among them: it mostly tells of a defect, which is there the next time too. */
const TRANSIENT_STATUS = new Set([408, 425, 429, 502, 503, 504]);
/** A name that does not exist (ENOTFOUND) is not among them. */
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
 * Whether an error tells of a state that may pass, judged by its fields and those of its causes, never by its text.
 * The outermost HTTP status decides; an error without one by its code.
 */
export function isTransient(error: unknown): boolean {
  return firstOf(error, transience) ?? false;
}

/** The HTTP status that an error or one of its causes carries. */
export function statusOf(error: unknown): number | undefined {
  return firstOf(error, ownStatus);
}

/** The milliseconds after which an error or one of its causes asks to be tried again. */
export function retryAfterOf(error: unknown, now: number = Date.now()): number | undefined {
  return firstOf(error, (link) => ownRetryAfter(link, now));
}

type Fields = Readonly<Record<string, unknown>>;

/** The nearest answer along the chain of causes, which may be a ring. */
function firstOf<T>(error: unknown, ask: (link: Fields) => T | undefined): T | undefined {
  try {
    let link = error;
    for (let depth = 0; depth < 8 && isFields(link); depth++) {
      const answer = ask(link);
      if (answer !== undefined) return answer;
      link = link['cause'];
    }
  } catch {
    // Anything can be thrown, even what throws when it is looked at. That says nothing.
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

/** Headers are a `Headers`, or an object whose names may have capitals. */
function headerOf(headers: unknown): unknown {
  if (!isFields(headers)) return undefined;
  const { get } = headers;
  if (typeof get === 'function') return get.call(headers, 'retry-after') as unknown;
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'retry-after');
  const value = name === undefined ? undefined : headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Seconds, or a date of HTTP. */
function readRetryAfter(value: unknown, now: number): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(trimmed)) return Number(trimmed) * 1_000;
  const date = /^[A-Z][a-z]+, .{1,30} GMT$/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
