import { clip, didYouMean, listNames, createEffort, nearestName } from '../../values/nearest-name.js';
import type { AnyToolDefinition } from '../../define/tool-definition.js';
import { flatToolOf } from '../../compile/tool-forms.js';
import { ErrUnknownToolset, ErrValidationFailed, ErrUnknownTool } from '../../errors.js';
import { toJson, toToon } from '../../values/value-text.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { McpToolConverter } from '../../model/converters/mcp-converters.js';
import type { View } from '../../views/view.js';
import { summarize } from './entries.js';
import type { SearchEntries, SearchEntry } from './entries.js';
import type { Search } from './open-search.js';
import type { Forward } from '../../compile/compiled-tool.js';
import { repairJson } from '../../guards/repair/json-repair.js';
import type { RepairPlan } from '../../guards/repair/json-repair.js';
import type { Effort } from '../../values/nearest-name.js';
import { isJsonObject } from '../../values/json-value.js';
import { toStructuredResult } from '../../protocol/tool-result.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const MAX_DESCRIBED = 20;
const MAX_QUERY = 2_000;

interface SearchInput {
  readonly query?: string;
  readonly toolset?: string;
  readonly kind?: SearchEntry['kind'];
  readonly limit?: number;
}

/** The tool that finds addresses. Its definition is the same for every view. */
export function searchTools(entries: SearchEntries, find: Search): AnyToolDefinition {
  return {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do and returns their addresses, best match first. ' +
      'Next, call describe_tools to read the arguments of a tool, and call_read_tool or call_write_tool to run it.',
    readOnly: true,
    openWorld: false,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          maxLength: MAX_QUERY,
          description: 'The task, in plain words. Leave it out to list the tools of a toolset',
        },
        toolset: { type: 'string', description: 'The key of a toolset: only its tools are searched' },
        kind: {
          type: 'string',
          enum: ['read', 'write'],
          description: '"read": only tools that change nothing. "write": only tools that may change data',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: 'Most tools to return',
        },
      },
      additionalProperties: false,
    },
    handler: async ({ input, context }: { input: SearchInput; context: { signal: AbortSignal } }) => {
      const { query = '', toolset, kind, limit = DEFAULT_LIMIT } = input;
      if (toolset !== undefined) assertToolset(toolset, entries);
      const matches = ({ kind: its, toolsets }: SearchEntry): boolean =>
        (kind === undefined || its === kind) && (toolset === undefined || toolsets.includes(toolset));
      if (query.trim() === '') return listToolset(entries, toolset, matches, limit);
      const isNarrowed = kind !== undefined || toolset !== undefined;
      const found = await find(query, {
        limit: isNarrowed ? entries.byAddress.size : limit,
        signal: context.signal,
      });
      const chosen = found.flatMap(({ address }) => entries.byAddress.get(address) ?? []).filter(matches);
      const rows = chosen.slice(0, limit).map((entry) => toRow(entry, entries));
      return toStructuredResult(
        rows.length > 0 ? { tools: rows } : { tools: [], next: adviseAfterNothing(isNarrowed) },
        toToon,
      );
    },
  };
}

function adviseAfterNothing(isNarrowed: boolean): string {
  return (
    `No tool was found. Try other words for the task${isNarrowed ? ', leave out toolset and kind' : ''}, ` +
    'or call list_toolsets for an overview.'
  );
}

function listToolset(
  { byAddress, toolsets }: SearchEntries,
  toolset: string | undefined,
  matches: (entry: SearchEntry) => boolean,
  limit: number,
): CallToolResult {
  if (toolset === undefined) {
    throw new ErrValidationFailed(
      'Validation failed: query: describe the task, or pass a toolset to list its tools. list_toolsets returns the keys of toolsets.',
    );
  }
  const all = [...byAddress.values()]
    .filter(matches)
    .toSorted((one, other) => (one.compiled.address < other.compiled.address ? -1 : 1));
  const rows = all.slice(0, limit).map((entry) => toRow(entry, { byAddress, toolsets }));
  return toStructuredResult(
    { tools: rows, ...(all.length > rows.length ? { more: all.length - rows.length } : {}) },
    toToon,
  );
}

/** A search result. All rows have the same fields, because a table takes the fewest tokens. */
function toRow(entry: SearchEntry, { toolsets }: SearchEntries) {
  return {
    address: entry.compiled.address,
    summary: summarize(entry),
    kind: entry.kind,
    ...(toolsets.size > 0 ? { toolset: entry.toolsets[0] ?? '' } : {}),
  };
}

/** The tool that returns the schemas of tools. */
export function describeTools(entries: SearchEntries, tools: View['tools']): AnyToolDefinition {
  const converter = new McpToolConverter();
  const describe = ({ compiled, kind, toolsets }: SearchEntry) => {
    const { title, description, inputSchema, outputSchema, annotations } = converter.convertFrom(
      flatToolOf(compiled).tool,
    );
    const { scopes } = compiled.action;
    return {
      address: compiled.address,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      kind,
      callWith: callToolOf[kind],
      ...(toolsets.length > 0 ? { toolsets } : {}),
      ...(scopes.length > 0 ? { scopes } : {}),
      ...(annotations === undefined ? {} : { annotations }),
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    };
  };
  return {
    name: 'describe_tools',
    title: 'Describe tools',
    description:
      'Returns the full descriptions of tools, the schemas of their arguments and results, and the tool that calls them.',
    readOnly: true,
    openWorld: false,
    inputSchema: {
      type: 'object',
      properties: {
        addresses: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: MAX_DESCRIBED,
          description: 'Addresses, as search_tools returns them',
        },
      },
      required: ['addresses'],
      additionalProperties: false,
    },
    handler: ({ input }: { input: { readonly addresses: readonly string[] } }) => {
      const asked = [...new Set(input.addresses)];
      const known = new Set(asked.flatMap((address) => entries.byAddress.get(address) ?? []));
      const effort = createEffort();
      const problems = asked
        .filter((address) => !entries.byAddress.has(address))
        .map((address) => unknownAddress(address, entries, tools, effort));
      const [first] = problems;
      if (first && known.size === 0) throw first;
      const described = { tools: [...known].map(describe) };
      return toStructuredResult(
        first ? { ...described, problems: problems.map(({ message }) => message) } : described,
        toJson,
      );
    },
  };
}

/** The tool that returns an overview of the toolsets. */
export function listToolsets({ byAddress, toolsets }: SearchEntries): AnyToolDefinition {
  return {
    name: 'list_toolsets',
    title: 'List toolsets',
    description: 'Lists the toolsets: what each is for, when to use it, and how many tools it has.',
    readOnly: true,
    openWorld: false,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    handler: () => {
      const counts = new Map<string, number>();
      let others = 0;
      for (const entry of byAddress.values()) {
        for (const key of entry.toolsets) counts.set(key, (counts.get(key) ?? 0) + 1);
        if (entry.toolsets.length === 0) others++;
      }
      const hasCriteria = [...toolsets.values()].some(
        ({ decisionCriteria }) => decisionCriteria !== undefined,
      );
      const rows = [...toolsets.values()].map(({ key, name, description, decisionCriteria = '' }) => ({
        key,
        name,
        description,
        ...(hasCriteria ? { decisionCriteria } : {}),
        tools: counts.get(key) ?? 0,
      }));
      const next =
        others > 0 ? { others, next: 'search_tools also finds tools that are in no toolset.' } : {};
      return toStructuredResult({ toolsets: rows, ...next }, toToon);
    },
  };
}

/** Rejects a toolset that has no tools in the view. */
function assertToolset(key: string, { toolsets }: SearchEntries): void {
  if (toolsets.has(key)) return;
  const advice =
    toolsets.size === 0 ? 'There are no toolsets: leave it out.' : `Toolsets: ${listNames(toolsets.keys())}.`;
  throw new ErrUnknownToolset(
    `Unknown toolset "${clip(key)}".${didYouMean(nearestName(key, toolsets.keys()))} ${advice}`,
  );
}

type Kind = SearchEntry['kind'];

/** The search tool that calls actions of a kind. */
export const callToolOf: Readonly<Record<Kind, string>> = {
  read: 'call_read_tool',
  write: 'call_write_tool',
};

/** Parses nested values that a model sent as JSON text. */
const nested: RepairPlan = { isNested: true, fields: new Map(), items: undefined };
const plan: RepairPlan = { isNested: false, fields: new Map([['arguments', nested]]), items: undefined };

/** Formatting hints, which every call accepts beside its arguments. */
const hints: ReadonlySet<string> = new Set(['minify', '_minify', '__minify']);

/** Forwards calls of `{ address, arguments }` to the action with that address, if the action is of the right kind. */
export function createForward({ tools }: View, entries: SearchEntries, kind: Kind): Forward {
  return (given) => {
    const { address, arguments: sent, ...beside } = repairJson(given, plan).input;
    if (typeof address !== 'string')
      return () => reject('address: must be the address of a tool, as search_tools returns it');
    const entry = entries.byAddress.get(address);
    if (!entry) return () => unknownAddress(address, entries, tools);
    if (entry.kind !== kind) return () => wrongKind(address, entry.kind);
    const own = sent ?? {};
    if (!isJsonObject(own))
      return () => reject(`arguments: must be an object with the arguments of "${address}"`);
    const stray = Object.keys(beside).filter((field) => !hints.has(field));
    if (stray.length > 0) {
      const names = listNames(stray.map((field) => clip(field)));
      return () => reject(`${names}: put the arguments of "${address}" into "arguments"`);
    }
    const { name } = entry;
    const { discriminator } = entry.holder;
    const real = { ...beside, ...own };
    const former = address === entry.compiled.address ? undefined : address;
    if (discriminator === undefined) return { tools, name, arguments: real, former };
    // The arguments are those of a direct call of the tool.
    const { key } = entry.compiled;
    if (Object.hasOwn(real, discriminator) && real[discriminator] !== key)
      return () => reject(`arguments.${discriminator}: leave it out, because the address selects the action`);
    return { tools, name, arguments: { ...real, [discriminator]: key }, former };
  };
}

/** Tools that the view hides are reported as unknown. */
function unknownAddress(
  address: string,
  { byAddress }: SearchEntries,
  tools: View['tools'],
  effort?: Effort,
): ErrUnknownTool {
  const actions = [...(tools.get(address)?.actions.values() ?? [])].map((action) => action.address);
  if (actions.length > 0) {
    return new ErrUnknownTool(
      `"${address}" is a tool name, not an address. Addresses in this tool: ${listNames(actions)}`,
      { details: { suggestions: actions } },
    );
  }
  const nearest = nearestName(address, byAddress.keys(), effort);
  return new ErrUnknownTool(
    `Unknown tool "${clip(address)}".${didYouMean(nearest)} Call search_tools to get a valid address.`,
    { details: { suggestions: nearest === undefined ? [] : [nearest] } },
  );
}

function wrongKind(address: string, kind: Kind): ErrValidationFailed {
  const does = kind === 'read' ? 'only reads' : 'may change data';
  return reject(`address: "${address}" ${does}. Call it with ${callToolOf[kind]}`, [callToolOf[kind]]);
}

function reject(problem: string, suggestions: readonly string[] = []): ErrValidationFailed {
  return new ErrValidationFailed(`Validation failed: ${problem}.`, { details: { suggestions } });
}
