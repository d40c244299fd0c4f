import { endOfCharacter } from './cut-text.js';
import type { Cut } from './find-cuts.js';

const MAX_NAMED = 3;

/** One line for the model: what was cut, how much there was, and which fields of the action narrow a call. */
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

/** Which fields of an action narrow a call, as advice to the model. */
export function adviseNarrowing(fieldNames: readonly string[]): string {
  const advice: string[] = [];
  const used = new Set<string>();
  for (const [verb, words] of narrowing) {
    const names = fieldNames
      .filter((name) => !used.has(name) && wordsOf(name).some((word) => words.test(word)))
      .slice(0, MAX_NAMED);
    for (const name of names) used.add(name);
    if (names.length > 0) advice.push(`${verb} ${names.map((name) => clip(name)).join(', ')}`);
  }
  return advice.length > 0 ? advice.join('; ') : 'ask for less at once';
}

/** Names come from data: they stay on the line, and short. */
export function clip(name: string, length = 40): string {
  const flat = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return flat.length > length ? `${flat.slice(0, endOfCharacter(flat, length - 1))}…` : flat;
}

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the result';
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${clip(step)}`)).join('');
  return clip(text.startsWith('.') ? text.slice(1) : text, 80);
}

/** What the words in a field's name say about its use. */
const narrowing: readonly (readonly [advice: string, words: RegExp])[] = [
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
