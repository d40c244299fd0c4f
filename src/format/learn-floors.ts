import { isJsonObject } from '../schema/json-schema.js';
import { endOfCharacter } from './cut-text.js';
import { PlainText, tableOf, Whole } from './cuttable-value.js';
import { findPlacedCuts } from './find-cuts.js';

/** Finds the places of a refused cut that are too short on their own, and the least that is taken there. */
export function learnFloors<T>(
  whole: T,
  refused: T,
  accepts: (part: T) => boolean,
  floors: Map<string, number>,
): void {
  const shortest = new Map<string, number>();
  for (const { place, kept } of findPlacedCuts(whole, refused)) {
    shortest.set(place, Math.min(kept, shortest.get(place) ?? kept));
  }
  let learned = false;
  for (const [place, kept] of shortest) {
    const steps = place.split('\0').slice(1);
    const cap = (length: number): T => capAt(whole, steps, length) as T;
    if (accepts(cap(kept))) continue;
    learned = true;
    floors.set(
      place,
      findLeast(
        kept,
        (length) => accepts(cap(length)),
        (length) => cap(length) === whole,
      ),
    );
  }
  // Refused only together: whatever was cut last stays.
  const last = [...shortest.keys()].at(-1);
  if (!learned && last !== undefined) floors.set(last, Infinity);
}

/** The least length that is taken, above one that is not; without end where even the whole is not. */
function findLeast(
  refused: number,
  takes: (length: number) => boolean,
  isWhole: (length: number) => boolean,
): number {
  let [low, high] = [refused, refused + 1];
  for (let step = 2; !takes(high); step *= 2) {
    if (isWhole(high)) return Infinity;
    [low, high] = [high, high + step];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (takes(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** A copy in which everything at a place has at most so many items or characters; itself where that is so. */
function capAt(value: unknown, steps: readonly string[], length: number): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (typeof value === 'string') {
      return value.length <= length ? value : value.slice(0, endOfCharacter(value, length));
    }
    if (Array.isArray(value)) return value.length <= length ? value : value.slice(0, length);
    if (!isJsonObject(value) || value instanceof PlainText || value instanceof Whole) return value;
    const entries = Object.entries(value);
    return entries.length <= length ? value : Object.fromEntries(entries.slice(0, length));
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => capAt(item, rest, length));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const { keys, values, isMap } = tableOf(value);
  const capped = values.map((entry, index) =>
    isMap || keys[index] === step ? capAt(entry, rest, length) : entry,
  );
  if (capped.every((entry, index) => entry === values[index])) return value;
  return Object.fromEntries(capped.map((entry, index) => [keys[index] as string, entry]));
}
