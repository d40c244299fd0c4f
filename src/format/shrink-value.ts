import { isJsonObject } from '../schema/json-schema.js';
import { cutText } from './cut-text.js';
import { below, PlainText, tableOf } from './cuttable-value.js';
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

/** The items of a list or the entries of an object: what each takes beside itself, and where it stands. */
interface Parts {
  readonly values: readonly unknown[];
  readonly cost: (index: number) => number;
  readonly placeOf: (index: number) => string;
}

interface Sized<T = unknown> {
  readonly value: T;
  readonly size: number;
}

/**
 * Makes a function that cuts a value to about so much room: lists to their first items, everything inside an
 * object so that the largest parts give way first. Whatever fits is shared with the original, not copied. Floors
 * say how much of a place stays in any case.
 */
export function createShrinker(
  measures: Measures,
  floors: ReadonlyMap<string, number>,
  level: Level,
): <T>(value: T, room: number) => T {
  function shrink(value: unknown, room: number, place: string, depth: number): Sized {
    const size = measure(value, measures, depth);
    if (size <= room || depth > MAX_DEPTH || !isSoft(value, measures)) return { value, size };
    const floor = floors.get(place) ?? 0;
    if (value instanceof PlainText) {
      const text = cutText(value.text, room, Math.max(1, floor));
      return { value: new PlainText(text), size: sizeOfText(text) };
    }
    if (typeof value === 'string') {
      if (!level.strings) return { value, size };
      const text = cutText(value, room, Math.max(SHORT_TEXT, floor));
      return { value: text, size: sizeOfText(text) };
    }
    if (Array.isArray(value)) {
      const least = Math.max(level.keep, floor);
      return shorten({ values: value, cost: () => 1, placeOf: () => below(place) }, { room, least, depth });
    }
    if (!isJsonObject(value)) return { value, size };
    const { keys, values, isMap } = tableOf(value);
    const cost = (index: number): number => sizeOfText(keys[index] as string) + 2;
    const placeOf = (index: number): string => below(place, isMap ? undefined : keys[index]);
    const least = isMap && level.maps ? Math.max(1, floor) : keys.length;
    const kept = shorten({ values, cost, placeOf }, { room, least, depth });
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
    { values, cost, placeOf }: Parts,
    { room, least, depth }: { room: number; least: number; depth: number },
  ): Sized<unknown[]> {
    let count = 0;
    let size = 2;
    for (; count < values.length; count++) {
      const next = measure(values[count], measures, depth + 1) + cost(count);
      if (size + next > room) break;
      size += next;
    }
    if (count < Math.min(least, values.length)) {
      return share({ values: values.slice(0, least), cost, placeOf }, { room, depth });
    }
    const value = values.slice(0, count);
    // One large item must not leave the room empty that a part of it would fill.
    if (count < values.length && size < room / 2) {
      const left = room - size - cost(count);
      const part = shrink(values[count], left, placeOf(count), depth + 1);
      if (part.size <= left) return { value: [...value, part.value], size: room - left + part.size };
    }
    return { value, size };
  }

  /** Hands out the room from the smallest to the largest, so that what the small ones leave goes to the large ones. */
  function share(
    { values, cost, placeOf }: Parts,
    { room, depth }: { room: number; depth: number },
  ): Sized<unknown[]> {
    const value = [...values];
    const soft: { index: number; wanted: number }[] = [];
    let size = 2;
    for (const [index, item] of values.entries()) {
      const wanted = measure(item, measures, depth + 1);
      size += cost(index);
      if (isSoft(item, measures)) soft.push({ index, wanted });
      else size += wanted;
    }
    soft.sort((a, b) => a.wanted - b.wanted);
    for (const [done, { index }] of soft.entries()) {
      const part = shrink(values[index], (room - size) / (soft.length - done), placeOf(index), depth + 1);
      value[index] = part.value;
      size += part.size;
    }
    return { value, size };
  }

  return <T>(value: T, room: number) => shrink(value, room, '', 0).value as T;
}
