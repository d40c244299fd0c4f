/** Internal API for the other packages of Toolfold. It may change in any version. */

/** The page shows what `describe_tools` returns. */
export { answerDescribe } from './form/describe-answers.js';
/** The code form calls the actions that the search finds, and the analysis reads the texts that the search indexes. */
export {
  callToolOf,
  describeArguments,
  joinTexts,
  readEntries,
  riskOf,
  summarize,
  toDocuments,
  type SearchEntries,
  type SearchEntry,
} from './form/entries.js';
/** `toolfold search eval` merges the answers to several queries as `search_tools` does. */
export { mergeAnswers } from './form/merge-answers.js';
/** The code form lists `search_tools` with different texts. */
export { searchTools, type SearchTexts } from './form/meta-tools.js';
/** The code form is made of the parts of the search form, and reports about the search read what a view finds. */
export {
  createCallTools,
  readSearched,
  searchContentsOf,
  searching,
  type SearchContents,
} from './form/search-form.js';
/** The code form has the settings of the search. */
export { assertSearchSettings } from './form/search-settings.js';
/** Commands read, check and join the sidecars of a search. */
export { findSidecarProblem, joinSearchWords, readSidecar, type SidecarWords } from './form/sidecar.js';
/** Declarations write names and values like signatures. */
export { writeLiteral, writeName } from './form/signature-type.js';
/** Declarations and the page write types like signatures. */
export { writeArguments, writeFieldType, writeResultType } from './form/signature.js';
/** Commands name the addresses of a sidecar that no tool has. */
export { describeUnknownAddresses } from './form/unknown-addresses.js';
/** Long work of the code form and the analysis pauses for other requests, or runs at once in commands. */
export { nextTurn, runAtOnce, runInSlices, type Steps } from './index/slices.js';
/** `toolfold search draft` leaves out drafted words that the search matches already. */
export { stemWord } from './index/stem.js';
/** The page builds the search of a view in slices. */
export { buildToolSearch } from './index/tool-search.js';
