import { LRUCache } from 'lru-cache';
import { ToolfoldError } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { Store } from '../../stores/contracts.js';
import { parseJson } from '../../values/parse-json.js';
import { failedBefore, resultNotKept, unreachable, unreadable } from './key.js';
import type { Failure, IdempotentRequest } from './key.js';

/** The record of a key in the store. It contains only a digest of the arguments, because they may be large or secret. */
export type StoredCall = { readonly fingerprint: string } & (
  | {
      readonly state: 'running';
      readonly since: number;
      /** When the lease of the run expires, unless it is renewed. */
      readonly aliveUntil: number;
      /** Identifies the run among all runs with the same key. */
      readonly run?: string;
    }
  | {
      readonly state: 'done';
      readonly result?: string;
      /** Whether the result is too large for the record and stored separately. */
      readonly isApart?: true;
    }
  | { readonly state: 'failed'; readonly error: Failure }
);
export type EndedCall = Exclude<StoredCall, { state: 'running' }>;

/** Longer results are stored separately, where they may be evicted. Records stay small and are never evicted. */
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

/** Never throws, although handlers may throw a value whose properties cannot be read. */
export function describeFailure(thrown: unknown): Failure {
  try {
    return thrown instanceof ToolfoldError ? { code: thrown.code } : {};
  } catch {
    return {};
  }
}

/** Returns `undefined` if the text is not a valid record. */
export function readStoredCall(text: string): StoredCall | undefined {
  const call = parseJson(text);
  if (!isJsonObject(call) || typeof call['fingerprint'] !== 'string') return undefined;
  return states[String(call['state'])]?.(call) === true ? (call as unknown as StoredCall) : undefined;
}

/** Checks the other fields of each state, because other programs may write to the store. */
const states: Readonly<Record<string, (call: Readonly<Record<string, unknown>>) => boolean>> = {
  __proto__: null as never,
  running: ({ since, aliveUntil }) => Number.isFinite(since) && Number.isFinite(aliveUntil),
  done: ({ result, isApart }) =>
    (result === undefined || typeof result === 'string') && (isApart === undefined || isApart === true),
  failed: ({ error }) =>
    isJsonObject(error) && (error['code'] === undefined || typeof error['code'] === 'string'),
};

/** Maximum number of characters of results that a process stores for one owner within their time to live. */
const MAX_KEPT = 16 * 1024 * 1024;
const MAX_OWNERS = 100_000;

/** Returns the result for a caller, or throws its error. */
export type Answer = (to: IdempotentRequest) => unknown;

/** Stores the results that are too large for records, and reads the answers of ended calls. */
export function createStoredAnswers(results: Store, ttlMs: number) {
  /** Characters stored for each owner, counted only if the store does not evict. */
  const counts = results.evicts
    ? undefined
    : new LRUCache<string, number>({ maxSize: MAX_OWNERS, sizeCalculation: () => 1, ttl: ttlMs });
  return {
    read: async (end: EndedCall, recordKey: string, request: IdempotentRequest): Promise<Answer> => {
      if (end.state !== 'done' || !end.isApart) return answerOf(end, request);
      let result: string | undefined;
      try {
        result = await results.get(resultKey(recordKey));
      } catch (cause) {
        throw unreachable(request, cause);
      }
      if (result === undefined) throw resultNotKept(request);
      return readResult(result, request);
    },
    /** Stores a result. If that fails, repeats learn that the call was done, without its result. */
    keep: async (recordKey: string, result: string, owner: string): Promise<void> => {
      const kept = (counts?.get(owner) ?? 0) + result.length;
      if (counts && kept > MAX_KEPT) return;
      counts?.set(owner, kept, { noUpdateTTL: true });
      try {
        await results.set(resultKey(recordKey), result, ttlMs);
      } catch {
        // Repeats get `resultNotKept`.
      }
    },
  };
}

function answerOf(call: EndedCall, request: IdempotentRequest): Answer {
  if (call.state === 'failed') throw failedBefore(request, call.error);
  return call.result === undefined ? () => undefined : readResult(call.result, request);
}

/** Parses the result once before any caller gets it, because other programs may write to the store. */
function readResult(result: string, request: IdempotentRequest): Answer {
  if (parseJson(result) === undefined) throw unreadable(request);
  return () => parseResult(result);
}

function resultKey(recordKey: string): string {
  return `${recordKey}:result`;
}

export function parseResult(result: string | undefined): unknown {
  return result === undefined ? undefined : (JSON.parse(result) as unknown);
}
