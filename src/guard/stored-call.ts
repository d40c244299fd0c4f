import { ToolfoldError } from '../errors.js';

/** What is remembered of an error. Not its text: that may hold what only the first caller may read. */
export interface Failure {
  readonly code?: string;
}

/** What the store holds under a key. Arguments are there as a digest: they may be large, or secret. */
export type StoredCall = { readonly fingerprint: string } & (
  | { readonly state: 'running'; readonly since: number; /** Unless renewed. */ readonly aliveUntil: number }
  | {
      readonly state: 'done';
      readonly result?: string;
      /** The result is larger, and kept apart if at all. */
      readonly isApart?: true;
    }
  | { readonly state: 'failed'; readonly error: Failure }
);
export type EndedCall = Exclude<StoredCall, { state: 'running' }>;

/** Larger results stand apart, where they may be dropped, so that records are small and never are. */
const MAX_INLINE = 1_024;
/** Milliseconds for which a running call counts as alive, unless renewed. */
export const LEASE = 60_000;

export function running(fingerprint: string, since: number, now: number): StoredCall {
  return { state: 'running', fingerprint, since, aliveUntil: now + LEASE };
}

export function done(fingerprint: string, result: string | undefined): EndedCall {
  if (result === undefined) return { state: 'done', fingerprint };
  if (result.length > MAX_INLINE) return { state: 'done', fingerprint, isApart: true };
  return { state: 'done', fingerprint, result };
}

/** What was thrown may be anything, even something that cannot be read. */
export function describeFailure(thrown: unknown): Failure {
  try {
    return thrown instanceof ToolfoldError ? { code: thrown.code } : {};
  } catch {
    return {};
  }
}

/** `undefined` where something else stands under the key. */
export function readStoredCall(text: string): StoredCall | undefined {
  const call = parseStoredCall(text);
  const isCall =
    typeof call?.fingerprint === 'string' &&
    (call.state === 'done' ||
      (call.state === 'running' && typeof call.aliveUntil === 'number') ||
      (call.state === 'failed' && typeof call.error === 'object'));
  return isCall ? (call as StoredCall) : undefined;
}

function parseStoredCall(text: string): Partial<StoredCall> | null {
  try {
    return JSON.parse(text) as Partial<StoredCall> | null;
  } catch {
    return null;
  }
}
