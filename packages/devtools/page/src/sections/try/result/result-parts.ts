import { isRecord, isSame, parseJson } from '../form/json.js';
import { readJson } from '../../../mcp/wire/exact-json.js';
import { ExactNumber, writeJson } from '../../../ui/json/exact-number.js';

type Fields = Readonly<Record<string, unknown>>;

/** A part of a result, classified by how it is shown. */
export type Part =
  | {
      readonly kind: 'data';
      readonly value: unknown;
      readonly source: 'structured' | 'text';
      readonly text?: string;
    }
  | { readonly kind: 'text'; readonly text: string; readonly mimeType?: string | undefined }
  | Media
  | {
      readonly kind: 'link';
      readonly uri: string;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    }
  | { readonly kind: 'resource'; readonly uri: string; readonly contents: Part }
  | { readonly kind: 'unknown'; readonly value: unknown };

export interface Media {
  readonly kind: 'image' | 'audio' | 'blob';
  readonly mimeType: string;
  readonly data: string;
}

/** Maximum number of characters of JSON text that is parsed and shown as data. */
const MAX_PARSED = 5_000_000;

/** Returns the parts of a tool's or resource's result. Omits text that repeats the structured content. */
export function partsOf(result: Fields): readonly Part[] {
  const { content, structuredContent, contents } = result;
  if (Array.isArray(contents))
    return (contents as unknown[]).map((each) =>
      isRecord(each) ? partOfResource(each) : { kind: 'unknown' as const, value: each },
    );
  const blocks = Array.isArray(content) ? (content as unknown[]).map(partOfBlock) : [];
  if (structuredContent === undefined) return blocks;
  const others = blocks.filter((part) => !(part.kind === 'data' && isSame(part.value, structuredContent)));
  return [{ kind: 'data', value: structuredContent, source: 'structured' }, ...others];
}

/** Converts a content block of a result, prompt or sampling message. */
export function partOfBlock(block: unknown): Part {
  if (!isRecord(block)) return { kind: 'unknown', value: block };
  const { type, text, data, mimeType, uri, name, description, resource } = block;
  if (type === 'text' && typeof text === 'string') return partOfText(text);
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return partOfBytes(data, String(mimeType), type);
  if (type === 'resource_link' && typeof uri === 'string')
    return {
      kind: 'link',
      uri,
      name: optionalText(name),
      description: optionalText(description),
      mimeType: optionalText(mimeType),
    };
  if (type === 'resource' && isRecord(resource)) return partOfResource(resource);
  return { kind: 'unknown', value: block };
}

/** Converts the contents of a resource. */
function partOfResource(resource: Fields): Part {
  const { uri, text, blob, mimeType } = resource;
  const type = optionalText(mimeType);
  const contents: Part =
    typeof text === 'string'
      ? partOfText(text, type)
      : typeof blob === 'string'
        ? partOfBytes(blob, type ?? 'application/octet-stream')
        : { kind: 'unknown', value: resource };
  return { kind: 'resource', uri: String(uri), contents };
}

function partOfText(text: string, mimeType?: string): Part {
  const isJson = /^\s*[[{]/.test(text) && text.length <= MAX_PARSED;
  const parsed = isJson ? parseJson(text, readJson) : undefined;
  if (parsed?.ok === true) return { kind: 'data', value: parsed.value, source: 'text', text };
  return { kind: 'text', text, mimeType };
}

export const isSvg = (mimeType: string): boolean => /^image\/svg\+xml$/i.test(mimeType);
// Browsers read other types with a suffix, such as image/x+xml, as documents.
const imageType = /^image\/(?:[\w.-]+|svg\+xml)$/i;
const audioType = /^audio\/[\w.-]+$/i;

/**
 * Classifies bytes by their MIME type. Types other than images and sounds become `blob`, so that a server cannot make
 * the page load them.
 */
function partOfBytes(data: string, mimeType: string, wanted?: 'image' | 'audio'): Part {
  const kind = imageType.test(mimeType) ? 'image' : audioType.test(mimeType) ? 'audio' : 'blob';
  return { kind: wanted === undefined || wanted === kind ? kind : 'blob', mimeType, data };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly Fields[];
  /** The property that holds the rows, if the value is an object with one list. */
  readonly property?: string | undefined;
  /** The properties beside the rows. */
  readonly others?: readonly (readonly [string, unknown])[] | undefined;
}

/** Lists with more columns are shown as a tree. */
const MAX_COLUMNS = 1_000;

/** Finds a list of objects: the value itself, or the only list in it. */
export function tableOf(value: unknown): TableData | undefined {
  if (Array.isArray(value)) return tableOfList(value as unknown[]);
  if (!isRecord(value)) return undefined;
  const lists = Object.entries(value).filter(([, each]) => Array.isArray(each) && each.length > 0);
  const [only] = lists;
  if (!only || lists.length > 1) return undefined;
  const table = tableOfList(only[1] as unknown[]);
  const others = Object.entries(value).filter(([key]) => key !== only[0]);
  return table && { ...table, property: only[0], others };
}

function tableOfList(list: readonly unknown[]): TableData | undefined {
  if (list.length === 0 || !list.every(isRecord)) return undefined;
  const columns = new Set<string>();
  for (const row of list) {
    for (const key of Object.keys(row)) columns.add(key);
    if (columns.size > MAX_COLUMNS) return undefined;
  }
  return columns.size === 0 ? undefined : { columns: [...columns], rows: list as readonly Fields[] };
}

/** Returns the text of a cell. Nested values become compact JSON. */
export function cellText(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** Sorts rows by a column: numbers by size, everything else as text, and missing values last. */
export function sortRows(
  rows: readonly Fields[],
  column: string | undefined,
  isDescending: boolean,
): readonly Fields[] {
  if (column === undefined) return rows;
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [one[column], other[column]];
    if (a === undefined || a === null) return b === undefined || b === null ? 0 : 1;
    if (b === undefined || b === null) return -1;
    const [x, y] = [toNumber(a), toNumber(b)];
    if (x !== undefined && y !== undefined) return x === y ? 0 : x < y ? -sign : sign;
    return sign * cellText(a).localeCompare(cellText(b), 'en');
  });
}

/** Returns the number of a cell. Large integers become `bigint`, which JavaScript compares with numbers exactly. */
function toNumber(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return value;
  if (!(value instanceof ExactNumber)) return undefined;
  const { digits } = value;
  return /^-?\d{1,100}$/.test(digits) ? BigInt(digits) : Number(digits);
}
