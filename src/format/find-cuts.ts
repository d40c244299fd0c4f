import { isJsonObject } from '../schema/json-schema.js';
import { below, PlainText, tableOf } from './cuttable-value.js';
import { countCharacters } from './measure-text.js';

/** One place where something is missing, and how much. What is kept is the beginning. */
export interface Cut {
  readonly path: readonly (string | number)[];
  readonly kept: number;
  readonly of: number;
  /** Items of a list or entries of a map, or code points of a text. */
  readonly unit: 'items' | 'characters';
}

/** A cut, and where a schema would speak of it. */
interface PlacedCut extends Cut {
  readonly place: string;
}

/** Where a cut value lacks something. */
export function findCuts(whole: unknown, part: unknown): Cut[] {
  return findPlacedCuts(whole, part).map(({ path, kept, of, unit }) => ({ path, kept, of, unit }));
}

/** What is shared with the original is not looked into. */
export function findPlacedCuts(before: unknown, after: unknown): PlacedCut[] {
  const cuts: PlacedCut[] = [];
  function walk(whole: unknown, part: unknown, path: readonly (string | number)[], place: string): void {
    if (whole === part) return;
    if (typeof whole === 'string' || whole instanceof PlainText) {
      const of = countCharacters(toText(whole));
      const kept = countCharacters(toText(part as string | PlainText));
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'characters' });
    } else if (Array.isArray(whole)) {
      const items = part as unknown[];
      const [kept, of] = [items.length, whole.length];
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'items' });
      for (const [index, item] of items.entries()) walk(whole[index], item, [...path, index], below(place));
    } else if (isJsonObject(whole)) {
      const { keys, values, isMap } = tableOf(whole);
      const parts = Object.values(part as object);
      const [kept, of] = [parts.length, keys.length];
      if (kept < of) cuts.push({ path, place, kept, of, unit: 'items' });
      for (const [index, entry] of parts.entries()) {
        const key = keys[index] as string;
        walk(values[index], entry, [...path, key], below(place, isMap ? undefined : key));
      }
    }
  }
  walk(before, after, [], '');
  return cuts;
}

function toText(value: string | PlainText): string {
  return typeof value === 'string' ? value : value.text;
}
