import { escapeKinds, formsOf, MAX_LAYERS, unescapeText } from './credential-forms.js';

/** A secret part of a text, from its start to before its end. */
export type Span = [start: number, end: number];

/** The number of comparisons that one redaction may still make. A redaction that runs out of them hides the whole text. */
export class Work {
  #left: number;

  constructor(comparisons: number) {
    this.#left = comparisons;
  }

  get isDone(): boolean {
    return this.#left < 0;
  }

  spend(comparisons: number): void {
    this.#left -= comparisons;
  }
}

/** Size of the hash tables. */
const TABLE = 4_096;

/** Hashes four characters. Most positions of a text are dismissed by a table lookup with this hash. */
function hashAt(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (first * 961 + second * 31 + third + text.charCodeAt(at + 3) * 7) & (TABLE - 1);
}

/** Minimum length of a literal. */
const START = 4;

/** Finds whole literals. They are indexed by their first four characters, so that one pass over a text finds them all. */
class LiteralIndex {
  readonly literals = new Set<string>();
  readonly #byStart = new Map<string, string[]>();
  /** By hash, whether any literal begins with this hash, so that most positions of a text need no lookup. */
  readonly #starts = new Uint8Array(TABLE);
  shortest = Infinity;

  add(literal: string): void {
    if (this.literals.has(literal)) return;
    this.literals.add(literal);
    this.shortest = Math.min(this.shortest, literal.length);
    this.#starts[hashAt(literal, 0)] = 1;
    const start = literal.slice(0, START);
    const same = this.#byStart.get(start);
    if (!same) this.#byStart.set(start, [literal]);
    else {
      // The longest comes first, because it covers the others.
      const place = same.findIndex((other) => other.length < literal.length);
      same.splice(place < 0 ? same.length : place, 0, literal);
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.shortest > text.length) return;
    let last: Span | undefined;
    for (let at = 0; at + START <= text.length && !work.isDone; at++) {
      if (this.#starts[hashAt(text, at)] === 0) continue;
      const same = this.#byStart.get(text.slice(at, at + START));
      if (!same) continue;
      work.spend(same.length);
      const literal = same.find((candidate) => text.startsWith(candidate, at));
      if (literal === undefined) continue;
      const end = at + literal.length;
      if (last && at <= last[1]) last[1] = Math.max(last[1], end);
      else spans.push((last = [at, end]));
    }
  }
}

/** This many consecutive characters of a long credential are redacted, because messages are often truncated. */
const RUN = 16;
/** A credential is split into blocks of 8 characters, so every run of 16 contains a whole block. */
const BLOCK = 8;
/** A block that repeats more often than this is mostly padding. */
const MAX_PLACES = 8;

/** An occurrence of a block: the text around it, and the length of that text before the block. */
interface Place {
  readonly around: string;
  readonly before: number;
}

/** Finds runs of 16 or more characters of long literals. The search is linear in the length of the text. */
class RunIndex {
  readonly #places = new Map<string, Place[]>();
  /** By hash, whether any block has this hash, so that most positions of a text need no lookup. */
  readonly #starts = new Uint8Array(TABLE);

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  add(literal: string): void {
    for (let at = 0; at + BLOCK <= literal.length; at += BLOCK) {
      const block = literal.slice(at, at + BLOCK);
      if (block.trim() === '') continue;
      this.#starts[hashAt(literal, at)] = 1;
      const before = Math.min(BLOCK, at);
      const around = literal.slice(at - before, at + 2 * BLOCK);
      const places = this.#places.get(block);
      if (!places) this.#places.set(block, [{ around, before }]);
      else if (places.length < MAX_PLACES && !places.some((place) => place.around === around)) {
        places.push({ around, before });
      }
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.isEmpty) return;
    let last: Span | undefined;
    for (let at = 0; at + BLOCK <= text.length && !work.isDone; at++) {
      if (this.#starts[hashAt(text, at)] === 0) continue;
      work.spend(1);
      for (const place of this.#places.get(text.slice(at, at + BLOCK)) ?? []) {
        const [start, end] = compare(text, at, place);
        if (end - start < RUN) continue;
        if (last && start <= last[1]) {
          last[0] = Math.min(last[0], start);
          last[1] = Math.max(last[1], end);
        } else spans.push((last = [start, end]));
      }
    }
  }
}

/** Extends a match of a block to both sides, as far as the text equals the literal. */
function compare(text: string, at: number, { around, before }: Place): Span {
  let left = 0;
  while (left < before && text[at - left - 1] === around[before - left - 1]) left++;
  let right = BLOCK;
  while (before + right < around.length && text[at + right] === around[before + right]) right++;
  return [at - left, at + right];
}

/** Shorter texts are not searched for, because they would remove every `1` and `yes` from every text. */
const MIN_LENGTH = 4;
/** Of credentials of this length or longer, parts are redacted too. */
const LONG = 32;

/** The marks that replace a credential. The later ones serve if a credential is part of the first. */
const marks = ['[redacted]', '***', '<hidden>'];
/** Words under secret names that are no credentials. */
const commonWords: ReadonlySet<string> = new Set('basic bearer false none null true undefined'.split(' '));

/** Given credentials, in all forms in which they may appear in a text. */
export interface Literals {
  /** Literals that are found as a whole. */
  readonly short: readonly string[];
  /** Literals of which every run of 16 characters is found. */
  readonly long: readonly string[];
  /** Length of the shortest literal. A shorter text contains none. */
  readonly shortest: number;
  find(text: string, spans: Span[], work: Work): void;
}

export function createLiterals(credentials: readonly string[]): Literals {
  const short = new LiteralIndex();
  const long = new Set<string>();
  for (const credential of new Set(credentials)) {
    if (!isCredential(credential)) continue;
    for (const form of formsOf(credential)) {
      if (form.length >= LONG) long.add(form);
      else if (form.length >= MIN_LENGTH) short.add(form);
    }
  }
  const runs = new RunIndex();
  for (const form of long) runs.add(form);

  const shortest = Math.min(runs.isEmpty ? Infinity : RUN, short.shortest);
  return {
    short: [...short.literals],
    long: [...long],
    shortest,
    find(text, spans, work) {
      if (shortest === Infinity) return;
      const searched = new Set<string>();
      const findAll = (layer: string, found: Span[]): void => {
        // Removing different kinds of escapes often gives the same text.
        if (searched.has(layer)) return;
        searched.add(layer);
        runs.find(layer, found, work);
        short.find(layer, found, work);
      };
      findAll(text, spans);
      if (!ESCAPED.test(text)) return;
      // URL escapes may be in upper or lower case, also mixed in one text. Changing the case keeps all indexes.
      findAll(
        text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()),
        spans,
      );
      for (const kind of escapeKinds) findEscaped(text, kind, findAll, spans);
    },
  };
}

/** A text without any of these characters contains no escapes. */
const ESCAPED = /[%&\\]/;

/** Finds literals under escapes, layer by layer, and maps their spans back to the original text. */
function findEscaped(
  text: string,
  kind: RegExp,
  find: (text: string, spans: Span[]) => void,
  spans: Span[],
): void {
  let inner = unescapeText(text, kind);
  for (let layer = 1; inner; layer++) {
    const { starts } = inner;
    const found: Span[] = [];
    find(inner.text, found);
    for (const [start, end] of found) spans.push([starts[start] ?? 0, starts[end] ?? text.length]);
    const next = layer < MAX_LAYERS ? unescapeText(inner.text, kind) : undefined;
    inner = next && { text: next.text, starts: next.starts.map((start) => starts[start] ?? 0) };
  }
}

/** Whether a text is worth searching for: long enough, and not a common word. */
export function isCredential(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= MIN_LENGTH && !commonWords.has(trimmed.toLowerCase()) && !marks.includes(trimmed);
}

/** Chooses a mark that contains no credential and forms none together with the text beside it. */
export function chooseMark({ short, long }: Pick<Literals, 'short' | 'long'>): string {
  const mark = marks.find(
    (candidate) =>
      short.every((literal) => keepsApart(candidate, literal)) &&
      long.every(
        (literal) => !literal.includes(candidate[0] ?? '') && !literal.includes(candidate.at(-1) ?? ''),
      ),
  );
  if (mark !== undefined) return mark;
  // Fall back to a character that no credential contains.
  const used = new Set([...short, ...long].join(''));
  let code = 0x2588;
  while (used.has(String.fromCharCode(code)) && code < 0xd7ff) code++;
  return String.fromCharCode(code);
}

function keepsApart(mark: string, literal: string): boolean {
  if (mark.includes(literal) || literal.includes(mark)) return false;
  for (let length = 1; length < mark.length; length++) {
    if (literal.startsWith(mark.slice(-length)) || literal.endsWith(mark.slice(0, length))) return false;
  }
  return true;
}
