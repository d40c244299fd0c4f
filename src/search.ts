/** `toolfold/search`: tool search as a library. It is a separate entry point, because it loads a lexicon of 600 kB. */
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
