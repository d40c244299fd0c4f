import { runInSlices, type Steps } from '../index/slices.js';
import { buildToolSearch, fuseRanker } from '../index/tool-search.js';
import type {
  FusedQuery,
  Ranker,
  ToolSearch,
  ToolSearchDocument,
  ToolSearchResult,
} from '../index/tool-search.js';

/** Creates a second way to rank the tools of a view, such as by embeddings. Called at the first search. */
export type CreateRanker = (tools: readonly ToolSearchDocument[]) => Ranker | Promise<Ranker>;

export type Search = (query: string, options: FusedQuery) => Promise<readonly ToolSearchResult[]>;

/**
 * Creates the index and the ranker of some tools. Import this file dynamically, because it loads the lexicon of 600 kB, which
 * a process that never searches does not need. The documents are read and indexed in slices, so that the event loop is not
 * blocked.
 */
export async function openSearch(
  documents: Iterable<ToolSearchDocument>,
  createRanker: CreateRanker | undefined,
): Promise<Search> {
  const all: ToolSearchDocument[] = [];
  const search = await runInSlices(readAndIndex(documents, all));
  const fused = createRanker ? fuseRanker(search, await createRanker(all)) : search;
  return async (query, options) => fused.search(query, options);
}

function* readAndIndex(
  documents: Iterable<ToolSearchDocument>,
  all: ToolSearchDocument[],
): Steps<ToolSearch> {
  for (const document of documents) {
    all.push(document);
    yield;
  }
  return yield* buildToolSearch(all);
}
