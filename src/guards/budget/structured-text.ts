import type { Caller } from '../../callers/caller.js';
import { readsStructured } from '../../callers/structured-readers.js';
import type { StructuredReader } from '../../callers/structured-readers.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { isJsonObject } from '../../values/json-value.js';

/**
 * The text of a result with structured content: the same data, one line about it, or nothing for clients that are known to read
 * structured content.
 */
export type StructuredText = 'repeat' | 'summary' | 'omit';

/** The first revisions with structured content, and with structured content that is no object. */
const FIRST_WITH_DATA = '2025-06-18';
const FIRST_WITH_LISTS = '2026-07-28';

export interface StructuredTextRule {
  readonly form: StructuredText;
  readonly readers: readonly StructuredReader[];
  readonly request: {
    readonly protocolVersion?: string | undefined;
    readonly caller?: Caller | undefined;
  };
}

/**
 * Shortens the first block of a result, which repeats the structured content. Further blocks, such as a note about cuts, stay.
 * The text also stays if the client might not see the data otherwise.
 */
export function shortenText(
  result: CallToolResult,
  { form, readers, request: { protocolVersion, caller } }: StructuredTextRule,
): CallToolResult {
  const { structuredContent: data } = result;
  const [text, ...rest] = result.content;
  if (form === 'repeat' || result.isError === true || text?.type !== 'text') return result;
  // A call in the same process names no revision, and gets the structured content too.
  if (protocolVersion !== undefined && protocolVersion < firstRevisionOf(data)) return result;
  const reads = readsStructured(readers, caller?.client);
  if (form === 'omit') return reads === true && isData(data) ? { ...result, content: rest } : result;
  if (reads === false || !isData(data)) return result;
  const summary = summarizeData(data);
  if (summary.length >= text.text.length) return result;
  const block: ContentBlock = { ...text, text: summary };
  return { ...result, content: [block, ...rest] };
}

function firstRevisionOf(data: unknown): string {
  return isJsonObject(data) ? FIRST_WITH_DATA : FIRST_WITH_LISTS;
}

/** Some clients treat null, zero, false and empty text as no structured content, so only objects and lists count. */
function isData(data: unknown): data is object {
  return isJsonObject(data) || Array.isArray(data);
}

const MAX_SUMMARY = 200;
const MAX_VALUE = 40;
/** Room for the brackets and for " and 12345 more". */
const RESERVED = 20;

/**
 * One line about data: the sizes of its lists, and its values. If not all fields have room, lists come first, then values, then
 * objects.
 */
export function summarizeData(data: object): string {
  if (Array.isArray(data)) return countOf(data.length, 'item');
  const fields = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ rank: rankOf(value), text: `${nameOf(key)}: ${describe(value)}` }));
  if (fields.length === 0) return '{}';
  const shown = new Set<object>();
  let room = MAX_SUMMARY - RESERVED;
  for (const rank of [0, 1, 2])
    for (const field of fields) {
      if (field.rank !== rank || field.text.length + 2 > room) continue;
      room -= field.text.length + 2;
      shown.add(field);
    }
  const texts = fields.filter((field) => shown.has(field)).map(({ text }) => text);
  const more = fields.length - texts.length;
  if (more > 0) texts.push(`${more} more`);
  return `{ ${texts.join(', ')} }`;
}

function rankOf(value: unknown): number {
  if (Array.isArray(value)) return 0;
  return isJsonObject(value) ? 2 : 1;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return countOf(value.length, 'item');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  const json: unknown = hasJson(value) ? value.toJSON() : value;
  if (typeof json === 'string') return JSON.stringify(shorten(json));
  if (isJsonObject(json)) return countOf(Object.keys(json).length, 'field');
  return JSON.stringify(json) ?? 'null';
}

function hasJson(value: unknown): value is { toJSON(): unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { toJSON?: unknown }).toJSON === 'function'
  );
}

function nameOf(key: string): string {
  return /^[\p{L}\p{N}_.$-]+$/u.test(key) ? shorten(key) : JSON.stringify(shorten(key));
}

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Cuts text after a word, or after a whole character if its words are long. */
function shorten(text: string): string {
  if (text.length <= MAX_VALUE) return text;
  const cut = text.slice(0, MAX_VALUE);
  const end = cut.lastIndexOf(' ');
  return `${(end > MAX_VALUE / 2 ? cut.slice(0, end) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
