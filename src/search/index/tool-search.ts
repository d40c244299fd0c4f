import { ErrDuplicateName } from '../../errors.js';
import {
  buildIndex,
  type ToolSearchDocument,
  searchParameters,
  type SearchParameters,
} from './search-index.js';
import { readLexicon, type Lexicon } from './lexicon.js';
import { createRanking } from './score.js';

export type { ToolSearchDocument } from './search-index.js';

/** One tool that was found. */
export interface ToolSearchResult {
  /** What it is called by. */
  readonly address: string;
  /** From 0 to 1. Comparable between questions: 1 would be a tool that is about the question and nothing else. */
  readonly score: number;
}

/** How many results, and of what. */
export interface ToolSearchQuery {
  /** How many results at most; 10 by default. */
  readonly limit?: number | undefined;
  /** Finds only these. The limit counts them alone. */
  readonly only?: ((address: string) => boolean) | undefined;
}

/** Finds tools by what a question says. */
export interface ToolSearch {
  /** How many tools there are to find. */
  readonly size: number;
  /** Whether there is a tool of this address. */
  has(address: string): boolean;
  /** The best first; equals by address. The same question has the same answer, always. */
  search(query: string, options?: ToolSearchQuery): ToolSearchResult[];
}

/** @internal For benchmarks. */
export interface ToolSearchOptions {
  readonly parameters?: SearchParameters | undefined;
  readonly lexicon?: Lexicon | undefined;
}

export const DEFAULT_LIMIT = 10;

/**
 * Builds a search over tools, once for a view. Words match by stem, by meaning as English uses them in general, and
 * unknown ones by spelling; nothing is fetched, and nothing is learnt from questions.
 */
export function createToolSearch(documents: readonly ToolSearchDocument[]): ToolSearch;
/** @internal */
export function createToolSearch(
  documents: readonly ToolSearchDocument[],
  options: ToolSearchOptions | undefined,
): ToolSearch;
export function createToolSearch(
  documents: readonly ToolSearchDocument[],
  { parameters = searchParameters, lexicon = readLexicon() }: ToolSearchOptions = {},
): ToolSearch {
  const inOrder = documents.toSorted((one, other) => compareText(one.address, other.address));
  const addresses = inOrder.map(({ address }) => address);
  const known = new Set(addresses);
  if (known.size < addresses.length) {
    const address = addresses.find((each, at) => each === addresses[at + 1]) ?? '';
    throw new ErrDuplicateName(`Two tools to be searched have the address "${address}".`, {
      details: { address },
    });
  }
  const rank = createRanking(buildIndex(inOrder, lexicon, parameters), lexicon, parameters);
  return {
    size: addresses.length,
    has: (address) => known.has(address),
    search(query, { limit = DEFAULT_LIMIT, only } = {}) {
      // Written so that NaN finds nothing either.
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

/** Another way to rank the same tools, such as a model that compares embeddings. Toolfold brings none. */
export interface Ranker {
  /** Addresses, the best first, at most so many. */
  rank(query: string, options: RankerOptions): Promise<readonly string[]> | readonly string[];
}

/** What a ranker is asked for. */
export interface RankerOptions {
  /** How many addresses it should give at most. */
  readonly limit: number;
  /** Ends when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A query of a search that asks a ranker as well. */
export interface FusedQuery extends ToolSearchQuery {
  /** Ends when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A search that asks a ranker as well. */
export interface FusedSearch {
  /** The best first, by what search and ranker say together. Rejects where the ranker does. */
  search(query: string, options?: FusedQuery): Promise<ToolSearchResult[]>;
}

/** How slowly places lose weight, as reciprocal rank fusion is commonly set. */
const DAMPING = 60;
/** Both sides name at least so many, so that what one has low and the other high is not missed. */
const DEPTH = 50;

/**
 * Joins a search with a ranker by the places that tools have in both: scores of different kinds cannot be added, places
 * can. What the ranker names and the search does not hold is left out. If the ranker fails, so does the search.
 */
export function fuseRanker(search: ToolSearch, ranker: Ranker): FusedSearch {
  return {
    async search(query, { limit = DEFAULT_LIMIT, only, signal } = {}) {
      if (!(limit >= 1)) return [];
      const depth = Math.min(Math.max(Math.floor(limit), DEPTH), search.size);
      const own = search.search(query, { limit: depth, only }).map(({ address }) => address);
      // The ranker does not know what is wanted, and could spend all places on what is not.
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
