import { WeakCache } from '../../compile/weak-cache.js';
import type { View } from '../../views/view.js';
import { readEntries, toDocument } from './entries.js';
import type { SearchEntries, SearchedToolset } from './entries.js';
import type { FusedQuery, ToolSearchResult } from '../index/tool-search.js';
import type { CreateRanker, Search } from './open-search.js';

interface Searched {
  readonly inner: View;
  readonly entries: SearchEntries;
  /** A view that shows all of it and more, and is searched in its place. */
  readonly wider: View;
  readonly toolsets: readonly SearchedToolset[];
  readonly ranker: CreateRanker | undefined;
}

/** One for all views that are narrower ones of a view, for as long as somebody searches one of them. */
const sources = new WeakCache<SearchSource>();

/** Answers questions about a view. What it hides is never found, and takes no place that something else could have. */
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

/** The index over a set of tools, and what ranks them beside it: both are made when the first question comes. */
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

  /** Whether everything in there is here too, with the same words around it: those of a hidden toolset tell of it. */
  covers({ byAddress }: SearchEntries): boolean {
    for (const [address, { compiled, toolsets }] of byAddress) {
      const own = this.#entries.byAddress.get(address);
      if (own?.compiled !== compiled || own.toolsets.length !== toolsets.length) return false;
      if (toolsets.some((key, at) => key !== own.toolsets[at])) return false;
    }
    return true;
  }

  /** What fails is tried again at the next question. */
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

/** What is found depends on what toolsets say of themselves, and on who ranks. */
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
