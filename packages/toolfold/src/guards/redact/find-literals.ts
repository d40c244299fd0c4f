import { getOrMake } from '../../values/get-or-make.js';
import { decodeHtml, formsOf } from './credential-forms.js';

/** A secret part of a text. `end` is exclusive. */
export type Span = [start: number, end: number];

/** The text that replaces a credential. */
export const MARK = '[redacted]';

/** Shorter texts are not searched for, because they would remove every `1` and `yes` from every text. */
const MIN_LENGTH = 4;
/** Credentials of this length are also found by their beginning, because messages are often truncated. */
const LONG = 32;
const MIN_BEGINNING = 16;
/** Maximum number of comparisons for one text, or for all texts of one value. They take about 20 ms. */
const MAX_WORK = 200_000;

/** Words under secret names that are no credentials. */
const commonWords: ReadonlySet<string> = new Set('basic bearer false none null true undefined'.split(' '));

/** Whether a text is worth searching for: long enough, not a common word, and not a part of the mark. */
export function isCredential(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= MIN_LENGTH && !commonWords.has(trimmed.toLowerCase()) && !MARK.includes(trimmed);
}

/** The comparisons that one redaction may still make. When none is left, the whole text is hidden. */
export interface Work {
  left: number;
}

export function newWork(): Work {
  return { left: MAX_WORK };
}

const TABLE = 4_096;

/** Hashes four characters. Most positions of a text are dismissed by a table lookup with this hash. */
function hashAt(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (first * 961 + second * 31 + third + text.charCodeAt(at + 3) * 7) & (TABLE - 1);
}

/** Finds credentials in all their forms. They are indexed by their first characters, so one pass over a text finds them all. */
export class Literals {
  readonly #byStart = new Map<string, Set<string>>();
  readonly #hashes = new Uint8Array(TABLE);

  constructor(credentials: readonly string[], minLength = MIN_LENGTH) {
    for (const credential of new Set(credentials.filter(isCredential)))
      for (const form of formsOf(credential.trim()))
        if (form.length >= minLength && !MARK.includes(form)) this.#add(form);
  }

  #add(literal: string): void {
    this.#hashes[hashAt(literal, 0)] = 1;
    getOrMake(this.#byStart, literal.slice(0, MIN_LENGTH), () => new Set()).add(literal);
  }

  /** Adds a span for every credential in the text. */
  find(text: string, spans: Span[], work: Work): void {
    if (this.#byStart.size === 0) return;
    this.#search(text, spans, work);
    const html = decodeHtml(text);
    if (!html) return;
    const found: Span[] = [];
    this.#search(html.decoded, found, work);
    for (const span of found) spans.push(span.map((at) => html.origins[at]) as Span);
  }

  #search(text: string, spans: Span[], work: Work): void {
    for (let at = 0; at + MIN_LENGTH <= text.length && work.left >= 0; at++) {
      if (this.#hashes[hashAt(text, at)] === 0) continue;
      for (const literal of this.#byStart.get(text.slice(at, at + MIN_LENGTH)) ?? []) {
        const length = lengthOfMatch(text, at, literal);
        work.left -= 1 + length / MIN_BEGINNING;
        if (length === literal.length || (literal.length >= LONG && length >= MIN_BEGINNING))
          spans.push([at, at + length]);
      }
    }
  }
}

/** Counts the characters of a literal that match the text. The caller has already compared the first four. */
function lengthOfMatch(text: string, at: number, literal: string): number {
  let length = MIN_LENGTH;
  while (length < literal.length && text.charCodeAt(at + length) === literal.charCodeAt(length)) length++;
  return length;
}

/** Creates a function that replaces the given credentials, and nothing else, in texts of any length. */
export function createHider(credentials: readonly string[], minLength: number): (text: string) => string {
  const literals = new Literals(credentials, minLength);
  return (text) => {
    const spans: Span[] = [];
    literals.find(text, spans, { left: Infinity });
    return replaceSpans(text, spans);
  };
}

/** Replaces all spans at once. Spans that overlap or touch become one mark. */
export function replaceSpans(text: string, spans: Span[]): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const pieces: string[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (pieces.length === 0 || start > done) pieces.push(text.slice(done, start), MARK);
    done = Math.max(done, end);
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
