import type { RequestOptions } from '../../engine/request.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { unrefTimer } from '../../runtime/timers.js';
import type { AnsweredSearch, Learner, SearchLearning } from '../../stores/search-learning.js';
import { nextTurn } from '../index/slices.js';
import type { FusedQuery } from '../index/tool-search.js';
import { readLearner } from '../learn/learner.js';
import { readQuestionWords } from '../learn/question-words.js';
import type { Find } from './answer-search.js';
import type { SearchEntries } from './entries.js';

/** The `learn` of a view, and the registry that names the tenants. */
export interface ViewLearning {
  readonly registry: AnyRegistry;
  readonly learn: SearchLearning;
}

/** A search does not wait longer for what was learned. */
const RECALL_MS = 50;

/**
 * Answers the queries of one search with what was learned, and notes their answers at the end. Failures of `learn` change no
 * answer, and the search does not wait for its notes.
 */
export function listenTo(
  find: Find,
  entries: SearchEntries,
  learning: ViewLearning,
  request: RequestOptions,
): { readonly find: Find; readonly end: () => void } {
  const searches: AnsweredSearch[] = [];
  return {
    find: async (query, options) => {
      const words = readQuestionWords(query);
      const learned = await recall(learning, request, words, entries, options);
      // A store can answer many queries in one turn of the event loop, and each of them takes milliseconds among 10,000 tools.
      await nextTurn();
      const answer = await find(query, { ...options, learned });
      searches.push({ words, shown: answer.results.map(({ address }) => address) });
      return answer;
    },
    end: () => void attempt(learning, request, (learner) => learning.learn.noteSearch(learner, searches)),
  };
}

/** Notes the result of a call through the search tools. The call does not wait for it. */
export function noteCall(
  learning: ViewLearning,
  request: RequestOptions,
  address: string,
  { isError }: CallToolResult,
): void {
  if (isError !== true)
    void attempt(learning, request, (learner) => learning.learn.noteCall(learner, address));
}

/** The strengths of tools for a question; `undefined` if the store fails or takes too long. */
async function recall(
  learning: ViewLearning,
  request: RequestOptions,
  words: readonly string[],
  { byAddress }: SearchEntries,
  { only }: FusedQuery,
): Promise<ReadonlyMap<string, number> | undefined> {
  // Links may have the former address of a tool.
  const addressOf = (linked: string): string | undefined => byAddress.get(linked)?.compiled.address;
  const isVisible = (linked: string): boolean => {
    const address = addressOf(linked);
    return address !== undefined && only?.(address) !== false;
  };
  return withinTime(
    attempt(learning, request, async (learner) => {
      const strengths = new Map<string, number>();
      // The store may return anything, and what it returns must not fail the search.
      for (const [linked, strength] of await learning.learn.recall(learner, words, isVisible)) {
        const address = addressOf(linked);
        if (address !== undefined) strengths.set(address, Math.max(strength, strengths.get(address) ?? 0));
      }
      return strengths;
    }),
    () => report(learning, request, new Error(`search.learn did not answer within ${RECALL_MS} ms.`)),
  );
}

async function withinTime<T>(work: Promise<T>, onLate: () => void): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      onLate();
      resolve(undefined);
    }, RECALL_MS);
    unrefTimer(timer);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function attempt<T>(
  learning: ViewLearning,
  request: RequestOptions,
  operate: (learner: Learner) => Promise<T>,
): Promise<T | undefined> {
  try {
    const { registry, learn } = learning;
    const result = await operate(readLearner(request.caller, registry.tenantOf(request)));
    failing.delete(learn);
    return result;
  } catch (error) {
    report(learning, request, error);
    return undefined;
  }
}

/** The stores whose last operation failed. Only the first failure in a row is reported. */
const failing = new WeakSet<SearchLearning>();

function report({ learn }: ViewLearning, { onFault }: RequestOptions, error: unknown): void {
  if (!failing.has(learn)) onFault?.(error);
  failing.add(learn);
}
