import { isJsonObject } from '../../values/json-value.js';
import {
  endOfCharacter,
  isCuttable,
  MAX_DEPTH,
  measure,
  PlainText,
  SHORT_TEXT,
  sizeOfCode,
  sizeOfText,
  tableOf,
} from './measure.js';
import type { Measures } from './measure.js';

/** The kinds of cuts to try, gentlest first. `keep` is the number of items that every list keeps. */
export const levels = [
  { strings: false, keep: 1, maps: false },
  { strings: true, keep: 1, maps: false },
  { strings: true, keep: 0, maps: false },
  { strings: true, keep: 0, maps: true },
] as const;

type Level = (typeof levels)[number];

/** The items of a list or the entries of an object. `cost` is the size of the comma or key around each of them. */
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

/** The beginning of a text that fits into the room, but at least `least` characters. Prefers the end of a line. */
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

/** Characters on each side of a cut that the segmenter reads. */
const NEARBY = 64;
let segmenter: Intl.Segmenter | undefined;

/** The nearest index at or before `end` that does not split a grapheme, such as an emoji with its skin tone. */
function startOfGrapheme(text: string, end: number): number {
  // The segmenter is slow, and no character below U+0300 joins the one before it.
  if (end >= text.length || (text.charCodeAt(end) < 0x300 && text.charCodeAt(end - 1) < 0x300)) return end;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const start = Math.max(0, end - NEARBY);
  const around = segmenter.segment(text.slice(start, end + NEARBY)).containing(end - start);
  if (around && around.index > 0) return start + around.index;
  return endOfCharacter(text, end - 1);
}
