/** Internal API for the other packages of Toolfold. It may change in any version. */

/** `toolfold call` finds an action in every form as the typed client does. */
export { findSearchedCall, isSearched } from './client/find-call.js';
/** Commands show the estimate of `describeSurface` where they load no tokenizer. */
export { estimateTokens, tokenMethod } from './estimate-tokens.js';
/** The analysis reads the inputs of actions from the grouped tools of a running server. */
export { readActions } from './test-client/read-actions.js';
