import { createToolSearch, fuseRanker } from '../index/tool-search.js';
import type { FusedQuery, Ranker, ToolSearchDocument, ToolSearchResult } from '../index/tool-search.js';

/** Creates a second way to rank the tools of a view, such as by embeddings. Called at the first search. */
export type CreateRanker = (tools: readonly ToolSearchDocument[]) => Ranker | Promise<Ranker>;

export type Search = (query: string, options: FusedQuery) => Promise<readonly ToolSearchResult[]>;

/**
 * Creates the index and the ranker of some tools. Import this file dynamically, because it loads the lexicon of 600 kB, which
 * a process that never searches does not need.
 */
export async function openSearch(
  documents: readonly ToolSearchDocument[],
  createRanker: CreateRanker | undefined,
): Promise<Search> {
  const search = createToolSearch(documents);
  if (!createRanker) return async (query, options) => search.search(query, options);
  const fused = fuseRanker(search, await createRanker(documents));
  return (query, options) => fused.search(query, options);
}
