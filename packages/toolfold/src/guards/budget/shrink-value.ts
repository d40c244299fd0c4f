import { isJsonObject, typeName } from '@toolfold/schema/internal';

/** Values nested deeper than this are kept or dropped as a whole. */
const MAX_DEPTH = 100;
/** Shorter strings are names, dates or hashes, of which a part is useless. */
const SHORT_TEXT = 64;

/** Prose. It may be cut anywhere, and it is cut before data is. */
export class PlainText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A part that is kept or dropped, but never cut inside. */
export class Whole {
  readonly size: number;
  constructor(size: number) {
    this.size = size;
  }
}

/** The entries of an object. An object with many entries of one type counts as a map, whose entries can be dropped. */
interface Table {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  readonly isMap: boolean;
}

/** An object with fewer entries is treated as a record, because each of its keys has a meaning. */
const MAP_ENTRIES = 20;
/** Listing the keys of a large object is slow. The objects are private copies that never change, so once is enough. */
const tables = new WeakMap<object, Table>();

export function tableOf(value: object): Table {
  const known = tables.get(value);
  if (known) return known;
  const keys = Object.keys(value);
  const values: unknown[] = Object.values(value);
  if (keys.length < MAP_ENTRIES) return { keys, values, isMap: false };
  const isMap = values.every((entry) => typeName(entry) === typeName(values[0]));
  const table = { keys, values, isMap };
  tables.set(value, table);
  return table;
}

/** Remembers what was measured, so that no list or object is measured twice. */
export interface Measures {
  readonly sizes: Map<object, number>;
  /** The values that can be cut, or contain a value that can be cut. */
  readonly cuttable: Set<object>;
  /** Measuring stops above this size and returns `Infinity`. */
  readonly limit: number;
}

/** Estimates the length of a value in JSON. Returns `Infinity` above the limit. */
export function measure(value: unknown, measures: Measures, depth = 0): number {
  const { sizes, cuttable, limit } = measures;
  if (typeof value === 'string') return value.length > limit ? Infinity : sizeOfText(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 2;
  let canCut = false;
  const add = (part: unknown): void => {
    size += measure(part, measures, depth + 1);
    canCut ||= isCuttable(part, measures);
  };
  if (value instanceof Whole) size = value.size;
  else if (value instanceof PlainText) {
    size = value.text.length > limit ? Infinity : sizeOfText(value.text);
    canCut = true;
  } else if (depth > MAX_DEPTH) size = sizeOfText(JSON.stringify(value));
  else if (Array.isArray(value)) {
    canCut = value.length > 0;
    size += value.length;
    for (const item of value) {
      if (size > limit) break;
      add(item);
    }
  } else {
    const { keys, values, isMap } = tableOf(value);
    canCut = isMap;
    for (const [index, key] of keys.entries()) {
      if (size > limit) break;
      size += sizeOfText(key) + 2;
      add(values[index]);
    }
    // The entries beyond the limit were not measured and may be cuttable.
    canCut ||= size > limit;
  }
  if (size > limit) size = Infinity;
  sizes.set(value, size);
  if (canCut) cuttable.add(value);
  return size;
}

/** Whether a measured value can be cut, or contains a value that can be cut. */
function isCuttable(value: unknown, { cuttable }: Measures): boolean {
  return typeof value === 'string' ? value.length > SHORT_TEXT : cuttable.has(value as object);
}

function sizeOfText(text: string): number {
  let size = 2;
  for (let index = 0; index < text.length; index++) size += sizeOfCode(text.charCodeAt(index));
  return size;
}

/** Estimates the size of a character in JSON. The estimate only guides the search: the budget applies to the written text. */
function sizeOfCode(code: number): number {
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return code < 0x20 || code === 0x22 || code === 0x5c ? 2 : 1;
}

/** Counts code points, because a surrogate pair is one character for readers. */
export function countCharacters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** Returns the nearest index at or after `end` that does not split a code point. */
export function endOfCharacter(text: string, end: number): number {
  const around = text.slice(Math.max(0, end - 1), end + 1);
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(around) ? end + 1 : end;
}

/** The kinds of cuts to try, gentlest first. `keep` is the number of items that every list keeps. */
export const levels = [
  { strings: false, keep: 1, maps: false },
  { strings: true, keep: 1, maps: false },
  { strings: true, keep: 0, maps: false },
  { strings: true, keep: 0, maps: true },
] as const;

type Level = (typeof levels)[number];

/** The items of a list or the entries of an object. `cost` returns the size of the comma or key beside a value. */
interface Parts {
  readonly values: readonly unknown[];
  readonly cost: (index: number) => number;
}

interface Sized<T = unknown> {
  readonly value: T;
  readonly size: number;
}

/**
 * Creates a function that cuts a value to about the given room. Lists keep their first items; inside an object the
 * largest parts are cut first. Parts that fit are shared with the original, not copied. A value that cannot be cut below
 * the limit of the measures has the size `Infinity`.
 */
export function createShrinker(measures: Measures, level: Level): <T>(value: T, room: number) => Sized<T> {
  function shrink(value: unknown, room: number, depth: number): Sized {
    const size = measure(value, measures, depth);
    if (size <= room || depth > MAX_DEPTH || !isCuttable(value, measures)) return { value, size };
    if (value instanceof PlainText) {
      const text = cutText(value.text, room, 1);
      return { value: new PlainText(text), size: sizeOfText(text) };
    }
    if (typeof value === 'string') {
      if (!level.strings) return { value, size };
      const text = cutText(value, room, SHORT_TEXT);
      return { value: text, size: sizeOfText(text) };
    }
    if (Array.isArray(value)) {
      return shorten({ values: value, cost: () => 1 }, { room, least: level.keep, depth });
    }
    if (!isJsonObject(value)) return { value, size };
    const { keys, values, isMap } = tableOf(value);
    const cost = (index: number): number => sizeOfText(keys[index] as string) + 2;
    const least = isMap && level.maps ? 1 : keys.length;
    const kept = shorten({ values, cost }, { room, least, depth });
    if (kept.size === Infinity) return { value, size: Infinity };
    if (kept.value.length === keys.length && kept.value.every((part, index) => part === values[index])) {
      return { value, size };
    }
    // Unlike an assignment, Object.fromEntries treats "__proto__" as an ordinary key.
    return {
      value: Object.fromEntries(kept.value.map((part, index) => [keys[index] as string, part])),
      size: kept.size,
    };
  }

  /** Keeps the first items that fit. If these are fewer than `least`, the first `least` items share the room. */
  function shorten(
    { values, cost }: Parts,
    { room, least, depth }: { room: number; least: number; depth: number },
  ): Sized<readonly unknown[]> {
    let count = 0;
    let size = 2;
    for (; count < values.length; count++) {
      const next = measure(values[count], measures, depth + 1) + cost(count);
      if (size + next > room) break;
      size += next;
    }
    if (count < Math.min(least, values.length)) {
      return share({ values: values.slice(0, least), cost }, { room, depth });
    }
    const value = values.slice(0, count);
    // If a large item leaves most of the room empty, a part of that item fills it.
    if (count < values.length && size < room / 2) {
      const left = room - size - cost(count);
      const part = shrink(values[count], left, depth + 1);
      if (part.size <= left) return { value: [...value, part.value], size: room - left + part.size };
    }
    return { value, size };
  }

  /** Divides the room from the smallest to the largest part, so that the large parts get what the small ones leave. */
  function share(
    { values, cost }: Parts,
    { room, depth }: { room: number; depth: number },
  ): Sized<readonly unknown[]> {
    const cuttable: { index: number; wanted: number }[] = [];
    let size = 2;
    for (const [index, item] of values.entries()) {
      const wanted = measure(item, measures, depth + 1);
      size += cost(index);
      if (isCuttable(item, measures)) cuttable.push({ index, wanted });
      else size += wanted;
      if (size > measures.limit) return { value: values, size: Infinity };
    }
    const value = [...values];
    // Subtracting two infinite sizes would give NaN.
    cuttable.sort((a, b) => (a.wanted === b.wanted ? 0 : a.wanted - b.wanted));
    for (const [done, { index }] of cuttable.entries()) {
      const part = shrink(values[index], (room - size) / (cuttable.length - done), depth + 1);
      value[index] = part.value;
      size += part.size;
      if (size > measures.limit) return { value: values, size: Infinity };
    }
    return { value, size };
  }

  return <T>(value: T, room: number) => shrink(value, room, 0) as Sized<T>;
}

/** Cuts a text to the room, but to at least `least` characters. Prefers the end of a line. */
function cutText(text: string, room: number, least: number): string {
  let end = 0;
  for (let size = 2; end < text.length; end++) {
    size += sizeOfCode(text.charCodeAt(end));
    if (size > room) break;
  }
  if (end <= least) return text.slice(0, endOfCharacter(text, least));
  const line = text.lastIndexOf('\n', end);
  if (line >= least && line > end * 0.8) return text.slice(0, line);
  const edge = startOfGrapheme(text, end);
  return edge >= least ? text.slice(0, edge) : text.slice(0, endOfCharacter(text, least));
}

/** The segmenter reads this many characters on each side of a cut, because reading a whole text is slow. */
const NEARBY = 64;
let segmenter: Intl.Segmenter | undefined;

/** Returns the nearest index at or before `end` that does not split a grapheme, such as an emoji with its skin tone. */
function startOfGrapheme(text: string, end: number): number {
  // The segmenter is slow, and no character below U+0300 joins the one before it.
  if (end >= text.length || (text.charCodeAt(end) < 0x300 && text.charCodeAt(end - 1) < 0x300)) return end;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = Math.max(0, end - NEARBY);
  const around = segmenter.segment(text.slice(start, end + NEARBY)).containing(end - start);
  if (around && around.index > 0) return start + around.index;
  return endOfCharacter(text, end - 1);
}
