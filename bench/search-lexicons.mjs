import { english } from '../src/lexicon.js';

/** The lexicons that the benchmark compares. */
export const lexicons = { none: undefined, english };
