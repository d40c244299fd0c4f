import type { Caller } from '../../callers/caller.js';
import { readsStructured } from '../../callers/structured-readers.js';
import type { StructuredReader } from '../../callers/structured-readers.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { isJsonObject, isObject } from '@toolfold/schema/internal';

/**
 * Sets the text beside structured content: `repeat` writes the same data, `summary` one line about it, and `omit` nothing for clients
 * that are known to read structured content.
 */
export type StructuredText = 'repeat' | 'summary' | 'omit';

/** The first MCP revision with structured content. */
const FIRST_WITH_DATA = '2025-06-18';
/** The first MCP revision in which structured content may be something else than an object. */
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
  const first = isJsonObject(data) ? FIRST_WITH_DATA : FIRST_WITH_LISTS;
  if (protocolVersion !== undefined && protocolVersion < first) return result;
  const reads = readsStructured(readers, caller?.client);
  if (form === 'omit') return reads === true && isData(data) ? { ...result, content: rest } : result;
  if (reads === false || !isData(data)) return result;
  const summary = summarizeData(data);
  if (summary.length >= text.text.length) return result;
  const block: ContentBlock = { ...text, text: summary };
  return { ...result, content: [block, ...rest] };
}

/** Some clients treat null, zero, false and empty text as no structured content, so only objects and lists count. */
function isData(data: unknown): data is object {
  return isJsonObject(data) || Array.isArray(data);
}

const MAX_SUMMARY = 200;
const MAX_VALUE = 40;
/** Room for the brackets and for " and 12345 more". */
const RESERVED = 20;
/** At most this many fields are tried, because the names of all fields of a large map take long to write. */
const MAX_TRIES = 100;

/**
 * Describes data in one line: the sizes of its lists, and its values. If not all fields have room, lists come first, then values,
 * then objects.
 */
export function summarizeData(data: object): string {
  if (Array.isArray(data)) return countOf(data.length, 'item');
  const fields = Object.entries(data).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return '{}';
  const shown = new Map<number, string>();
  let room = MAX_SUMMARY - RESERVED;
  let tries = MAX_TRIES;
  for (const rank of [0, 1, 2])
    for (const [index, [key, value]] of fields.entries()) {
      if (rankOf(value) !== rank || tries-- <= 0) continue;
      const text = `${nameOf(key)}: ${describe(value)}`;
      if (text.length + 2 > room) continue;
      room -= text.length + 2;
      shown.set(index, text);
    }
  const texts = [...shown.keys()].toSorted((one, other) => one - other).map((index) => shown.get(index));
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
  const json: unknown =
    isObject(value) && 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
  if (typeof json === 'string') return JSON.stringify(shorten(json));
  if (isJsonObject(json)) return countOf(Object.keys(json).length, 'field');
  return JSON.stringify(json) ?? 'null';
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
