import { ErrDuplicateName } from '../../errors.js';
import { buildIndex, type ToolSearchDocument } from './search-index.js';
import { readLexicon, type Lexicon } from './lexicon.js';
import { searchParameters, type SearchParameters } from './parameters.js';
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
