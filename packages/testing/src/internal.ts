/** Internal API for the other packages of Toolfold. It may change in any version. */

/** `toolfold call` finds an action in every form as the typed client does. */
export { findSearchedCall, isSearched } from './client/find-call.js';
/** The analysis reads the inputs of actions from the grouped tools of a running server. */
export { readActions } from './test-client/read-actions.js';
/** Commands, reports and the page count the tokens of a tool as `describeSurface` does. */
export {
  countedFields,
  countTool,
  createTokenCounter,
  TOKENIZER,
  type CountedTool,
  type TokenCounter,
} from './token-counter.js';
