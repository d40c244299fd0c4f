import { anything, assertOptions, callback } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { Ranker, ToolSearchDocument } from '../index/tool-search.js';
import { readSidecar } from './sidecar.js';
import type { SearchSidecar } from './sidecar.js';

/** Creates a second way to rank the tools of a view, such as by embeddings. Called at the first search. */
export type CreateRanker = (tools: readonly ToolSearchDocument[]) => Ranker | Promise<Ranker>;

/** Configures how the search form finds tools. */
export interface SearchSettings {
  /** Creates a second ranking, such as by embeddings, which is combined with the built-in search. Default: none. */
  readonly ranker?: CreateRanker | undefined;
  /** Keywords and examples by address, such as the content of `search.json`, beside those of the definitions. Default: none. */
  readonly sidecar?: SearchSidecar | undefined;
}

const rules: Rules<keyof SearchSettings> = {
  ranker: callback,
  // `readSidecar` checks it, and its errors name the exact place.
  sidecar: anything,
};

export function assertSearchSettings(settings: SearchSettings): void {
  assertOptions('search', settings, rules, { nameOf: (name) => `search.${name}` });
  if (settings.sidecar !== undefined) readSidecar(settings.sidecar);
}
