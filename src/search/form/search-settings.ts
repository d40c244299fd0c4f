import { anything, assertOptions, callback, withMethods } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import { isLexicon } from '../index/lexicon.js';
import type { Lexicon } from '../index/lexicon.js';
import type { SearchLearning } from '../../stores/search-learning.js';
import type { Ranker, ToolSearchDocument } from '../index/tool-search.js';
import { readSidecar } from './sidecar.js';
import type { SearchSidecar } from './sidecar.js';

/** Creates a second way to rank the tools of a view, such as by embeddings. Called at the first search. */
export type CreateRanker = (tools: readonly ToolSearchDocument[]) => Ranker | Promise<Ranker>;

/** How the search form finds tools. */
export interface SearchSettings {
  /** Creates a second ranking, such as by embeddings, which is combined with the built-in search. Default: none. */
  readonly ranker?: CreateRanker | undefined;
  /** Words that match by meaning, such as `english` of `toolfold/lexicon`. Default: words match by stem and by spelling. */
  readonly lexicon?: Lexicon | undefined;
  /** Learns from calls which words people use for which tools. Default: nothing is learned. */
  readonly learn?: SearchLearning | undefined;
  /** Keywords and examples by address, such as the content of `search.json`, beside those of the definitions. Default: none. */
  readonly sidecar?: SearchSidecar | undefined;
}

const rules: Rules<keyof SearchSettings> = {
  ranker: callback,
  lexicon: [isLexicon, 'a lexicon, such as `english` of toolfold/lexicon'],
  learn: withMethods('recall', 'noteSearch', 'noteCall'),
  // `readSidecar` names the wrong place.
  sidecar: anything,
};

export function assertSearchSettings(settings: SearchSettings): void {
  assertOptions('search', settings, rules, { nameOf: (name) => `search.${name}` });
  if (settings.sidecar !== undefined) readSidecar(settings.sidecar);
}
