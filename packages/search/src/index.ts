/** `@toolfold/search`: tool search as a library. It is a separate entry point, because few servers search themselves. */
export { fuseRanker, createToolSearch } from './index/tool-search.js';
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
  ToolSearchQuery,
  ToolSearchResult,
} from './index/tool-search.js';
export { searchForm } from './form/search-form.js';
export type { CreateRanker, SearchSettings } from './form/search-settings.js';
export type { SearchSidecar } from './form/sidecar.js';
