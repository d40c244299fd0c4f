/** What searching takes. It brings a lexicon of 600 kB, so that it is loaded where something is searched, not before. */
export { fuseRanker, createToolSearch } from './search/index/tool-search.js';
export type {
  FusedQuery,
  FusedSearch,
  Ranker,
  RankerOptions,
  ToolSearch,
  ToolSearchDocument,
  ToolSearchQuery,
  ToolSearchResult,
} from './search/index/tool-search.js';
export type { CreateRanker } from './search/form/open-search.js';
