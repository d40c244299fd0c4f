import { internalsOf, WeakCache } from 'toolfold/internal';
import type { CompiledSpec } from 'toolfold/internal';
import type { AnyRegistry, View } from 'toolfold';
import { sharesPendingWork } from '@toolfold/schema/internal';
import { nextTurn, runInSlices } from '../index/slices.js';
import type { Steps } from '../index/slices.js';
import { buildToolSearch, fuseRanker } from '../index/tool-search.js';
import type { FusedQuery, ToolSearch, ToolSearchAnswer, ToolSearchDocument } from '../index/tool-search.js';
import type { Find } from './answer-search.js';
import { readEntries, toDocuments } from './entries.js';
import type { ToolsetTexts } from 'toolfold/web';
import type { SearchEntries } from './entries.js';
import type { SearchSettings } from './search-settings.js';
import { readSidecar } from './sidecar.js';
import { reportUnknownAddresses } from './unknown-addresses.js';

export interface Searched {
  readonly inner: View;
  readonly entries: SearchEntries;
  /** A view that holds all tools of `inner`. If possible, both share its index. */
  readonly wider: View;
  readonly toolsets: readonly ToolsetTexts[];
  readonly settings: SearchSettings;
  readonly registry: AnyRegistry;
  /** Called with an error that names the sidecar's addresses that no tool has. */
  readonly onUnknown: ((error: unknown) => void) | undefined;
}

/** Maps each view to its index, which narrower views share while one of them is in use. */
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

  /** Whether this index holds all of these entries in the same toolsets. Otherwise words of a hidden toolset could rank a tool. */
  covers({ byAddress }: SearchEntries): boolean {
    for (const [address, { compiled, toolsets }] of byAddress) {
      const own = this.#entries.byAddress.get(address);
      if (own?.compiled !== compiled || own.toolsets.length !== toolsets.length) return false;
      if (toolsets.some((key, at) => key !== own.toolsets[at])) return false;
    }
    return true;
  }

  /** Searches the index. If its creation or that of the ranker fails, the next query tries again. */
  async search(query: string, options: FusedQuery): Promise<ToolSearchAnswer> {
    if (this.#search) return this.#search(query, options);
    this.#search = await (sharesPendingWork() ? this.#openOnce() : this.#open());
    // Callers that waited for the index take turns, because a query among 10,000 tools takes milliseconds.
    await nextTurn();
    return this.#search(query, options);
  }

  /** Concurrent queries share one attempt to create the index. */
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
      // An address is known even if a policy hides its tool.
      const known = [
        ...internalsOf(registry).tools.all().flatMap(addressesIn),
        ...this.#entries.byAddress.keys(),
      ];
      reportUnknownAddresses(sidecar, words.keys(), new Set(known), onUnknown);
    }
    return openSearch(toDocuments(this.#entries, words), settings);
  }
}

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

/** Returns the key of a shared index. Toolset texts and settings are part of it, because they change the results. */
function keyOf(
  { groups }: View,
  toolsets: readonly ToolsetTexts[],
  { ranker, sidecar }: SearchSettings,
): string {
  const shown = new Set(groups.map(({ key }) => key));
  const texts = toolsets
    .filter(({ key }) => shown.has(key))
    .map(({ key, name, description, decisionCriteria }) => [key, name, description, decisionCriteria]);
  return JSON.stringify([idOf(ranker), idOf(sidecar), texts]);
}

/** Creates the index and the ranker. It reads the documents in slices, so that it does not block the event loop. */
async function openSearch(
  documents: Iterable<ToolSearchDocument>,
  { ranker: createRanker }: SearchSettings,
): Promise<Find> {
  const all: ToolSearchDocument[] = [];
  const search = await runInSlices(readAndIndex(documents, all));
  if (!createRanker) return async (query, options) => search.answer(query, options);
  const fused = fuseRanker(search, await createRanker(all));
  return async (query, options) =>
    addCounts(await fused.search(query, options), search.answer(query, options));
}

/** Adds the counts of the built-in search to the fused results, because a ranker does not say how many tools match. */
function addCounts(
  results: ToolSearchAnswer['results'],
  { results: own, more, unmatched }: ToolSearchAnswer,
): ToolSearchAnswer {
  return { results, more: Math.max(0, own.length + more - results.length), unmatched };
}

function* readAndIndex(
  documents: Iterable<ToolSearchDocument>,
  all: ToolSearchDocument[],
): Steps<ToolSearch> {
  for (const document of documents) {
    all.push(document);
    yield;
  }
  return yield* buildToolSearch(all);
}
