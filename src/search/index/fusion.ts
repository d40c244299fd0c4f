import {
  DEFAULT_LIMIT,
  type ToolSearch,
  type ToolSearchQuery,
  type ToolSearchResult,
} from './tool-search.js';

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
