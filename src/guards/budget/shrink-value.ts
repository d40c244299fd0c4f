import { isJsonObject } from '../../values/json-value.js';
import { cutText } from './cut-text.js';
import { PlainText, tableOf } from './cuttable-value.js';
import { sizeOfText } from './measure-text.js';
import { isSoft, MAX_DEPTH, measure, SHORT_TEXT } from './measure-value.js';
import type { Measures } from './measure-value.js';

/** What may be cut, the gentlest first. `keep` is how many items every list keeps. */
export const levels = [
  { strings: false, keep: 1, maps: false },
  { strings: true, keep: 1, maps: false },
  { strings: true, keep: 0, maps: false },
  { strings: true, keep: 0, maps: true },
] as const;

type Level = (typeof levels)[number];

/** The items of a list or the entries of an object, and what each takes beside itself. */
interface Parts {
  readonly values: readonly unknown[];
  readonly cost: (index: number) => number;
}

interface Sized<T = unknown> {
  readonly value: T;
  readonly size: number;
}

/**
 * Makes a function that cuts a value to about so much room: lists to their first items, everything inside an
 * object so that the largest parts give way first. Whatever fits is shared with the original, not copied. A value that
 * cannot be cut below the limit of the measures has the size `Infinity`.
 */
export function createShrinker(measures: Measures, level: Level): <T>(value: T, room: number) => Sized<T> {
  function shrink(value: unknown, room: number, depth: number): Sized {
    const size = measure(value, measures, depth);
    if (size <= room || depth > MAX_DEPTH || !isSoft(value, measures)) return { value, size };
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
    // Unlike assignment, this makes "__proto__" a key like any other.
    return {
      value: Object.fromEntries(kept.value.map((part, index) => [keys[index] as string, part])),
      size: kept.size,
    };
  }

  /** The first items that fit, and at least so many, which then share the room. */
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
    // One large item must not leave the room empty that a part of it would fill.
    if (count < values.length && size < room / 2) {
      const left = room - size - cost(count);
      const part = shrink(values[count], left, depth + 1);
      if (part.size <= left) return { value: [...value, part.value], size: room - left + part.size };
    }
    return { value, size };
  }

  /** Hands out the room from the smallest to the largest, so that what the small ones leave goes to the large ones. */
  function share(
    { values, cost }: Parts,
    { room, depth }: { room: number; depth: number },
  ): Sized<readonly unknown[]> {
    const soft: { index: number; wanted: number }[] = [];
    let size = 2;
    for (const [index, item] of values.entries()) {
      const wanted = measure(item, measures, depth + 1);
      size += cost(index);
      if (isSoft(item, measures)) soft.push({ index, wanted });
      else size += wanted;
      if (size > measures.limit) return { value: values, size: Infinity };
    }
    const value = [...values];
    // Two infinite sizes have no difference.
    soft.sort((a, b) => (a.wanted === b.wanted ? 0 : a.wanted - b.wanted));
    for (const [done, { index }] of soft.entries()) {
      const part = shrink(values[index], (room - size) / (soft.length - done), depth + 1);
      value[index] = part.value;
      size += part.size;
      if (size > measures.limit) return { value: values, size: Infinity };
    }
    return { value, size };
  }

  return <T>(value: T, room: number) => shrink(value, room, 0) as Sized<T>;
}
