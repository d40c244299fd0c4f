import { didYouMean } from '../../schema/validate/describe-issues.js';
import { compileForwarding, compileTools, flatToolOf } from '../../compile/tool-forms.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import { nearestName } from '../../values/nearest-name.js';
import { wireNameOf } from '../../protocol/wire-name.js';
import type { AnyToolDefinition } from '../../define/tool-definition.js';
import { ErrDuplicateName, ErrInvalidPolicy } from '../../errors.js';
import { ToolAnnotations, Tool } from '../../model/tool.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { createView } from '../../views/view.js';
import { callToolOf, createForward } from './calls.js';
import { readEntries } from './entries.js';
import type { SearchEntries, SearchEntry, SearchedToolset } from './entries.js';
import { createFind } from './find.js';
import type { CreateRanker } from './open-search.js';
import { describeTools, listToolsets, searchTools } from './meta-tools.js';
import type { View } from '../../views/view.js';

export interface SearchFormOptions {
  /** What toolsets say of themselves. Those of which the view shows nothing are left out. */
  readonly toolsets?: readonly SearchedToolset[] | undefined;
  /** Tools that stay listed, by name, and actions that are listed as tools of their own, by address. */
  readonly pinned?: readonly string[] | undefined;
  /**
   * What may be pinned, where the view is a narrower one of it: what the view hides is left out then. Without it all
   * that is pinned must be in the view.
   */
  readonly pinnable?: View | undefined;
  /**
   * A view that shows all of it and more, such as what the operator offers to anybody. What is made for searching it
   * is used here too, so that many narrower views need one index and one ranker.
   */
  readonly wider?: View | undefined;
  /** Ranks beside the search that Toolfold brings; the places of both count. */
  readonly ranker?: CreateRanker | undefined;
}

/**
 * A view with a list that stays the same whatever stands behind it: tools to find, describe and call those of another
 * view. Whoever asks for it keeps it with the other view. The index is made at the first search.
 *
 * @internal
 */
export function createSearchView(registry: AnyRegistry, inner: View, options: SearchFormOptions = {}): View {
  assertOptions(options);
  const { toolsets = [], pinned = [], pinnable = inner, wider = inner, ranker } = options;
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
  return createView({ host: registry.viewHost, policy: inner.policy, tools, searched: inner });
}

const optionNames = ['toolsets', 'pinned', 'pinnable', 'wider', 'ranker'];

/** Options may come from a file: a slip in one must not go unnoticed. */
function assertOptions(options: SearchFormOptions): void {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, optionNames);
    throw new ErrInvalidPolicy(`The search form has no option "${unknown}".${didYouMean(nearest)}`);
  }
  const { pinned = [], ranker } = options as { pinned?: unknown; ranker?: unknown };
  if (!Array.isArray(pinned) || !pinned.every((pin) => typeof pin === 'string'))
    throw new ErrInvalidPolicy('"pinned" of the search form must be a list of names and addresses.');
  if (ranker !== undefined && typeof ranker !== 'function')
    throw new ErrInvalidPolicy('"ranker" of the search form must be a function.');
}

/** The names that the search takes for itself. */
export const searchToolNames: ReadonlySet<string> = new Set([
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
      'Runs a tool of kind "read", which changes nothing. Its arguments are those that describe_tools gives for its address.',
    annotations: { readOnlyHint: true },
  },
  write: {
    title: 'Call a tool that writes',
    description:
      'Runs a tool of kind "write", which may change something. Its arguments are those that describe_tools gives for its address.',
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
        address: { type: 'string', description: 'The address of the tool, as search_tools gives it' },
        arguments: { type: 'object', description: 'The arguments of that tool' },
      },
      required: ['address'],
      additionalProperties: false,
    },
    annotations: new ToolAnnotations(annotations),
  });
  return compileForwarding(tool, createForward(inner, entries, kind));
}

/** A tool of the view, or an action of it as a tool of its own. */
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
    throw new ErrDuplicateName(`The search form has a tool "${name}" already, so that none can be pinned.`, {
      hint: 'Rename it, or do not pin it: it can be found and called all the same.',
      details: { name, kind: 'tool' },
    });
  }
  tools.set(name, pinned);
}

/** What is nowhere is a mistake of the operator. */
function assertPinnable(pin: string, pinnable: View): undefined {
  const { byAddress } = readEntries(pinnable, []);
  if (pinnable.tools.has(pin) || byAddress.has(pin)) return;
  const nearest = nearestName(pin, new Set([...pinnable.tools.keys(), ...byAddress.keys()]));
  throw new ErrInvalidPolicy(`The search form pins "${pin}", which there is not.${didYouMean(nearest)}`, {
    details: { address: pin },
  });
}

/** What stays listed beside the search over a view: what is pinned, and what is active from the start. */
export function pinsIn(
  { groups, tools }: View,
  isWhole: boolean,
  pinned: readonly string[],
  startup: readonly string[],
): readonly string[] {
  const ofStartup = groups
    .filter(({ key }) => startup.includes(key))
    .flatMap((group) => group.tools)
    // One that is called like a tool of the search can be found, not listed.
    .filter((name) => !searchToolNames.has(name));
  const known = new Set(
    [...tools].flatMap(([name, { actions }]) => [
      name,
      ...[...actions.values()].map(({ address }) => address),
    ]),
  );
  // Of a view that is not whole, a pin may be what it does not show.
  const there = isWhole ? pinned : pinned.filter((name) => known.has(name));
  return [...new Set([...there, ...ofStartup])];
}
