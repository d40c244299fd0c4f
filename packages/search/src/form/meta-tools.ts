import {
  clip,
  createEffort,
  didYouMean,
  isJsonObject,
  listNames,
  nearestName,
} from '@toolfold/schema/internal';
import type { AnyToolDefinition, RepairPlan } from 'toolfold/internal';
import type { ToolContext, View } from 'toolfold';
import { ErrValidationFailed, ErrUnknownTool } from 'toolfold/errors';
import { callToolOf } from './entries.js';
import type { SearchEntries, SearchEntry } from './entries.js';
import type { AnswerStyle, Find, SearchInput } from './answer-search.js';
import type { ForwardingTool } from 'toolfold/web';
import { repairJson } from 'toolfold/internal';
import type { Effort } from '@toolfold/schema/internal';

const MAX_LIMIT = 50;
const MAX_DESCRIBED = 20;
const MAX_QUERY = 2_000;
const MAX_QUERIES = 10;
const MAX_STEP = 500;

interface SearchCall {
  readonly input: Partial<SearchInput>;
  readonly context: ToolContext;
}

/** Replaces how a form describes `search_tools` and writes its results. */
export interface SearchTexts {
  readonly description: string;
  /** Default: rows with an address and a signature. */
  readonly style?: AnswerStyle | undefined;
}

const searchTexts: SearchTexts = {
  description:
    'Finds tools. Split the task into steps and pass one query per step. Results have an address, a signature and a kind: ' +
    'call_read_tool or call_write_tool runs them. describe_tools returns what "…" leaves out.',
};

/** Defines `search_tools`. The definition does not depend on the view. */
export function searchTools(
  entries: SearchEntries,
  find: Find,
  { description, style }: SearchTexts = searchTexts,
): AnyToolDefinition {
  return {
    name: 'search_tools',
    title: 'Search tools',
    description,
    readOnly: true,
    openWorld: false,
    inputSchema: {
      type: 'object',
      properties: {
        queries: {
          type: 'array',
          items: { type: 'string', maxLength: MAX_STEP },
          maxItems: MAX_QUERIES,
          description: 'One step each, in plain words. Leave it out to list tools',
        },
        query: { type: 'string', maxLength: MAX_QUERY, description: 'A single step' },
        toolset: { type: 'string', description: 'Only the tools of this toolset, by key' },
        kind: {
          type: 'string',
          enum: ['read', 'write'],
          description: '"read" changes nothing, "write" may change data',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_LIMIT,
          description: 'Most tools per query. Default: 10 in all',
        },
        offset: { type: 'integer', minimum: 0, description: 'Tools to skip' },
      },
      additionalProperties: false,
    },
    handler: async ({ input, context }: SearchCall) => {
      const { answerSearch } = await import('./open-search.js');
      return answerSearch({ ...input, offset: input.offset ?? 0 }, entries, find, context.signal, style);
    },
  };
}

export function describeTools(entries: SearchEntries, tools: View['tools']): AnyToolDefinition {
  return {
    name: 'describe_tools',
    title: 'Describe tools',
    description:
      'Returns full descriptions of tools, the schemas of arguments and results, and the tool that calls them.',
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
          description: 'Addresses from search_tools',
        },
      },
      required: ['addresses'],
      additionalProperties: false,
    },
    handler: async ({ input }: { input: { readonly addresses: readonly string[] } }) => {
      const { answerDescribe } = await import('./open-search.js');
      const effort = createEffort();
      return answerDescribe(input.addresses, entries, (address) =>
        unknownAddress(address, entries, tools, effort),
      );
    },
  };
}

export function listToolsets(entries: SearchEntries): AnyToolDefinition {
  return {
    name: 'list_toolsets',
    title: 'List toolsets',
    description: 'Lists the toolsets, when to use each, and how many tools it has.',
    readOnly: true,
    openWorld: false,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    handler: async () => {
      const { answerToolsets } = await import('./open-search.js');
      return answerToolsets(entries);
    },
  };
}

type Kind = SearchEntry['kind'];

/** Parses nested values that a model sent as JSON text. */
const nested: RepairPlan = { isNested: true, parts: { fields: new Map() } };
const plan: RepairPlan = { isNested: false, parts: { fields: new Map([['arguments', nested]]) } };

/** Every call accepts these formatting hints beside its arguments. */
const hints: ReadonlySet<string> = new Set(['minify', '_minify', '__minify']);

/** Forwards calls of `{ address, arguments }` to the action with that address, if the action is of the right kind. */
export function createForward(
  { tools }: View,
  entries: SearchEntries,
  kind: Kind,
): ForwardingTool['forward'] {
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
    if (discriminator === undefined) return { name, arguments: real, sent: own, former };
    // Models send the same arguments as for a direct call, so the discriminator may be among them.
    const { key } = entry.compiled;
    if (Object.hasOwn(real, discriminator) && real[discriminator] !== key)
      return () => reject(`arguments.${discriminator}: leave it out, because the address selects the action`);
    return { name, arguments: { ...real, [discriminator]: key }, sent: own, former };
  };
}

/** Reports hidden tools as unknown. */
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
