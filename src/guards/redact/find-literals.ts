import { escapeKinds, formsOf, MAX_LAYERS, unescapeText } from './credential-forms.js';
import { LiteralIndex, RUN, RunIndex } from './literal-index.js';
import type { Span, Work } from './spans.js';

/** Shorter texts are not searched for, because they would remove every `1` and `yes` from every text. */
const MIN_LENGTH = 4;
/** Of credentials of this length or longer, parts are redacted too. */
const LONG = 32;

/** The marks that replace a credential. The later ones serve if a credential is part of the first. */
const marks = ['[redacted]', '***', '<hidden>'];
/** Words under secret names that are no credentials. */
const commonWords: ReadonlySet<string> = new Set('basic bearer false none null true undefined'.split(' '));

/** Given credentials, in all forms in which they may appear in a text. */
interface Literals {
  /** Literals that are found as a whole. */
  readonly short: readonly string[];
  /** Literals of which every run of 16 characters is found. */
  readonly long: readonly string[];
  /** Shorter texts cannot contain a literal. */
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
