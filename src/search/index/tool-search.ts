import { ErrDuplicateName } from '../../errors.js';
import {
  buildIndex,
  type ToolSearchDocument,
  searchParameters,
  type SearchParameters,
} from './search-index.js';
import { readLexicon, type Lexicon } from './lexicon.js';
import { createRanking } from './score.js';
import { runAtOnce, type Steps } from './slices.js';

export type { ToolSearchDocument } from './search-index.js';

/** A tool that was found. */
export interface ToolSearchResult {
  /** The address by which the tool is called. */
  readonly address: string;
  /** From 0 to 1, comparable between queries. 1 is a tool that matches the query and covers nothing else. */
  readonly score: number;
}

/** Options of a search. */
export interface ToolSearchQuery {
  /** Maximum number of results. Default: 10. */
  readonly limit?: number | undefined;
  /** Restricts the search to some addresses. Other tools do not count towards the limit. */
  readonly only?: ((address: string) => boolean) | undefined;
}

/** Finds tools for queries in plain English. */
export interface ToolSearch {
  /** Number of tools in the index. */
  readonly size: number;
  /** Whether the index holds a tool with this address. */
  has(address: string): boolean;
  /** Returns the best match first; equal scores are sorted by address. Equal queries always have equal results. */
  search(query: string, options?: ToolSearchQuery): ToolSearchResult[];
}

/** @internal Options for benchmarks. */
export interface ToolSearchOptions {
  readonly parameters?: SearchParameters | undefined;
  readonly lexicon?: Lexicon | undefined;
}

export const DEFAULT_LIMIT = 10;

/**
 * Builds a search over tools. Words match by stem and by their general English meaning, and unknown words by spelling. The
 * search makes no network requests and does not learn from queries.
 */
export function createToolSearch(documents: readonly ToolSearchDocument[]): ToolSearch;
/** @internal */
export function createToolSearch(
  documents: readonly ToolSearchDocument[],
  options: ToolSearchOptions | undefined,
): ToolSearch;
export function createToolSearch(
  documents: readonly ToolSearchDocument[],
  options?: ToolSearchOptions,
): ToolSearch {
  return runAtOnce(buildToolSearch(documents, options));
}

/**
 * The steps of `createToolSearch`, for servers that must not block their event loop.
 *
 * @internal
 */
export function* buildToolSearch(
  documents: readonly ToolSearchDocument[],
  { parameters = searchParameters, lexicon = readLexicon() }: ToolSearchOptions = {},
): Steps<ToolSearch> {
  yield;
  const inOrder = documents.toSorted((one, other) => compareText(one.address, other.address));
  const addresses = inOrder.map(({ address }) => address);
  const known = new Set(addresses);
  if (known.size < addresses.length) {
    const address = addresses.find((each, at) => each === addresses[at + 1]) ?? '';
    throw new ErrDuplicateName(`Two tools to be searched have the address "${address}".`, {
      details: { address },
    });
  }
  yield;
  const index = yield* buildIndex(inOrder, lexicon, parameters);
  const rank = createRanking(index, lexicon, parameters);
  return {
    size: addresses.length,
    has: (address) => known.has(address),
    search(query, { limit = DEFAULT_LIMIT, only } = {}) {
      // This comparison also rejects NaN.
      if (!(limit >= 1)) return [];
      const isWanted = only && ((document: number): boolean => only(addresses[document] ?? ''));
      return rank(query, Math.floor(limit), isWanted).map(({ document, score }) => ({
        address: addresses[document] ?? '',
        score,
      }));
    },
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

/** Options of a query to a ranker. */
export interface RankerOptions {
  /** Maximum number of addresses to return. */
  readonly limit: number;
  /** Aborted when the caller cancels its request. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a search with a ranker. */
export interface FusedQuery extends ToolSearchQuery {
  /** Aborted when the caller cancels its request. */
  readonly signal?: AbortSignal | undefined;
}

/** A search that is combined with a ranker. */
export interface FusedSearch {
  /** Returns the best match of both rankings first. Rejects if the ranker rejects. */
  search(query: string, options?: FusedQuery): Promise<ToolSearchResult[]>;
}

/** The usual constant of reciprocal rank fusion. */
const DAMPING = 60;
/** Minimum number of results of each ranking, so that a tool that is low in one and high in the other is found. */
const DEPTH = 50;

/**
 * Combines a search with a ranker by the places of tools in both, because scores of different kinds cannot be added. Addresses of
 * the ranker that the search does not know are left out. If the ranker fails, the search fails.
 */
export function fuseRanker(search: ToolSearch, ranker: Ranker): FusedSearch {
  return {
    async search(query, { limit = DEFAULT_LIMIT, only, signal } = {}) {
      if (!(limit >= 1)) return [];
      const depth = Math.min(Math.max(Math.floor(limit), DEPTH), search.size);
      const own = search.search(query, { limit: depth, only }).map(({ address }) => address);
      // The ranker does not know `only`, so it is asked for all tools.
      const others = await ranker.rank(query, { limit: only ? search.size : depth, signal });
      const isWanted = (address: string): boolean => search.has(address) && only?.(address) !== false;
      const scores = new Map<string, number>();
      for (const places of [own, [...new Set(others)].filter(isWanted).slice(0, depth)]) {
        places.forEach((address, place) => {
          scores.set(address, (scores.get(address) ?? 0) + (DAMPING + 1) / (DAMPING + 1 + place) / 2);
        });
      }
      return [...scores]
        .map(([address, score]) => ({ address, score }))
        .toSorted((one, other) => other.score - one.score || (one.address < other.address ? -1 : 1))
        .slice(0, Math.floor(limit));
    },
  };
}
