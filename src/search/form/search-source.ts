import { WeakCache } from '../../compile/tool-forms.js';
import type { CompiledSpec } from '../../compile/compiled-tool.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { sharesPendingWork } from '../../runtime/runtime.js';
import type { View } from '../../views/view.js';
import type { Lexicon } from '../index/lexicon.js';
import { nextTurn, runInSlices } from '../index/slices.js';
import type { Steps } from '../index/slices.js';
import { buildToolSearch, fuseRanker } from '../index/tool-search.js';
import type { FusedQuery, ToolSearch, ToolSearchAnswer, ToolSearchDocument } from '../index/tool-search.js';
import type { Find } from './answer-search.js';
import { readEntries, toDocuments } from './entries.js';
import type { SearchEntries, SearchedToolset } from './entries.js';
import type { SearchSettings } from './search-settings.js';
import { readSidecar } from './sidecar.js';
import { reportUnknownAddresses } from './unknown-addresses.js';

/** A view to search, and how. */
export interface Searched {
  readonly inner: View;
  readonly entries: SearchEntries;
  /** A view that holds all tools of `inner`. Its index is used if it can be shared. */
  readonly wider: View;
  readonly toolsets: readonly SearchedToolset[];
  readonly settings: SearchSettings;
  readonly registry: AnyRegistry;
  /** Called with the addresses of a sidecar that no tool has. */
  readonly onUnknown: ((error: unknown) => void) | undefined;
}

/** The index of each view, shared by its narrower views while one of them is in use. */
const sources = new WeakCache<SearchSource>();

/** Creates the search of a view. Hidden tools are never found and do not count towards the limit. */
export function createFind(searched: Searched): Find {
  const { inner, entries, wider, toolsets, settings } = searched;
  const sourceOf = (view: View): SearchSource =>
    sources.getOrMake(
      view,
      keyOf(view, toolsets, settings),
      () =>
        new SearchSource(view === inner ? entries : readEntries(view, toolsets), {
          ...searched,
          onUnknown: view === wider ? searched.onUnknown : undefined,
        }),
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
      // The filter of a query already leaves out all tools that are not in the view.
      isWhole || options.only ? options : { ...options, only: (address) => entries.byAddress.has(address) },
    );
  };
}

/** The index and the ranker of a set of tools. Both are created on the first query. */
class SearchSource {
  readonly #entries: SearchEntries;
  readonly #searched: Pick<Searched, 'settings' | 'registry' | 'onUnknown'>;
  #opening: Promise<Find> | undefined;
  #search: Find | undefined;

  constructor(entries: SearchEntries, { settings, registry, onUnknown }: Searched) {
    this.#entries = entries;
    this.#searched = { settings, registry, onUnknown };
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
  async search(query: string, options: FusedQuery): Promise<ToolSearchAnswer> {
    if (this.#search) return this.#search(query, options);
    this.#search = await (sharesPendingWork() ? this.#openOnce() : this.#open());
    // The callers that waited for the index take turns, because a query among 10,000 tools takes milliseconds.
    await nextTurn();
    return this.#search(query, options);
  }

  /** Concurrent queries share the index that is being created. */
  #openOnce(): Promise<Find> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Find> {
    const { settings, registry, onUnknown } = this.#searched;
    const { sidecar } = settings;
    const words = sidecar && readSidecar(sidecar);
    if (words && onUnknown) {
      // Tools that a policy hides exist as well.
      const known = [...registry.tools.all().flatMap(addressesIn), ...this.#entries.byAddress.keys()];
      reportUnknownAddresses(sidecar, words.keys(), new Set(known), onUnknown);
    }
    return openSearch(toDocuments(this.#entries, words), settings);
  }
}

/** The addresses of a tool's actions, with the former ones. */
function addressesIn({ actions }: CompiledSpec): string[] {
  return [...actions.values()].flatMap(({ address, formerAddresses }) => [address, ...formerAddresses]);
}

const ids = new WeakMap<SearchSettings[keyof SearchSettings] & object, number>();
let lastId = 0;

function idOf(setting: (SearchSettings[keyof SearchSettings] & object) | undefined): number {
  if (!setting) return 0;
  let id = ids.get(setting);
  if (id === undefined) ids.set(setting, (id = lastId += 1));
  return id;
}

/** The key of a shared index. The results depend on the texts of the toolsets and on the settings. */
function keyOf(
  { groups }: View,
  toolsets: readonly SearchedToolset[],
  { ranker, lexicon, sidecar }: SearchSettings,
): string {
  const shown = new Set(groups.map(({ key }) => key));
  const texts = toolsets
    .filter(({ key }) => shown.has(key))
    .map(({ key, name, description, decisionCriteria }) => [key, name, description, decisionCriteria]);
  return JSON.stringify([idOf(ranker), idOf(lexicon), idOf(sidecar), texts]);
}

/** Creates the index and the ranker of some tools. The documents are read in slices, so that the event loop is not blocked. */
async function openSearch(
  documents: Iterable<ToolSearchDocument>,
  { ranker: createRanker, lexicon }: SearchSettings,
): Promise<Find> {
  const all: ToolSearchDocument[] = [];
  const search = await runInSlices(readAndIndex(documents, all, lexicon));
  if (!createRanker) return async (query, options) => search.answer(query, options);
  const fused = fuseRanker(search, await createRanker(all));
  return async (query, options) =>
    addCounts(await fused.search(query, options), search.answer(query, options));
}

/** Adds the numbers of the built-in search to the results of both rankings, because a ranker does not say how many tools match. */
function addCounts(
  results: ToolSearchAnswer['results'],
  { results: own, more, unmatched }: ToolSearchAnswer,
): ToolSearchAnswer {
  return { results, more: Math.max(0, own.length + more - results.length), unmatched };
}

function* readAndIndex(
  documents: Iterable<ToolSearchDocument>,
  all: ToolSearchDocument[],
  lexicon: Lexicon | undefined,
): Steps<ToolSearch> {
  for (const document of documents) {
    all.push(document);
    yield;
  }
  return yield* buildToolSearch(all, { lexicon });
}
