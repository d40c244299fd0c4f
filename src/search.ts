/** `toolfold/search`: tool search as a library. It is a separate entry point, because few servers search themselves. */
export { fuseRanker, createToolSearch } from './search/index/tool-search.js';
export type {
  Confidence,
  DocumentField,
  ExplainedMatch,
  ExplainedTool,
  ExplainedWord,
  ExplainQuery,
  FusedQuery,
  FusedSearch,
  MissReason,
  Ranker,
  RankerOptions,
  ScorePart,
  SearchExplanation,
  ToolSearch,
  ToolSearchAnswer,
  ToolSearchDocument,
  ToolSearchOptions,
  ToolSearchQuery,
  ToolSearchResult,
} from './search/index/tool-search.js';
export type { CreateRanker } from './search/form/search-settings.js';
export type { SearchSidecar } from './search/form/sidecar.js';
