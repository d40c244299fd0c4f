/** `@toolfold/analysis/text`: characters that people do not see and models read. It needs no module of Node, so the page imports it. */
export { findHidden, removeHidden } from './lint/hidden-characters.js';
export type { HiddenCharacter } from './lint/hidden-characters.js';
