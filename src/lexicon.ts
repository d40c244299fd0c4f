/** `toolfold/lexicon`: the words of English, for searches that match words by meaning. It is a separate entry point of 600 kB. */
export { english } from './search/index/english.js';
export type { Lexicon } from './search/index/lexicon.js';
