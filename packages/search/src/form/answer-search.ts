import { flatToolOf, toStructuredResult, toToon } from 'toolfold/internal';
import { ErrUnknownToolset, ErrValidationFailed } from 'toolfold/errors';
import type { CallToolResult } from 'toolfold';
import type { JsonSchemaObject } from '@toolfold/schema';
import { clip, didYouMean, listNames, nearestName } from '@toolfold/schema/internal';
import { nextTurn } from '../index/slices.js';
import type { FusedQuery, ToolSearchAnswer } from '../index/tool-search.js';
import { summarize } from './entries.js';
import type { SearchEntries, SearchEntry } from './entries.js';
import { countLeft, mergeAnswers } from './merge-answers.js';
import type { MergedHit } from './merge-answers.js';
import { writeSignature } from './signature.js';
import { CUT } from './signature-type.js';
import { countTools } from './toolset-counts.js';

const DEFAULT_LIMIT = 10;
/** An answer has at most this many tools, for however many queries. */
const MAX_LIMIT = 50;
/** An answer lists at most this many toolsets; `list_toolsets` returns all. */
const MAX_TOOLSETS = 20;
/** Later results of a query are rarely called and a signature doubles the tokens of a row, so only a short one is shown. */
const SIGNED_PLACES = 3;
const SHORT_SIGNATURE = 40;
const MAX_UNMATCHED = 10;

export type Find = (query: string, options: FusedQuery) => Promise<ToolSearchAnswer>;

export interface SearchInput {
  readonly query?: string | undefined;
  readonly queries?: readonly string[] | undefined;
  readonly toolset?: string | undefined;
  readonly kind?: SearchEntry['kind'] | undefined;
  /** Most tools per query. Default: 10 in all. */
  readonly limit?: number | undefined;
  readonly offset: number;
}

interface SearchContent {
  readonly tools: readonly object[];
  readonly more?: number | undefined;
  /** Words that match no tool. Present if a query has no results or only weak ones. */
  readonly unmatched?: readonly string[] | undefined;
  readonly next?: string | undefined;
  readonly toolsets?: readonly object[] | undefined;
}

export interface AnswerStyle {
  /**
   * Writes a tool. All rows of an answer must have the same fields, because a table takes the fewest tokens. `isSigned` is false for
   * results that are rarely called, and `undefined` in a list without a toolset.
   */
  readonly toRow: (entry: SearchEntry, isSigned: boolean | undefined) => object;
  readonly maxToolsets: number;
  /** A sentence that names the tool that returns all toolsets, if the form lists one. */
  readonly allToolsets: string;
}

export async function answerSearch(
  input: SearchInput,
  entries: SearchEntries,
  find: Find,
  signal: AbortSignal,
  style: AnswerStyle = styleOf(entries),
): Promise<CallToolResult> {
  const queries = readQueries(input);
  const { toolset = '', kind, offset } = input;
  const limit = input.limit ?? DEFAULT_LIMIT;
  const total = input.limit === undefined ? limit : Math.min(limit * queries.length, MAX_LIMIT);
  if (toolset !== '') assertToolset(toolset, entries);
  const isNarrowed = kind !== undefined || toolset !== '';
  const isWanted = (entry: SearchEntry): boolean =>
    (kind === undefined || entry.kind === kind) && (toolset === '' || entry.toolsets.includes(toolset));
  if (queries.length === 0) return toResult(listTools(entries, input, isWanted, style));
  const only = (address: string): boolean => {
    const entry = entries.byAddress.get(address);
    return entry !== undefined && isWanted(entry);
  };
  const depth = Math.min(offset + limit, entries.byAddress.size);
  const answers = await askAll(
    queries.map(({ text }) => text),
    (query) => find(query, { limit: depth, signal, ...(isNarrowed ? { only } : {}) }),
    signal,
  );
  const merged = mergeAnswers(answers, offset + total);
  return toResult(describeHits({ queries, answers, merged, entries, input, isNarrowed, style }));
}

/** `number` is the position of the query in the call, counted before blank and repeated queries are removed. */
interface NumberedQuery {
  readonly number: number;
  readonly text: string;
}

function readQueries({ query = '', queries = [] }: SearchInput): readonly NumberedQuery[] {
  const numbered = new Map<string, NumberedQuery>();
  queries.forEach((each, at) => {
    const text = each.trim();
    if (text !== '' && !numbered.has(text)) numbered.set(text, { number: at + 1, text });
  });
  const single = query.trim();
  if (single === '') return [...numbered.values()];
  if (numbered.size > 0) {
    throw new ErrValidationFailed(
      'Validation failed: query: both query and queries were given. Write all of them into queries and leave query out.',
    );
  }
  return [{ number: 1, text: single }];
}

/** Runs the queries one after the other, so that the event loop can serve other requests between them. A ranker runs concurrently. */
async function askAll(
  queries: readonly string[],
  ask: (query: string) => Promise<ToolSearchAnswer>,
  signal: AbortSignal,
): Promise<readonly ToolSearchAnswer[]> {
  const [first = '', ...others] = queries;
  const asked = [ask(first)];
  // A query that fails before the others must not count as an unhandled rejection, because all promises are awaited together.
  asked[0]?.catch(() => {});
  for (const query of others) {
    await nextTurn();
    if (signal.aborted) break;
    const answer = ask(query);
    answer.catch(() => {});
    asked.push(answer);
  }
  const answers = await Promise.all(asked);
  signal.throwIfAborted();
  return answers;
}

interface Found {
  readonly queries: readonly NumberedQuery[];
  readonly answers: readonly ToolSearchAnswer[];
  readonly merged: readonly MergedHit[];
  readonly entries: SearchEntries;
  readonly input: SearchInput;
  readonly isNarrowed: boolean;
  readonly style: AnswerStyle;
}

function describeHits(found: Found): SearchContent {
  const { queries, answers, merged, entries, input, style } = found;
  const isSeveral = (input.queries?.length ?? 0) > 1;
  const page = merged.slice(input.offset);
  const groups = page.toSorted((one, other) => Math.min(...one.queries) - Math.min(...other.queries));
  const tools = groups.flatMap((hit) => {
    const entry = entries.byAddress.get(hit.address);
    if (!entry) return [];
    const numbers = hit.queries.map((at) => queries[at]?.number ?? 0).toSorted((one, other) => one - other);
    return {
      ...(isSeveral ? { query: numbers.length > 1 ? numbers.join('+') : numbers[0] } : {}),
      ...style.toRow(entry, hit.place < SIGNED_PLACES),
      confidence: hit.confidence,
    };
  });
  const more = countLeft(answers, merged);
  const refused = queries.filter((_, at) => answers[at]?.results.length === 0);
  const unmatched = readUnmatched(answers);
  const advice = [
    ...(refused.length > 0 ? [adviseAfterNothing(found, refused)] : []),
    ...adviseAboutLimit(found),
    ...(merged.length > 0 && page.length === 0 ? [`No tool is left from offset ${input.offset} on.`] : []),
    ...(page.length > 0 && page.every(({ confidence }) => confidence === 'weak')
      ? ['All matches are weak: possibly no tool does this.']
      : []),
    ...(more > 0 ? [adviseMore(found, refused.length > 0)] : []),
  ];
  return {
    tools,
    ...(more > 0 ? { more } : {}),
    ...(unmatched.length > 0 ? { unmatched } : {}),
    ...(advice.length > 0 ? { next: advice.join(' ') } : {}),
    ...(merged.length === 0 ? listKeys(entries, style) : {}),
  };
}

function readUnmatched(answers: readonly ToolSearchAnswer[]): readonly string[] {
  const words = answers.flatMap(({ results, unmatched }) =>
    results.every(({ confidence }) => confidence === 'weak') ? unmatched : [],
  );
  return [...new Set(words)].slice(0, MAX_UNMATCHED);
}

function adviseAfterNothing(
  { queries, entries, input, isNarrowed, style }: Found,
  refused: readonly NumberedQuery[],
): string {
  const isSeveral = (input.queries?.length ?? 0) > 1 && refused.length < queries.length;
  const which = isSeveral ? ` query ${writeNumbers(refused)}` : '';
  const wider = isNarrowed ? ', leave out toolset and kind' : '';
  return `No tool matches${which}. Try other words for the task${wider}, or ${waysToList(entries, style)}.`;
}

/** Names the queries whose results did not fit, so that the model does not take them for queries without results. */
function adviseAboutLimit({ queries, answers, merged }: Found): readonly string[] {
  const shown = new Set(merged.flatMap((hit) => hit.queries));
  const left = queries.filter((_, at) => !shown.has(at) && (answers[at]?.results.length ?? 0) > 0);
  return left.length > 0 ? [`The limit left out the results of query ${writeNumbers(left)}.`] : [];
}

function writeNumbers(queries: readonly NumberedQuery[]): string {
  return queries.map(({ number }) => number).join(', ');
}

function waysToList({ toolsets }: SearchEntries, { maxToolsets, allToolsets }: AnswerStyle): string {
  if (toolsets.size === 0) return 'leave out the query to list all tools';
  const all = toolsets.size > maxToolsets ? allToolsets : '';
  return `pass a toolset${all} without a query to list its tools`;
}

function adviseMore({ merged, entries, style }: Found, isListingExplained: boolean): string {
  const next = `offset: ${merged.length} returns the next tools`;
  return isListingExplained ? `${next}.` : `${next}; or ${waysToList(entries, style)}.`;
}

function listKeys(entries: SearchEntries, { maxToolsets }: AnswerStyle): Pick<SearchContent, 'toolsets'> {
  const { toolsets } = countTools(entries);
  if (toolsets.length === 0) return {};
  return { toolsets: toolsets.slice(0, maxToolsets).map(({ key, name, tools }) => ({ key, name, tools })) };
}

const inOrder = new WeakMap<SearchEntries, readonly SearchEntry[]>();

function sortedOf(entries: SearchEntries): readonly SearchEntry[] {
  let sorted = inOrder.get(entries);
  if (!sorted) {
    sorted = [...entries.byAddress.values()].toSorted((one, other) =>
      one.compiled.address < other.compiled.address ? -1 : 1,
    );
    inOrder.set(entries, sorted);
  }
  return sorted;
}

function listTools(
  entries: SearchEntries,
  { toolset = '', limit = DEFAULT_LIMIT, offset }: SearchInput,
  isWanted: (entry: SearchEntry) => boolean,
  style: AnswerStyle,
): SearchContent {
  const all = sortedOf(entries).filter(isWanted);
  const end = offset + limit;
  const tools = all.slice(offset, end).map((entry) => style.toRow(entry, toolset === '' ? undefined : true));
  const more = Math.max(0, all.length - end);
  const isOverview = toolset === '' && entries.toolsets.size > 0;
  const next = [
    ...(tools.length === 0 && all.length > 0 ? [`There are only ${all.length} tools.`] : []),
    ...(more > 0 ? [`offset: ${end} returns the next tools.`] : []),
    ...(more > 0 && isOverview ? ['Pass a query, or a toolset to list its tools.'] : []),
  ].join(' ');
  return {
    tools,
    ...(more > 0 ? { more } : {}),
    ...(next === '' ? {} : { next }),
    ...(more > 0 && isOverview ? listKeys(entries, style) : {}),
  };
}

function styleOf({ toolsets }: SearchEntries): AnswerStyle {
  return {
    toRow: (entry, isSigned) => ({
      address: entry.compiled.address,
      ...(isSigned === undefined ? {} : { signature: signatureOf(entry, isSigned) }),
      summary: summarize(entry),
      kind: entry.kind,
      ...(toolsets.size > 0 ? { toolset: entry.toolsets[0] ?? '' } : {}),
    }),
    maxToolsets: MAX_TOOLSETS,
    allToolsets: ' (list_toolsets returns all)',
  };
}

const signatures = new WeakMap<SearchEntry['compiled'], string>();

/** Returns the cached signature of an action. Only tools in an answer get here, so the schemas of the others are never converted. */
function signatureOf({ compiled }: SearchEntry, isSigned: boolean): string {
  let signature = signatures.get(compiled);
  if (signature === undefined) {
    signature = writeSignature(flatToolOf(compiled).tool.inputSchema as JsonSchemaObject);
    signatures.set(compiled, signature);
  }
  return isSigned || signature.length <= SHORT_SIGNATURE ? signature : CUT;
}

function toResult(content: SearchContent): CallToolResult {
  return toStructuredResult(content, toToon);
}

function assertToolset(key: string, { toolsets }: SearchEntries): void {
  if (toolsets.has(key)) return;
  const advice =
    toolsets.size === 0 ? 'There are no toolsets: leave it out.' : `Toolsets: ${listNames(toolsets.keys())}.`;
  throw new ErrUnknownToolset(
    `Unknown toolset "${clip(key)}".${didYouMean(nearestName(key, toolsets.keys()))} ${advice}`,
  );
}
