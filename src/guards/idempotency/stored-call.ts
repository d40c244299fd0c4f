import { ToolfoldError } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';

/** What is remembered of an error. Not its text: that may hold what only the first caller may read. */
export interface Failure {
  readonly code?: string;
}

/** What the store holds under a key. Arguments are there as a digest: they may be large, or secret. */
export type StoredCall = { readonly fingerprint: string } & (
  | {
      readonly state: 'running';
      readonly since: number;
      /** Unless renewed. */
      readonly aliveUntil: number;
      /** Tells it from other runs under the same key. */
      readonly run?: string;
    }
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

export function running(fingerprint: string, since: number, aliveUntil: number, run: string): StoredCall {
  return { state: 'running', fingerprint, since, aliveUntil, run };
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
  const call = parse(text);
  if (!isJsonObject(call) || typeof call['fingerprint'] !== 'string') return undefined;
  return states[String(call['state'])]?.(call) === true ? (call as unknown as StoredCall) : undefined;
}

/** What else must be there in each state. A store may be written to by others. */
const states: Readonly<Record<string, (call: Readonly<Record<string, unknown>>) => boolean>> = {
  __proto__: null as never,
  running: ({ since, aliveUntil }) => Number.isFinite(since) && Number.isFinite(aliveUntil),
  done: ({ result, isApart }) =>
    (result === undefined || typeof result === 'string') && (isApart === undefined || isApart === true),
  failed: ({ error }) =>
    isJsonObject(error) && (error['code'] === undefined || typeof error['code'] === 'string'),
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
