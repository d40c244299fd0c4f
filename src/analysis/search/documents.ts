import { joinSearchWords, readSidecar } from '../../search/form/sidecar.js';
import type { SidecarWords } from '../../search/form/sidecar.js';
import { toDocuments } from '../../search/form/entries.js';
import type { SearchContents } from '../../search/form/search-form.js';
import type { SearchSettings } from '../../search/form/search-settings.js';
import type { ToolSearchDocument } from '../../search.js';
import { isJsonObject } from '../../values/json-value.js';
import type { ListedHints, ListedTool, OpenTarget } from '../target/opened-target.js';
import { CommandError } from '../command-error.js';
import { inSlices } from '../steps.js';

/** The searchable texts of a target. */
export interface SearchedTarget {
  readonly documents: readonly ToolSearchDocument[];
  /** The settings of an exported Exposure in the search form. */
  readonly settings: SearchSettings;
  /** The address of a tool that is called by this address, which may be a former one. */
  readonly find: (address: string) => string | undefined;
}

/**
 * Reads the texts that the search form finds tools by. The tools of servers and saved lists have the texts that they would have behind a
 * proxy in the search form.
 */
export async function readDocuments(
  opened: Pick<OpenTarget, 'searchedActions' | 'tools'>,
  sidecar?: SidecarWords,
): Promise<SearchedTarget> {
  const contents = await opened.searchedActions?.();
  if (contents) return readContents(contents, sidecar);
  assertListed(opened);
  const documents = unique(opened.tools.map(toListedDocument)).map((document) => ({
    ...document,
    ...sidecar?.get(document.address),
  }));
  const known = new Set(documents.map(({ address }) => address));
  return { documents, settings: {}, find: (address) => (known.has(address) ? address : undefined) };
}

async function readContents(
  { entries, settings }: SearchContents,
  added: SidecarWords | undefined,
): Promise<SearchedTarget> {
  const own = settings.sidecar && readSidecar(settings.sidecar);
  return {
    documents: await inSlices(collect(toDocuments(entries, joinSidecars(own, added)))),
    settings,
    find: (address) => entries.byAddress.get(address)?.compiled.address,
  };
}

function* collect<T>(items: Iterable<T>): Generator<void, T[]> {
  const collected: T[] = [];
  for (const item of items) {
    collected.push(item);
    yield;
  }
  return collected;
}

function joinSidecars(
  own: SidecarWords | undefined,
  added: SidecarWords | undefined,
): SidecarWords | undefined {
  if (!own || !added) return own ?? added;
  const joined = new Map(own);
  for (const [address, words] of added) {
    const both = joinSearchWords(own.get(address), words);
    if (both) joined.set(address, both);
  }
  return joined;
}

/** Rejects a running server in the search or code form, whose list does not have the tools that it finds. */
export function assertListed({ tools }: Pick<OpenTarget, 'tools'>): void {
  const names = new Set(tools.map(({ tool }) => tool.name));
  const form = names.has('call_read_tool') ? 'search' : names.has('run_code') ? 'code' : undefined;
  if (names.has('search_tools') && form !== undefined)
    throw new CommandError(
      `The server lists the ${form} form, which does not show the tools behind it. Pass the file that exports its registry.`,
    );
}

/** A saved list may have a name twice. The first tool counts. */
function unique(documents: readonly ToolSearchDocument[]): ToolSearchDocument[] {
  const byAddress = new Map<string, ToolSearchDocument>();
  for (const document of documents)
    if (!byAddress.has(document.address)) byAddress.set(document.address, document);
  return [...byAddress.values()];
}

function toListedDocument({ tool, hints }: ListedTool): ToolSearchDocument {
  return {
    address: tool.name,
    name: tool.name,
    // As of tools behind a proxy.
    description: joinTexts([tool.title ?? tool.annotations?.title, tool.description]),
    arguments: readArguments(tool.inputSchema),
    risk: riskOf(hints),
  };
}

function riskOf({ readOnly, destructive }: ListedHints): NonNullable<ToolSearchDocument['risk']> {
  if (readOnly === true) return 'read';
  return destructive === false ? 'write' : 'destructive';
}

/** The names and descriptions of the arguments in a schema. The schema of a server may be anything. */
export function readArguments(schema: unknown): NonNullable<ToolSearchDocument['arguments']> {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const description = isJsonObject(property) ? property['description'] : undefined;
    return { name, description: typeof description === 'string' ? description : undefined };
  });
}

function joinTexts(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('. ');
}
