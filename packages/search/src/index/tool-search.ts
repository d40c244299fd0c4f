import { ErrDuplicateName } from 'toolfold/errors';
import { type Confidence, countMore, judgeRanking } from '../confidence/confidence.js';
import { explainQuery, type ExplainQuery, type SearchExplanation } from './explain.js';
import { buildIndex, type ToolSearchDocument } from './search-index.js';
import { createRanking, DEFAULT_LIMIT } from './score.js';
import { runAtOnce, type Steps } from './slices.js';

export type { ToolSearchDocument } from './search-index.js';

export type { Confidence } from '../confidence/confidence.js';
export type { ScorePart } from './score.js';
export type {
  DocumentField,
  ExplainedMatch,
  ExplainedTool,
  ExplainedWord,
  ExplainQuery,
  MissReason,
  SearchExplanation,
} from './explain.js';

/** A tool that matches a query, with an estimate of its relevance. */
export interface ToolSearchResult {
  /** Address of the tool, as given in its document. */
  readonly address: string;
  /** How likely the tool is relevant, from 0 to 1. Scores of different queries can be compared. 1 is a tool with this name. */
  readonly score: number;
  /** Estimates whether the tool does what the query asks for. */
  readonly confidence: Confidence;
}

/** Results of a query, with what they leave out. */
export interface ToolSearchAnswer {
  /** Best match first. Empty if no tool is relevant. */
  readonly results: readonly ToolSearchResult[];
  /** Counts further matching tools beyond the limit. */
  readonly more: number;
  /** Words of the query that match no tool, as the caller wrote them. */
  readonly unmatched: readonly string[];
}

/** Limits the results of one query. */
export interface ToolSearchQuery {
  /** Maximum number of results. Default: 10. */
  readonly limit?: number | undefined;
  /** Restricts the search to some addresses. Other tools do not count towards the limit. */
  readonly only?: ((address: string) => boolean) | undefined;
}

/** Finds tools for queries in plain language. */
export interface ToolSearch {
  /** Counts the tools in the index. */
  readonly size: number;
  /** Whether a tool with this address is indexed. */
  has(address: string): boolean;
  /** Returns the best match first; equal scores are sorted by risk and by address. Equal queries always have equal results. */
  search(query: string, options?: ToolSearchQuery): ToolSearchResult[];
  /** Returns the same results, the number of further ones, and the words that match no tool. */
  answer(query: string, options?: ToolSearchQuery): ToolSearchAnswer;
  /** Explains the place of each result, and of other tools that you name. It is slower than a search. */
  explain(query: string, options?: ExplainQuery): SearchExplanation;
}

/** Ranks this many tools even if the caller wants fewer, because the confidence in the first depends on the next ones. */
const JUDGED = 5;

/**
 * Builds a search over tools. Words match by stem, and unknown words by spelling. The search makes no network requests and does not learn from queries.
 */
export function createToolSearch(documents: readonly ToolSearchDocument[]): ToolSearch {
  return runAtOnce(buildToolSearch(documents));
}

/** The steps of `createToolSearch`, for servers that must not block their event loop. */
export function* buildToolSearch(documents: readonly ToolSearchDocument[]): Steps<ToolSearch> {
  yield;
  const inOrder = documents.toSorted((one, other) => compareText(one.address, other.address));
  const addresses = inOrder.map(({ address }) => address);
  const known = new Map(addresses.map((address, document) => [address, document]));
  if (known.size < addresses.length) {
    const address = addresses.find((each, at) => each === addresses[at + 1]) ?? '';
    throw new ErrDuplicateName(`Two tools to be searched have the address "${address}".`, {
      details: { address },
    });
  }
  yield;
  const index = yield* buildIndex(inOrder);
  const rank = createRanking(index);
  const answer = (query: string, { limit = DEFAULT_LIMIT, only }: ToolSearchQuery = {}): ToolSearchAnswer => {
    // This comparison also rejects NaN.
    if (!(limit >= 1)) return { results: [], more: 0, unmatched: [] };
    const isWanted = only && ((document: number): boolean => only(addresses[document] ?? ''));
    const ranking = rank(query, Math.max(Math.floor(limit), JUDGED), { isWanted });
    const { isRefused, unmatched, judge } = judgeRanking(query, ranking, index, isWanted);
    if (isRefused) return { results: [], more: 0, unmatched };
    const results = ranking.ranked
      .slice(0, Math.floor(limit))
      .map(({ document }) => ({ address: addresses[document] ?? '', ...judge(document) }));
    return { results, more: countMore(ranking, results.length), unmatched };
  };
  return {
    size: addresses.length,
    has: (address) => known.has(address),
    search: (query, options) => [...answer(query, options).results],
    answer,
    explain: (query, options = {}) => explainQuery(query, options, { documents: inOrder, index, rank }),
  };
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A second way to rank the same tools, such as by embeddings. Toolfold has none built in. */
export interface Ranker {
  /** Returns addresses, best match first. */
  rank(query: string, options: RankerOptions): Promise<readonly string[]> | readonly string[];
}

/** Passed to a ranker with each query. */
export interface RankerOptions {
  /** Return at most this many addresses. */
  readonly limit: number;
  /** Aborted when the caller cancels its request. */
  readonly signal?: AbortSignal | undefined;
}

/** Limits the results of one query, and lets the caller cancel it. */
export interface FusedQuery extends ToolSearchQuery {
  /** Aborted when the caller cancels its request. */
  readonly signal?: AbortSignal | undefined;
}

/** A search whose results combine two rankings. */
export interface FusedSearch {
  /** Returns the best match of both rankings first. Rejects if the ranker rejects. */
  search(query: string, options?: FusedQuery): Promise<ToolSearchResult[]>;
}

/** The usual constant of reciprocal rank fusion. */
const DAMPING = 60;
/** Each ranking returns at least this many results, so that the fusion finds a tool that is low in one and high in the other. */
const DEPTH = 50;

/**
 * Combines a search with a ranker by the places of tools in both, because scores of different kinds cannot be added. Addresses of
 * the ranker that the search does not know are left out, and the confidence in a tool that only the ranker finds is weak. If the
 * ranker fails, the search fails.
 */
export function fuseRanker(search: ToolSearch, ranker: Ranker): FusedSearch {
  return {
    async search(query, { limit = DEFAULT_LIMIT, only, signal } = {}) {
      if (!(limit >= 1)) return [];
      const depth = Math.min(Math.max(Math.floor(limit), DEPTH), search.size);
      const found = search.search(query, { limit: depth, only });
      const own = found.map(({ address }) => address);
      // The ranker does not know `only`, so the query asks it for all tools.
      const others = await ranker.rank(query, { limit: only ? search.size : depth, signal });
      const isWanted = (address: string): boolean => search.has(address) && only?.(address) !== false;
      const scores = new Map<string, number>();
      for (const places of [own, [...new Set(others)].filter(isWanted).slice(0, depth)]) {
        places.forEach((address, place) => {
          scores.set(address, (scores.get(address) ?? 0) + (DAMPING + 1) / (DAMPING + 1 + place) / 2);
        });
      }
      const confidences = new Map(found.map(({ address, confidence }) => [address, confidence]));
      return [...scores]
        .map(([address, score]) => ({ address, score, confidence: confidences.get(address) ?? 'weak' }))
        .toSorted((one, other) => other.score - one.score || compareText(one.address, other.address))
        .slice(0, Math.floor(limit));
    },
  };
}
