import { createToolSearch, fuseRanker } from '@toolfold/search';
import type { FusedSearch, SearchSidecar, ToolSearch, ToolSearchAnswer } from '@toolfold/search';
import { readSidecar } from '@toolfold/search/internal';
import { untilAborted } from '@toolfold/schema/internal';
import { openTarget, whileOpen } from '../target/open-target.js';
import type { OpenTarget, SearchedTarget } from '@toolfold/analysis/internal';
import { readTargetOptions, targetSpecs } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { CommandError, readDocuments, UsageError } from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';
import { readSidecarFile, searchFileSpecs, warnOfUnknownAddresses } from './read-sidecar.js';

/** A search index over the tools of a target, configured like its search form. */
export interface OpenedSearch extends SearchedTarget {
  readonly kind: OpenTarget['kind'];
  readonly search: ToolSearch;
  /** Answers a query, using the ranker of the server if it has one. */
  readonly answer: (query: string, limit: number) => Promise<ToolSearchAnswer>;
}

export const searchSpecs: OptionSpecs = {
  ...searchFileSpecs,
  ...targetSpecs,
};

export async function openToolSearch(
  target: Target,
  read: ReadArguments,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<OpenedSearch> {
  const added = readSidecarOption(read);
  const options = { ...readTargetOptions(read), terminal, signal, isAuthored: true };
  return whileOpen(openTarget(target, options), async (opened) => {
    const searched = await readDocuments(opened, added && readSidecar(added.sidecar));
    if (searched.documents.length === 0) throw new CommandError('There are no tools to search.');
    if (added)
      warnOfUnknownAddresses(added.file, added.sidecar, knownIn(searched, added.sidecar), (message) =>
        terminal.notify(message),
      );
    const search = createToolSearch(searched.documents);
    signal.throwIfAborted();
    const fused = await fuse(search, searched, signal);
    return {
      ...searched,
      kind: opened.kind,
      search,
      answer: async (query, limit) => {
        const own = search.answer(query, { limit });
        if (!fused) return own;
        return { ...own, results: await untilAborted(fused.search(query, { limit, signal }), signal) };
      },
    };
  });
}

/** Adds the ranker of the server, with a time limit, because it is the author's code and may never finish. */
async function fuse(
  search: ToolSearch,
  { settings, documents }: SearchedTarget,
  signal: AbortSignal,
): Promise<FusedSearch | undefined> {
  if (!settings.ranker) return undefined;
  return fuseRanker(search, await untilAborted(Promise.resolve(settings.ranker(documents)), signal));
}

/** Returns the addresses of all tools, and former addresses that a sidecar uses. */
function knownIn({ documents, find }: SearchedTarget, { tools }: SearchSidecar): ReadonlySet<string> {
  const former = Object.keys(tools).filter((address) => find(address) !== undefined);
  return new Set([...documents.map(({ address }) => address), ...former]);
}

function readSidecarOption({ options }: ReadArguments): { file: string; sidecar: SearchSidecar } | undefined {
  const [file] = options.get('search-file') ?? [];
  return file === undefined ? undefined : { file, sidecar: readSidecarFile(file) };
}

/** The search form returns at most this number of tools. */
const MAX_LIMIT = 50;

export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= MAX_LIMIT))
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}, not "${text}".`);
  return value;
}
