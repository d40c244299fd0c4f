import { choicesOf, isJsonObject, mapIn, namesIn } from '@toolfold/schema/internal';
import { AliasedMap, formerAddressesIn } from 'toolfold/internal';
import type { CompiledAction, CompiledTool } from 'toolfold/internal';
import type { Hints, SearchWords, View } from 'toolfold';
import type { ReadSchema } from '@toolfold/schema';
import type { ToolsetTexts } from 'toolfold/web';
import type { ToolSearchDocument } from '../index/search-index.js';
import { joinSearchWords } from './sidecar.js';
import type { SidecarWords } from './sidecar.js';

export interface SearchEntry {
  readonly compiled: CompiledAction;
  /** The wire name of the tool that holds the action. */
  readonly name: string;
  readonly holder: CompiledTool;
  readonly kind: 'read' | 'write';
  /** The keys of the toolsets that hold the action. */
  readonly toolsets: readonly string[];
}

export interface SearchEntries {
  readonly byAddress: ReadonlyMap<string, SearchEntry>;
  /** Excludes toolsets that have no tools in the view. */
  readonly toolsets: ReadonlyMap<string, ToolsetTexts>;
}

export function readEntries({ tools, groups }: View, known: readonly ToolsetTexts[]): SearchEntries {
  const keysOf = readKeys(groups);
  const byAddress = new Map<string, SearchEntry>();
  const former = new Map<string, SearchEntry>();
  for (const [name, holder] of tools) {
    const toolsets = keysOf.get(name) ?? none;
    for (const compiled of holder.actions.values()) {
      const kind = compiled.action.readOnly === true ? 'read' : 'write';
      const entry = { compiled, name, holder, kind, toolsets } as const;
      byAddress.set(compiled.address, entry);
      for (const address of formerAddressesIn(compiled)) former.set(address, entry);
    }
  }
  return {
    byAddress: former.size > 0 ? new AliasedMap(byAddress, former) : byAddress,
    toolsets: readToolsets(groups, known),
  };
}

const none: readonly string[] = Object.freeze([]);

/** Returns the toolsets of each tool. Tools in the same toolsets share one list. */
function readKeys(groups: View['groups']): ReadonlyMap<string, readonly string[]> {
  const keysOf = new Map<string, readonly string[]>();
  for (const { key, tools } of groups) {
    const extended = new Map<readonly string[], readonly string[]>();
    for (const name of tools) {
      const before = keysOf.get(name) ?? none;
      let keys = extended.get(before);
      if (!keys) extended.set(before, (keys = [...before, key]));
      keysOf.set(name, keys);
    }
  }
  return keysOf;
}

/** Returns the shown toolsets in the order of `known`, followed by groups of the view that `known` lacks. */
function readToolsets(groups: View['groups'], known: readonly ToolsetTexts[]): Map<string, ToolsetTexts> {
  const shown = new Set(groups.map(({ key }) => key));
  const toolsets = new Map<string, ToolsetTexts>();
  for (const toolset of known) if (shown.has(toolset.key)) toolsets.set(toolset.key, toolset);
  for (const { key, title = key } of groups) {
    if (!toolsets.has(key)) toolsets.set(key, { key, name: title, description: '' });
  }
  return toolsets;
}

const MAX_SUMMARY = 140;
/** Matches a full stop that ends a sentence, unless it belongs to an abbreviation such as "e.g.". */
const SENTENCE_END = /(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx))[.!?](?=\s|$)/;

/** Matches half of a surrogate pair. TOON cannot encode it, and descriptions from other servers may contain it. */
const HALF_CHARACTER = /\p{Cs}/gu;

export function summarize({ compiled: { action, spec, key } }: SearchEntry): string {
  const written = action.description ?? action.title ?? (key === undefined ? spec.description : key) ?? '';
  const text = written
    .slice(0, 4 * MAX_SUMMARY)
    .replace(HALF_CHARACTER, '')
    .replace(/\s+/g, ' ')
    .trim();
  const end = SENTENCE_END.exec(text);
  const sentence = end ? text.slice(0, end.index + (end[0] === '.' ? 0 : 1)) : text;
  if (sentence.length <= MAX_SUMMARY) return sentence;
  const cut = sentence.slice(0, MAX_SUMMARY);
  return `${cut
    .slice(0, Math.max(cut.lastIndexOf(' '), MAX_SUMMARY / 2))
    .replace(HALF_CHARACTER, '')
    .trimEnd()}…`;
}

/** Yields one text at a time, so that the caller can pause between them. */
export function* toDocuments(
  { byAddress, toolsets }: SearchEntries,
  sidecar?: SidecarWords,
): Generator<ToolSearchDocument> {
  for (const entry of byAddress.values()) yield toDocument(entry, toolsets, sidecar);
}

/** Returns the searchable text of an action: its own words, and those of its tool, its group and its toolsets. */
export function toDocument(
  { compiled, toolsets }: SearchEntry,
  known: SearchEntries['toolsets'],
  sidecar?: SidecarWords,
): ToolSearchDocument {
  const { action, spec, address, key } = compiled;
  const around = toolsets.flatMap((toolset) => {
    const { name, description, decisionCriteria } = known.get(toolset) as ToolsetTexts;
    return [name, description, decisionCriteria];
  });
  if (spec.namespace !== undefined) around.push(spec.namespace);
  if (key !== undefined) around.push(spec.name, spec.title, spec.description, action.groupDescription);
  const words = joinSearchWords(action.search, sidecar && findWords(compiled, sidecar));
  return {
    address,
    name: key ?? spec.name,
    description: joinTexts([
      action.title ?? (key === undefined ? spec.title : undefined),
      action.description,
    ]),
    arguments: [
      ...(spec.common ? describeFields(spec.common) : []),
      ...describeFields(action.advertised ?? action.input),
    ],
    tags: [...compiled.tags],
    toolset: joinTexts(around),
    keywords: words?.keywords,
    examples: words?.examples,
    risk: riskOf(action),
  };
}

/** Finds the words that a sidecar has for an action under its current or a former address. */
function findWords(compiled: CompiledAction, sidecar: SidecarWords): SearchWords | undefined {
  const address = [compiled.address, ...formerAddressesIn(compiled)].find((each) => sidecar.has(each));
  return address === undefined ? undefined : sidecar.get(address);
}

/** As in MCP, an action that is neither `readOnly` nor `destructive: false` may be destructive. */
export function riskOf({ readOnly, destructive }: Hints): NonNullable<ToolSearchDocument['risk']> {
  if (readOnly === true) return 'read';
  return destructive === false ? 'write' : 'destructive';
}

function describeFields({ fields }: Pick<ReadSchema, 'fields'>): SearchedArguments {
  return describeArguments(Array.from(fields ?? [], ([name, { schema }]) => ({ name, schema })));
}

type SearchedArguments = NonNullable<ToolSearchDocument['arguments']>;

/** Returns the texts of arguments. Their schemas may be anything, because another server may have written them. */
export function describeArguments(
  fields: readonly { readonly name: string; readonly schema: unknown }[],
): SearchedArguments {
  return fields.map(({ name, schema }) => {
    const { description } = mapIn(schema);
    const values = valuesIn(schema, VALUES_DEPTH).slice(0, MAX_VALUES);
    return {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(values.length > 0 ? { values } : {}),
    };
  });
}

/** Longer lists are data, such as currencies, and do not say what a tool does. */
const MAX_VALUES = 32;
/** Looks into items of lists, and into alternatives of types such as `'open' | null`. */
const VALUES_DEPTH = 2;

function valuesIn(schema: unknown, depth: number): string[] {
  if (!isJsonObject(schema)) return [];
  const inside = depth > 0 ? [schema['items'], schema['anyOf'], schema['oneOf']].flat() : [];
  return [...namesIn(choicesOf(schema)), ...inside.flatMap((each) => valuesIn(each, depth - 1))];
}

export function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('. ');
}

export const callToolOf: Readonly<Record<SearchEntry['kind'], string>> = {
  read: 'call_read_tool',
  write: 'call_write_tool',
};
