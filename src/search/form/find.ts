import { WeakCache } from '../../compile/tool-forms.js';
import type { View } from '../../views/view.js';
import { readEntries, toDocument } from './entries.js';
import type { SearchEntries, SearchedToolset } from './entries.js';
import type { FusedQuery, ToolSearchResult } from '../index/tool-search.js';
import type { CreateRanker, Search } from './open-search.js';

interface Searched {
  readonly inner: View;
  readonly entries: SearchEntries;
  /** A view that holds all tools of `inner`. Its index is used if it can be shared. */
  readonly wider: View;
  readonly toolsets: readonly SearchedToolset[];
  readonly ranker: CreateRanker | undefined;
}

/** The index of each view, shared by its narrower views while one of them is in use. */
const sources = new WeakCache<SearchSource>();

/** Creates the search of a view. Hidden tools are never found and do not count towards the limit. */
export function createFind({ inner, entries, wider, toolsets, ranker }: Searched): Search {
  const sourceOf = (view: View): SearchSource =>
    sources.getOrMake(
      view,
      keyOf(view, toolsets, ranker),
      () => new SearchSource(view === inner ? entries : readEntries(view, toolsets), ranker),
    );
  let source = sourceOf(wider);
  let isChecked = wider === inner;
  return (query, options) => {
    if (!isChecked) {
      isChecked = true;
      if (!source.covers(entries)) source = sourceOf(inner);
    }
    const isWhole = source.size === entries.byAddress.size;
    return source.search(
      query,
      isWhole ? options : { ...options, only: (address) => entries.byAddress.has(address) },
    );
  };
}

/** The index and the ranker of a set of tools. Both are created on the first query. */
class SearchSource {
  readonly #entries: SearchEntries;
  readonly #createRanker: CreateRanker | undefined;
  #opening: Promise<Search> | undefined;

  constructor(entries: SearchEntries, createRanker: CreateRanker | undefined) {
    this.#entries = entries;
    this.#createRanker = createRanker;
  }

  get size(): number {
    return this.#entries.byAddress.size;
  }

  /** Whether this index holds all of these entries in the same toolsets. Words of a hidden toolset must not rank a tool. */
  covers({ byAddress }: SearchEntries): boolean {
    for (const [address, { compiled, toolsets }] of byAddress) {
      const own = this.#entries.byAddress.get(address);
      if (own?.compiled !== compiled || own.toolsets.length !== toolsets.length) return false;
      if (toolsets.some((key, at) => key !== own.toolsets[at])) return false;
    }
    return true;
  }

  /** Searches the index. If the index or the ranker cannot be created, the next query tries again. */
  async search(query: string, options: FusedQuery): Promise<readonly ToolSearchResult[]> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    const search = await this.#opening;
    return search(query, options);
  }

  async #open(): Promise<Search> {
    const { byAddress, toolsets } = this.#entries;
    const documents = Array.from(byAddress.values(), (entry) => toDocument(entry, toolsets));
    const { openSearch } = await import('./open-search.js');
    return openSearch(documents, this.#createRanker);
  }
}

const ids = new WeakMap<CreateRanker, number>();
let lastId = 0;

/** The key of a shared index. The results depend on the texts of the toolsets and on the ranker. */
function keyOf(
  { groups }: View,
  toolsets: readonly SearchedToolset[],
  ranker: CreateRanker | undefined,
): string {
  let id = ranker ? ids.get(ranker) : 0;
  if (ranker && id === undefined) ids.set(ranker, (id = lastId += 1));
  const shown = new Set(groups.map(({ key }) => key));
  const texts = toolsets
    .filter(({ key }) => shown.has(key))
    .map(({ key, name, description, decisionCriteria }) => [key, name, description, decisionCriteria]);
  return JSON.stringify([id, texts]);
}
