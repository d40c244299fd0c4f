import { didYouMean, nearestName } from '../../values/nearest-name.js';
import { AliasedMap } from '../../compile/compiled-tool.js';
import { compileForwarding, compileTools, flatToolOf } from '../../compile/tool-forms.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import { sharesPendingWork } from '../../runtime/runtime.js';
import { unrefTimer } from '../../runtime/timers.js';
import { wireNameOf } from '../../protocol/wire-name.js';
import type { AnyToolDefinition } from '../../define/tool-definition.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '../../errors.js';
import { assertOptions, callback, flag, listOf, objectLike } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import { ToolAnnotations, Tool } from '../../model/tool.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { createView, profileOf } from '../../views/view.js';
import { createForward, describeTools, listToolsets, searchTools } from './meta-tools.js';
import { callToolOf, readEntries } from './entries.js';
import type { SearchEntries, SearchEntry, SearchedToolset } from './entries.js';
import type { Find } from './answer-search.js';
import type { ViewLearning } from './learning.js';
import type { Searched } from './search-source.js';
import { assertSearchSettings } from './search-settings.js';
import type { SearchSettings } from './search-settings.js';
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
  /** How tools are found. Default: the built-in search alone. */
  readonly settings?: SearchSettings | undefined;
  /** Whether the index is built soon after the tools are first listed, before the first question. Default: false. */
  readonly isPrepared?: boolean | undefined;
  /** Called with mistakes in the settings that show only when all tools are known. Leave it out for a narrowed view. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The tools of a search view and how it finds them: `View.searchContents`. */
export interface SearchContents {
  readonly entries: SearchEntries;
  readonly settings: SearchSettings;
}

/** The parts from which a form makes its tools. */
export interface SearchParts {
  readonly registry: AnyRegistry;
  /** The view whose tools are found, with the names and schemas of their authors. */
  readonly inner: View;
  readonly entries: SearchEntries;
  readonly find: Find;
  readonly learning: ViewLearning | undefined;
  readonly compile: (definition: AnyToolDefinition) => CompiledTool;
}

/** A form that lists tools of its own instead of the tools of a view. */
export interface OwnForm {
  /** Begins the messages about the options. */
  readonly place: string;
  readonly createTools: (parts: SearchParts) => {
    readonly listed: readonly CompiledTool[];
    /** Tools that can be called, but are listed only if they are pinned. */
    readonly unlisted?: readonly CompiledTool[];
  };
}

const searchForm: OwnForm = {
  place: 'The search form',
  createTools: (parts) => ({
    listed: [
      parts.compile(searchTools(parts.entries, parts.find, parts.learning)),
      parts.compile(describeTools(parts.entries, parts.inner.tools)),
      ...compileCallTools(parts),
    ],
  }),
};

/**
 * Creates a view with a fixed list: the tools that find, describe and call the tools of another view. The result is not cached
 * here. The index is created on the first search, or soon after the first list.
 *
 * @internal
 */
export function createSearchView(
  registry: AnyRegistry,
  given: View,
  options: SearchFormOptions = {},
  { place, createTools }: OwnForm = searchForm,
): View {
  assertOptions(place, options, rules);
  // Schemas that the search returns as text need not fit a client, so the search finds tools in the form of their authors.
  const inner = authoredOf(given);
  const { toolsets = [], pinned = [], settings = {} } = options;
  assertSearchSettings(settings);
  const [pinnable, wider] = [authoredOf(options.pinnable ?? inner), authoredOf(options.wider ?? inner)];
  const entries = readEntries(inner, toolsets);
  const find = createFind({
    inner,
    entries,
    wider,
    toolsets,
    settings,
    onUnknown: options.onError,
    registry,
  });
  const learning = settings.learn && { registry, learn: settings.learn };
  const compile = (definition: AnyToolDefinition): CompiledTool => {
    const { spec, actions } = registry.tools.compileItem(definition);
    return compileTools(spec, actions)[0] as CompiledTool;
  };
  const { listed, unlisted = [] } = createTools({ registry, inner, entries, find, learning, compile });
  const tools = new Map(listed.map((each) => [each.wireName, each]));
  const callable = new Map(unlisted.map((each) => [each.wireName, each]));
  for (const pin of new Set(pinned)) {
    const each = callable.get(pin) ?? findPinned(pin, inner, entries) ?? assertPinnable(pin, pinnable, place);
    if (each) addPinned(tools, each, place);
  }
  for (const name of tools.keys()) callable.delete(name);
  const { policy } = inner;
  const searchContents: SearchContents = { entries, settings };
  return createView({
    host: registry.viewHost,
    policy,
    tools: callable.size > 0 ? new AliasedMap(tools, callable) : tools,
    searched: inner,
    searchContents,
    // A ranker may be expensive to create, so only a question creates it.
    onListed: options.isPrepared === true && !settings.ranker ? createPreparation(find) : undefined,
    profile: profileOf(policy),
  });
}

/** Searches a view. The search is loaded with the first query. */
function createFind(searched: Searched): Find {
  let find: Find | undefined;
  return async (query, options) => {
    const search = await import('./open-search.js');
    find ??= search.createFind(searched);
    return find(query, options);
  };
}

/** Time from the first list to the preparation of the index, so that other requests of a new client are answered first. */
const PREPARATION_DELAY_MS = 50;

/**
 * Returns a function that builds the index of a search in the background, once. On Cloudflare Workers it does nothing, because work
 * ends with its request there.
 */
function createPreparation(find: Find): () => void {
  let isStarted = !sharesPendingWork();
  // The first question builds the index. If that fails, the question of a client tries again and reports the error.
  const prepare = (): Promise<unknown> => find('find a tool', { limit: 1 }).catch(() => {});
  return () => {
    if (isStarted) return;
    isStarted = true;
    unrefTimer(setTimeout(prepare, PREPARATION_DELAY_MS));
  };
}

function authoredOf(view: View): View {
  return view.authored ?? view;
}

const rules: Rules<keyof SearchFormOptions> = {
  toolsets: [Array.isArray, 'a list of toolsets'],
  pinned: listOf('names and addresses'),
  pinnable: objectLike('a view'),
  wider: objectLike('a view'),
  settings: objectLike('an object'),
  isPrepared: flag,
  onError: callback,
};

/** The tools that call others, and the overview of the toolsets. */
export function compileCallTools({ inner, entries, learning, compile }: SearchParts): CompiledTool[] {
  return [
    compileCall('read', inner, entries, learning),
    compileCall('write', inner, entries, learning),
    compile(listToolsets(entries)),
  ];
}

const callTools = {
  read: {
    title: 'Call a tool that reads',
    description: 'Runs a tool of kind "read", which changes nothing.',
    annotations: { readOnlyHint: true },
  },
  write: {
    title: 'Call a tool that writes',
    description: 'Runs a tool of kind "write", which may change data.',
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
};

function compileCall(
  kind: SearchEntry['kind'],
  inner: View,
  entries: SearchEntries,
  learning: ViewLearning | undefined,
): CompiledTool {
  const { title, description, annotations } = callTools[kind];
  const tool = new Tool({
    name: callToolOf[kind],
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        address: { type: 'string', description: 'The address of the tool, from search_tools' },
        arguments: { type: 'object', description: 'The arguments of that tool' },
      },
      required: ['address'],
      additionalProperties: false,
    },
    annotations: new ToolAnnotations(annotations),
  });
  return compileForwarding(tool, createForward(inner, entries, kind, learning));
}

/** Finds a tool of the view by name, or an action of the view by address. The action becomes a separate tool. */
function findPinned(pin: string, { tools }: View, { byAddress }: SearchEntries): CompiledTool | undefined {
  const tool = tools.get(pin);
  if (tool) return tool;
  const entry = byAddress.get(pin);
  if (!entry) return undefined;
  return entry.holder.discriminator === undefined ? entry.holder : flatToolOf(entry.compiled);
}

function addPinned(tools: Map<string, CompiledTool>, pinned: CompiledTool, place: string): void {
  const name = wireNameOf(pinned.tool);
  const other = tools.get(name);
  if (other === pinned) return;
  if (other) {
    throw new ErrDuplicateName(
      `A tool "${name}" cannot be pinned, because ${place.replace('The', 'the')} already lists one.`,
      {
        hint: 'Rename it, or do not pin it: the search tools still find and call it.',
        details: { name, kind: 'tool' },
      },
    );
  }
  tools.set(name, pinned);
}

/** Rejects a pin that does not exist, because it is a mistake in the configuration. */
function assertPinnable(pin: string, pinnable: View, place: string): undefined {
  const { byAddress } = readEntries(pinnable, []);
  if (pinnable.tools.has(pin) || byAddress.has(pin)) return;
  const nearest = nearestName(pin, new Set([...pinnable.tools.keys(), ...byAddress.keys()]));
  throw new ErrInvalidPolicy(`${place} pins "${pin}", which does not exist.${didYouMean(nearest)}`, {
    details: { address: pin },
  });
}

/** The names of the search tools. */
export const searchToolNames: ReadonlySet<string> = new Set([
  'search_tools',
  'describe_tools',
  'call_read_tool',
  'call_write_tool',
  'list_toolsets',
]);

/** The names that stay listed beside the tools of a form: the pinned tools, and the tools of the startup toolsets. */
export function pinsIn(
  { groups, tools }: View,
  isWhole: boolean,
  pinned: readonly string[],
  startup: readonly string[],
  form: 'search' | 'code' = 'search',
): readonly string[] {
  const ofStartup = groups
    .filter(({ key }) => startup.includes(key))
    .flatMap((group) => group.tools)
    // A tool with the name of a tool of the form can be found, but not listed.
    .filter((name) => !searchToolNames.has(name) && !(form === 'code' && name === 'run_code'));
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
