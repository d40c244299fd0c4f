import { createToolSearch, fuseRanker } from '../../search.js';
import type { FusedSearch, ToolSearch, ToolSearchAnswer } from '../../search.js';
import { readSidecar } from '../../search/form/sidecar.js';
import type { SearchSidecar } from '../../search/form/sidecar.js';
import { untilAborted } from '../../upstream/connect.js';
import { openTarget } from '../target/open-target.js';
import type { OpenTarget } from '../../analysis/target/opened-target.js';
import { readTargetOptions, targetSpecs } from '../target/read-target.js';
import type { Target } from '../target/read-target.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { CommandError, UsageError } from '../../analysis/command-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { readDocuments } from '../../analysis/search/documents.js';
import type { SearchedTarget } from '../../analysis/search/documents.js';
import { readSidecarFile, searchFileSpecs, warnOfUnknownAddresses } from './read-sidecar.js';

/** A search over the tools of a target, as its search form would search them. */
export interface OpenedSearch extends SearchedTarget {
  readonly kind: OpenTarget['kind'];
  readonly search: ToolSearch;
  /** Answers a query. If an exported Exposure has a ranker, the ranker counts too. */
  readonly answer: (query: string, limit: number) => Promise<ToolSearchAnswer>;
}

/** The options of commands that search the tools of a target. */
export const searchSpecs: OptionSpecs = {
  ...searchFileSpecs,
  lexicon: { help: 'Match words by meaning too, with the lexicon of toolfold/lexicon' },
  ...targetSpecs,
};

/** Opens a target, reads the texts of its tools, and creates their index. */
export async function openToolSearch(
  target: Target,
  read: ReadArguments,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<OpenedSearch> {
  const added = readSidecarOption(read);
  const options = { ...readTargetOptions(read), terminal, signal, isAuthored: true, onStderr: () => {} };
  const opened = await openTarget(target, options);
  try {
    const searched = await readDocuments(opened, added && readSidecar(added.sidecar));
    if (searched.documents.length === 0) throw new CommandError('There are no tools to search.');
    if (added)
      warnOfUnknownAddresses(added.file, added.sidecar, knownIn(searched, added.sidecar), (message) =>
        terminal.notify(message),
      );
    const lexicon = read.options.has('lexicon')
      ? (await import('../../lexicon.js')).english
      : searched.settings.lexicon;
    const search = createToolSearch(searched.documents, { lexicon });
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
  } finally {
    await opened.close().catch(() => undefined);
  }
}

/** Adds the ranker of an exported Exposure. It is the author's code, and may never answer. */
async function fuse(
  search: ToolSearch,
  { settings, documents }: SearchedTarget,
  signal: AbortSignal,
): Promise<FusedSearch | undefined> {
  if (!settings.ranker) return undefined;
  return fuseRanker(search, await untilAborted(Promise.resolve(settings.ranker(documents)), signal));
}

/** The addresses of all tools, and the former ones that a sidecar uses. */
function knownIn({ documents, find }: SearchedTarget, { tools }: SearchSidecar): ReadonlySet<string> {
  const former = Object.keys(tools).filter((address) => find(address) !== undefined);
  return new Set([...documents.map(({ address }) => address), ...former]);
}

function readSidecarOption({ options }: ReadArguments): { file: string; sidecar: SearchSidecar } | undefined {
  const [file] = options.get('search-file') ?? [];
  return file === undefined ? undefined : { file, sidecar: readSidecarFile(file) };
}

/** The search form returns at most as many tools. */
const MAX_LIMIT = 50;

/** Reads `--limit`. */
export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= MAX_LIMIT))
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}, not "${text}".`);
  return value;
}
