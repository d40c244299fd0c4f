import { readDocuments, readSearchedActions, yieldToEventLoop } from '@toolfold/analysis/internal';
import { buildToolSearch, runInSlices } from '@toolfold/search/internal';
import type { ToolSearch } from '@toolfold/search';
import { clip, didYouMean, nearestName } from '@toolfold/schema/internal';
import { toLine } from 'toolfold/internal';
import { ApiFailure } from '../http/answers.js';
import type { SearchReport } from '../page-api.js';
import { loadableOf } from './loadable-toolsets.js';
import type { Snapshot } from './snapshot.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const MAX_QUERY = 2_000;
const MAX_DESCRIPTION = 200;
const MAX_TOOLS = 20;

interface OpenedSearch {
  readonly search: ToolSearch;
  readonly descriptions: ReadonlyMap<string, string>;
  readonly find: (address: string) => string | undefined;
}

interface SearchQuestion {
  readonly query: string;
  readonly limit: string;
  /** Addresses to explain even if the search does not find them. */
  readonly tools: readonly string[];
}

/** Explains the results of a query, like `toolfold search explain`. */
export async function searchReportOf(
  snapshot: Snapshot,
  { query, limit, tools }: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchReport> {
  if (query.trim() === '') throw new ApiFailure('The question is empty.');
  if (query.length > MAX_QUERY)
    throw new ApiFailure(
      `The question has ${query.length} characters. At most ${MAX_QUERY.toLocaleString('en')} are searched.`,
    );
  if (tools.length > MAX_TOOLS) throw new ApiFailure(`At most ${MAX_TOOLS} tools are explained at once.`);
  const { search, descriptions, find } = await openSearch(snapshot, signal);
  const addresses = tools.map((written) => {
    const address = find(written);
    if (address !== undefined) return address;
    throw new ApiFailure(
      `No tool has the address "${toLine(written, 100)}".${didYouMean(nearestName(written, descriptions.keys()))}`,
      { status: 404 },
    );
  });
  const explained = search.explain(query, { addresses, limit: readLimit(limit) });
  const shown = explained.tools.map(({ address }) => [address, descriptions.get(address) ?? ''] as const);
  // Explaining a long query to thousands of tools would block other requests.
  await yieldToEventLoop(signal);
  const { unmatched } = search.answer(query, { limit: 1 });
  return {
    query,
    searched: descriptions.size,
    ...explained,
    unmatched,
    descriptions: Object.fromEntries(shown),
  };
}

function openSearch(snapshot: Snapshot, signal: AbortSignal): Promise<OpenedSearch> {
  return snapshot.share('search', signal, async (shared) => {
    const { served } = await loadableOf(snapshot, shared);
    const { documents, find } = await readDocuments({
      searchedActions: () => readSearchedActions(served),
      tools: [],
    });
    const search = await runInSlices(buildToolSearch(documents), shared);
    const descriptions = documents.map(
      ({ address, description = '' }) => [address, clip(description, MAX_DESCRIPTION)] as const,
    );
    return { search, find, descriptions: new Map(descriptions) };
  });
}

function readLimit(text: string): number {
  if (text === '') return DEFAULT_LIMIT;
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= MAX_LIMIT) return value;
  throw new ApiFailure(`limit must be a whole number from 1 to ${MAX_LIMIT}, not "${toLine(text, 20)}".`);
}
