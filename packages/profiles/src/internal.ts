/** Internal API for the other packages of Toolfold. It may change in any version. */

/** The framework limits descriptions of tools with `maxDescription`. */
export { fitDescription } from './fit-description.js';
/** Names that are shortened or made unique end with the same hash everywhere, so that they stay stable. */
export { hashName } from './hash-name.js';
/** The framework lowers the names of a whole view, in which two tools can get the same one. */
export { distinctName, lowerName } from './lower-name.js';
/** The framework asks whether a profile restricts names and schemas before it lowers a tool. */
export { rulesOf } from './rules/rules-of.js';
/** The framework picks a form with fewer tools if the client accepts only so many. */
export { listRules } from './rules/tool-rules.js';
/** The import of OpenAPI specifications shortens descriptions without cutting words. */
export { shortenText } from './shorten-text.js';
