import { isJsonObject } from '../../values/json-value.js';
import { PlainText, tableOf } from './cuttable-value.js';
import { countCharacters } from './measure-text.js';

/** One place where something is missing, and how much. What is kept is the beginning. */
export interface Cut {
  readonly path: readonly (string | number)[];
  readonly kept: number;
  readonly of: number;
  /** Items of a list or entries of a map, or code points of a text. */
  readonly unit: 'items' | 'characters';
}

/** Where a cut value lacks something. Parts that are shared with the original are skipped. */
export function findCuts(before: unknown, after: unknown): Cut[] {
  const cuts: Cut[] = [];
  function walk(whole: unknown, part: unknown, path: readonly (string | number)[]): void {
    if (whole === part) return;
    if (typeof whole === 'string' || whole instanceof PlainText) {
      const of = countCharacters(toText(whole));
      const kept = countCharacters(toText(part as string | PlainText));
      if (kept < of) cuts.push({ path, kept, of, unit: 'characters' });
    } else if (Array.isArray(whole)) {
      const items = part as unknown[];
      const [kept, of] = [items.length, whole.length];
      if (kept < of) cuts.push({ path, kept, of, unit: 'items' });
      for (const [index, item] of items.entries()) {
        if (item !== whole[index]) walk(whole[index], item, [...path, index]);
      }
    } else if (isJsonObject(whole)) {
      const { keys, values } = tableOf(whole);
      const parts = Object.values(part as object);
      const [kept, of] = [parts.length, keys.length];
      if (kept < of) cuts.push({ path, kept, of, unit: 'items' });
      for (const [index, entry] of parts.entries()) {
        if (entry !== values[index]) walk(values[index], entry, [...path, keys[index] as string]);
      }
    }
  }
  walk(before, after, []);
  return cuts;
}

function toText(value: string | PlainText): string {
  return typeof value === 'string' ? value : value.text;
}
