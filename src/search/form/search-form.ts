import { didYouMean, nearestName } from '../../values/nearest-name.js';
import { compileForwarding, compileTools, flatToolOf, WeakCache } from '../../compile/tool-forms.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import { wireNameOf } from '../../protocol/wire-name.js';
import type { AnyToolDefinition } from '../../define/tool-definition.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '../../errors.js';
import { assertOptions, callback, listOf, objectLike } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import { ToolAnnotations, Tool } from '../../model/tool.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { createView, profileOf } from '../../views/view.js';
import { callToolOf, createForward, describeTools, listToolsets, searchTools } from './meta-tools.js';
import { readEntries, toDocuments } from './entries.js';
import type { SearchEntries, SearchEntry, SearchedToolset } from './entries.js';
import { nextTurn } from '../index/slices.js';
import { sharesPendingWork } from '../../runtime/runtime.js';
import type { FusedQuery, ToolSearchResult } from '../index/tool-search.js';
import type { CreateRanker, Search } from './open-search.js';
import type { View } from '../../views/view.js';

export interface SearchFormOptions {
  /** Names and descriptions of toolsets. Toolsets without tools in the view are left out. */
  readonly toolsets?: readonly SearchedToolset[] | undefined;
  /** Tools that stay listed, by name, and actions that are listed as separate tools, by address. */
  readonly pinned?: readonly string[] | undefined;
  /**
   * A wider view in which all pinned tools must exist. Pins that the searched view hides are then left out. Default: the
   * searched view.
   */
  readonly pinnable?: View | undefined;
  /**
   * A view that holds all tools of the searched view, such as the operator's whole offer. Its index and its ranker are shared,
   * so that many narrower views need only one of each.
   */
  readonly wider?: View | undefined;
  /** Creates a second ranking, which is combined with the built-in search by the places of tools in both. */
  readonly ranker?: CreateRanker | undefined;
}

/**
 * Creates a view with a fixed list: the tools that find, describe and call the tools of another view. The result is not cached
 * here. The index is created on the first search.
 *
 * @internal
 */
export function createSearchView(registry: AnyRegistry, given: View, options: SearchFormOptions = {}): View {
  assertOptions('The search form', options, rules);
  // Schemas that the search returns as text need not fit a client, so the search finds tools in the form of their authors.
  const inner = authoredOf(given);
  const { toolsets = [], pinned = [], ranker } = options;
  const [pinnable, wider] = [authoredOf(options.pinnable ?? inner), authoredOf(options.wider ?? inner)];
  const entries = readEntries(inner, toolsets);
  const compile = (definition: AnyToolDefinition): CompiledTool => {
    const { spec, actions } = registry.tools.compileItem(definition);
    return compileTools(spec, actions)[0] as CompiledTool;
  };
  const own = [
    compile(searchTools(entries, createFind({ inner, entries, wider, toolsets, ranker }))),
    compile(describeTools(entries, inner.tools)),
    compileCall('read', inner, entries),
    compileCall('write', inner, entries),
    compile(listToolsets(entries)),
  ];
  const tools = new Map(own.map((each) => [each.tool.name, each]));
  for (const pin of new Set(pinned)) {
    const each = findPinned(pin, inner, entries) ?? assertPinnable(pin, pinnable);
    if (each) addPinned(tools, each);
  }
  const { policy } = inner;
  return createView({ host: registry.viewHost, policy, tools, searched: inner, profile: profileOf(policy) });
}

function authoredOf(view: View): View {
  return view.authored ?? view;
}

const rules: Rules<keyof SearchFormOptions> = {
  toolsets: [Array.isArray, 'a list of toolsets'],
  pinned: listOf('names and addresses'),
  pinnable: objectLike('a view'),
  wider: objectLike('a view'),
  ranker: callback,
};

/** The names of the search tools. */
const searchToolNames: ReadonlySet<string> = new Set([
  'search_tools',
  'describe_tools',
  'call_read_tool',
  'call_write_tool',
  'list_toolsets',
]);

const callTools = {
  read: {
    title: 'Call a tool that reads',
    description:
      'Runs a tool of kind "read", which changes nothing. describe_tools returns the arguments that it takes.',
    annotations: { readOnlyHint: true },
  },
  write: {
    title: 'Call a tool that writes',
    description:
      'Runs a tool of kind "write", which may change data. describe_tools returns the arguments that it takes.',
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
};

function compileCall(kind: SearchEntry['kind'], inner: View, entries: SearchEntries): CompiledTool {
  const { title, description, annotations } = callTools[kind];
  const tool = new Tool({
    name: callToolOf[kind],
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        address: { type: 'string', description: 'The address of the tool, as search_tools returns it' },
        arguments: { type: 'object', description: 'The arguments of that tool' },
      },
      required: ['address'],
      additionalProperties: false,
    },
    annotations: new ToolAnnotations(annotations),
  });
  return compileForwarding(tool, createForward(inner, entries, kind));
}

/** Finds a tool of the view by name, or an action of the view by address. The action becomes a separate tool. */
function findPinned(pin: string, { tools }: View, { byAddress }: SearchEntries): CompiledTool | undefined {
  const tool = tools.get(pin);
  if (tool) return tool;
  const entry = byAddress.get(pin);
  if (!entry) return undefined;
  return entry.holder.discriminator === undefined ? entry.holder : flatToolOf(entry.compiled);
}

function addPinned(tools: Map<string, CompiledTool>, pinned: CompiledTool): void {
  const name = wireNameOf(pinned.tool);
  const other = tools.get(name);
  if (other === pinned) return;
  if (other) {
    throw new ErrDuplicateName(
      `A tool "${name}" cannot be pinned, because the search form already lists one.`,
      {
        hint: 'Rename it, or do not pin it: the search tools still find and call it.',
        details: { name, kind: 'tool' },
      },
    );
  }
  tools.set(name, pinned);
}

/** Rejects a pin that does not exist, because it is a mistake in the configuration. */
function assertPinnable(pin: string, pinnable: View): undefined {
  const { byAddress } = readEntries(pinnable, []);
  if (pinnable.tools.has(pin) || byAddress.has(pin)) return;
  const nearest = nearestName(pin, new Set([...pinnable.tools.keys(), ...byAddress.keys()]));
  throw new ErrInvalidPolicy(`The search form pins "${pin}", which does not exist.${didYouMean(nearest)}`, {
    details: { address: pin },
  });
}

/** The names that stay listed beside the search tools: the pinned tools, and the tools of the startup toolsets. */
export function pinsIn(
  { groups, tools }: View,
  isWhole: boolean,
  pinned: readonly string[],
  startup: readonly string[],
): readonly string[] {
  const ofStartup = groups
    .filter(({ key }) => startup.includes(key))
    .flatMap((group) => group.tools)
    // A tool with the name of a search tool can be found, but not listed.
    .filter((name) => !searchToolNames.has(name));
  const known = new Set(
    [...tools].flatMap(([name, { actions }]) => [
      name,
      ...[...actions.values()].map(({ address }) => address),
    ]),
  );
  // A narrowed view may hide pinned tools.
  const there = isWhole ? pinned : pinned.filter((name) => known.has(name));
  return [...new Set([...there, ...ofStartup])];
}

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
function createFind({ inner, entries, wider, toolsets, ranker }: Searched): Search {
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
  #search: Search | undefined;

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
    if (this.#search) return this.#search(query, options);
    this.#search = await (sharesPendingWork() ? this.#openOnce() : this.#open());
    // The callers that waited for the index take turns, because a query among 10,000 tools takes milliseconds.
    await nextTurn();
    return this.#search(query, options);
  }

  /** Concurrent queries share the index that is being created. */
  #openOnce(): Promise<Search> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Search> {
    const { openSearch } = await import('./open-search.js');
    return openSearch(toDocuments(this.#entries), this.#createRanker);
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
