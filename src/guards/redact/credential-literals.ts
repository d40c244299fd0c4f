import { formsOf } from './credential-forms.js';
import { CredentialPieces, RUN } from './credential-pieces.js';
import { LiteralIndex } from './literal-index.js';
import type { Work } from './redaction-work.js';
import type { Span } from './text-spans.js';
import { MAX_LAYERS, escapes, unescapeText } from './unescaped-text.js';

/** Shorter ones would take every `1` and `yes` out of every text and say little themselves. */
const MIN_LENGTH = 4;
/** From here on a part of it is secret too. */
const LONG = 32;

/** The later ones are for credentials that are themselves a part of the first. */
const marks = ['[redacted]', '***', '<hidden>'];
const saysNothing: ReadonlySet<string> = new Set('basic bearer false none null true undefined'.split(' '));

/** Given credentials, in all forms in which they may stand in a text. */
interface Literals {
  /** Those that are found whole. */
  readonly short: readonly string[];
  /** Those of which any part is found that is long enough. */
  readonly long: readonly string[];
  /** Nothing shorter than this can hold one of them. */
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
  const pieces = new CredentialPieces();
  for (const form of long) pieces.add(form);

  const shortest = Math.min(pieces.isEmpty ? Infinity : RUN, short.shortest);
  return {
    short: [...short.literals],
    long: [...long],
    shortest,
    find(text, spans, work) {
      if (shortest === Infinity) return;
      const searched = new Set<string>();
      const findAll = (layer: string, found: Span[]): void => {
        // Two kinds of escapes often leave the same text.
        if (searched.has(layer)) return;
        searched.add(layer);
        pieces.find(layer, found, work);
        short.find(layer, found, work);
      };
      findAll(text, spans);
      if (!ESCAPED.test(text)) return;
      // Escapes of URLs may be written either way, within one text too. Places stay as they are.
      findAll(
        text.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()),
        spans,
      );
      for (const kind of escapes) findEscaped(text, kind, findAll, spans);
    },
  };
}

/** Without any of these nothing is escaped. */
const ESCAPED = /[%&\\]/;

/** Finds what stands under escapes, layer by layer, at its place in the text as it is. */
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

/** Whether a text is worth looking for: long enough, and no word that every text has. */
export function isCredential(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= MIN_LENGTH && !saysNothing.has(trimmed.toLowerCase()) && !marks.includes(trimmed);
}

/** The mark must not hold a credential, nor form one together with the text beside it. */
export function chooseMark({ short, long }: Pick<Literals, 'short' | 'long'>): string {
  const mark = marks.find(
    (candidate) =>
      short.every((literal) => keepsApart(candidate, literal)) &&
      long.every(
        (literal) => !literal.includes(candidate[0] ?? '') && !literal.includes(candidate.at(-1) ?? ''),
      ),
  );
  if (mark !== undefined) return mark;
  // A character that no credential has.
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
