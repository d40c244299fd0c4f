import { isJsonObject } from '@toolfold/schema/internal';
import { countCharacters, endOfCharacter, PlainText, tableOf } from './shrink-value.js';

/** A list, map or text of a result that was shortened to its beginning. */
export interface Cut {
  readonly path: readonly (string | number)[];
  readonly kept: number;
  readonly of: number;
  /** `items` counts the items of a list or the entries of a map, `characters` the code points of a text. */
  readonly unit: 'items' | 'characters';
}

/** Lists the cuts that turn one value into another. Parts that both values share are skipped. */
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

const MAX_NAMED = 3;

/** Writes one line for the model: the cuts, the original sizes, and the fields of the action that narrow a call. */
export function describeCuts(cuts: readonly Cut[], fieldNames: readonly string[]): string {
  if (cuts.length === 0) return '';
  const named = cuts
    .slice(0, MAX_NAMED)
    .map(
      ({ path, kept, of, unit }) =>
        `${describePath(path)} (${kept === 0 ? 'none' : `first ${kept}`} of ${of} ${unit})`,
    );
  const more = cuts.length > MAX_NAMED ? ` and ${cuts.length - MAX_NAMED} more` : '';
  return `Cut to fit the output limit: ${named.join(', ')}${more}. To see the rest, ${adviseNarrowing(fieldNames)}.`;
}

/** Advises the model which fields of an action narrow a call. */
export function adviseNarrowing(fieldNames: readonly string[]): string {
  const advice: string[] = [];
  const used = new Set<string>();
  for (const [verb, words] of narrowingWords) {
    const names = fieldNames
      .filter((name) => !used.has(name) && wordsOf(name).some((word) => words.test(word)))
      .slice(0, MAX_NAMED);
    for (const name of names) used.add(name);
    if (names.length > 0) advice.push(`${verb} ${names.map((name) => clip(name)).join(', ')}`);
  }
  return advice.length > 0 ? advice.join('; ') : 'ask for less at once';
}

/** Makes a name from data safe for a one-line message: no line breaks, and at most `length` characters. */
export function clip(name: string, length = 40): string {
  const flat = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return flat.length > length ? `${flat.slice(0, endOfCharacter(flat, length - 1))}…` : flat;
}

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the result';
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${clip(step)}`)).join('');
  return clip(text.startsWith('.') ? text.slice(1) : text, 80);
}

/** A field narrows a call if its name contains one of these words. */
const narrowingWords: readonly (readonly [advice: string, words: RegExp])[] = [
  ['page with', /^(limit|page|cursor|offset|skip|take|top|first|last|after|before|results|continuation)$/],
  [
    'filter with',
    /^(filters?|query|q|search|where|since|until|range|match|pattern|prefix|status|state|type|tags?|labels?|start|end|min|max|date)$/,
  ],
  [
    'choose with',
    /^(fields?|select|columns|properties|attributes|include|exclude|omit|expand|projection|depth)$/,
  ],
];

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}
