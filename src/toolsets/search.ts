/** What searching takes. It brings a lexicon of 600 kB, so that it is loaded where something is searched, not before. */
export { fuseRanker } from './search-fusion.js';
export type { FusedQuery, FusedSearch, Ranker, RankerOptions } from './search-fusion.js';
export { createToolSearch } from './tool-search.js';
export type { ToolSearch, ToolSearchDocument, ToolSearchQuery, ToolSearchResult } from './tool-search.js';
