/** What searching takes. It brings a lexicon of 600 kB, so that it is loaded where something is searched, not before. */
export { fuseRanker } from './search/index/fusion.js';
export type { FusedQuery, FusedSearch, Ranker, RankerOptions } from './search/index/fusion.js';
export type { CreateRanker } from './search/form/search-form.js';
export { createToolSearch } from './search/index/tool-search.js';
export type {
  ToolSearch,
  ToolSearchDocument,
  ToolSearchQuery,
  ToolSearchResult,
} from './search/index/tool-search.js';
