import { declaredFields } from '@toolfold/schema/internal';
import {
  describeArguments,
  joinSearchWords,
  joinTexts,
  readSidecar,
  riskOf,
  toDocuments,
  runInSlices,
} from '@toolfold/search/internal';
import type { SearchContents, SidecarWords } from '@toolfold/search/internal';
import type { SearchSettings, ToolSearchDocument } from '@toolfold/search';
import type { ListedTool, OpenTarget } from '../target/opened-target.js';
import { CommandError } from '../command-error.js';
import { distinctBy } from '../distinct-by.js';

export interface SearchedTarget {
  readonly documents: readonly ToolSearchDocument[];
  /** Search settings of the exported Exposure, if it uses the search form. */
  readonly settings: SearchSettings;
  /** Resolves an address, which may be a former one, to the current address. */
  readonly find: (address: string) => string | undefined;
}

/**
 * Reads the texts that the search form indexes. Tools of servers and saved lists get the same texts as in the search
 * form of the proxy.
 */
export async function readDocuments(
  opened: Pick<OpenTarget, 'searchedActions' | 'tools'>,
  sidecar?: SidecarWords,
): Promise<SearchedTarget> {
  const contents = await opened.searchedActions?.();
  if (contents) return readContents(contents, sidecar);
  assertListed(opened);
  // A saved list may repeat a name.
  const listed = distinctBy(opened.tools.map(toListedDocument), ({ address }) => address);
  const documents = listed.map((document) => ({
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
    documents: await runInSlices(collect(toDocuments(entries, joinSidecars(own, added)))),
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

/** Rejects a running server in the search or code form, because its list lacks the tools that it finds. */
export function assertListed({ tools }: Pick<OpenTarget, 'tools'>): void {
  const names = new Set(tools.map(({ tool }) => tool.name));
  const form = names.has('call_read_tool') ? 'search' : names.has('run_code') ? 'code' : undefined;
  if (names.has('search_tools') && form !== undefined)
    throw new CommandError(
      `The server lists the ${form} form, which does not show the tools behind it. Pass the file that exports its registry.`,
    );
}

function toListedDocument({ tool, hints }: ListedTool): ToolSearchDocument {
  return {
    address: tool.name,
    name: tool.name,
    // Join the texts as a proxy does.
    description: joinTexts([tool.title ?? tool.annotations?.title, tool.description]),
    arguments: readArguments(tool.inputSchema),
    risk: riskOf(hints),
  };
}

/** Reads the texts of arguments. A server may send anything as a schema. */
export function readArguments(schema: unknown): NonNullable<ToolSearchDocument['arguments']> {
  return describeArguments(declaredFields(schema));
}
