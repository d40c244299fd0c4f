import { LRUCache } from 'lru-cache';
import type { Store } from '../../stores/store.js';
import { failedBefore, resultNotKept, unreachable, unreadable } from './errors.js';
import type { IdempotentRequest } from './key.js';
import type { EndedCall } from './stored-call.js';

/** So many characters of results are kept of one owner by each process, within the time that they are kept for. */
const MAX_KEPT = 16 * 1024 * 1024;
const MAX_OWNERS = 100_000;

/** Returns or throws what a caller is to get. */
export type Answer = (to: IdempotentRequest) => unknown;

/** The results that are too large for records, and the answers that both give. */
export class StoredAnswers {
  readonly #results: Store;
  readonly #ttlMs: number;
  /** How much is kept of each owner, where nothing else makes room. */
  readonly #kept: LRUCache<string, number> | undefined;

  constructor(results: Store, ttlMs: number) {
    this.#results = results;
    this.#ttlMs = ttlMs;
    this.#kept = results.evicts
      ? undefined
      : new LRUCache({ maxSize: MAX_OWNERS, sizeCalculation: () => 1, ttl: ttlMs });
  }

  async read(end: EndedCall, recordKey: string, request: IdempotentRequest): Promise<Answer> {
    if (end.state !== 'done' || !end.isApart) return answerOf(end, request);
    let result: string | undefined;
    try {
      result = await this.#results.get(resultKey(recordKey));
    } catch (cause) {
      throw unreachable(request, cause);
    }
    if (result === undefined) throw resultNotKept(request);
    return readResult(result, request);
  }

  /** A result that cannot be kept does not make the call undone. Repeats are told that it was done. */
  async keep(recordKey: string, result: string, owner: string): Promise<void> {
    const kept = (this.#kept?.get(owner) ?? 0) + result.length;
    if (this.#kept && kept > MAX_KEPT) return;
    this.#kept?.set(owner, kept, { noUpdateTTL: true });
    try {
      await this.#results.set(resultKey(recordKey), result, this.#ttlMs);
    } catch {
      // It is not kept.
    }
  }
}

/** For a call whose result, if any, is in the record. */
function answerOf(call: EndedCall, request: IdempotentRequest): Answer {
  if (call.state === 'failed') throw failedBefore(request, call.error);
  return call.result === undefined ? () => undefined : readResult(call.result, request);
}

/** What others may have written is read before it is promised. */
function readResult(result: string, request: IdempotentRequest): Answer {
  try {
    JSON.parse(result);
  } catch {
    throw unreadable(request);
  }
  return () => parseResult(result);
}

function resultKey(recordKey: string): string {
  return `${recordKey}:result`;
}

export function parseResult(result: string | undefined): unknown {
  return result === undefined ? undefined : (JSON.parse(result) as unknown);
}
