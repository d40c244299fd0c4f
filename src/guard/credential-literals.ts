import { formsOf } from './credential-forms.js';
import type { Span } from './text-spans.js';

/** Shorter ones would take every `1` and `yes` out of every text and say little themselves. */
const MIN_LENGTH = 4;
/** Longer ones are looked for in pieces: a part of a long secret is secret too, and the search stays linear. */
const PIECE = 32;
/** Above this many of one length, one pass over the text is cheaper than one search each. */
const MAX_SEARCHES = 16;

/** The later ones are for credentials that are themselves a part of the first. */
const marks = ['[redacted]', '***', '<hidden>'];
const saysNothing: ReadonlySet<string> = new Set('basic bearer false none null true undefined'.split(' '));

/** Given credentials, in all forms in which they may stand in a text. */
interface Literals {
  readonly all: readonly string[];
  /** Nothing shorter than this can hold one of them. */
  readonly shortest: number;
  find(text: string, spans: Span[]): void;
}

export function createLiterals(credentials: readonly string[]): Literals {
  const byLength = new Map<number, Set<string>>();
  const add = (literal: string): void => {
    const same = byLength.get(literal.length);
    if (same) same.add(literal);
    else byLength.set(literal.length, new Set([literal]));
  };
  for (const credential of new Set(credentials)) {
    if (!isCredential(credential)) continue;
    for (const form of formsOf(credential)) {
      if (form.length < MIN_LENGTH) continue;
      if (form.length <= PIECE) add(form);
      else {
        for (let at = 0; at + PIECE <= form.length; at += PIECE) add(form.slice(at, at + PIECE));
        add(form.slice(-PIECE));
      }
    }
  }
  return {
    all: [...byLength.values()].flatMap((same) => [...same]),
    shortest: Math.min(Infinity, ...byLength.keys()),
    find(text, spans) {
      for (const [length, same] of byLength) {
        if (length > text.length) continue;
        if (same.size > MAX_SEARCHES) findWindows(text, length, same, spans);
        else for (const literal of same) findLiteral(text, literal, spans);
      }
    },
  };
}

/** Whether a text is worth looking for: long enough, and no word that every text has. */
export function isCredential(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= MIN_LENGTH && !saysNothing.has(trimmed.toLowerCase()) && !marks.includes(trimmed);
}

/** The mark must not hold a credential, nor form one together with the text beside it. */
export function chooseMark(literals: readonly string[]): string {
  const mark = marks.find((candidate) => literals.every((literal) => keepsApart(candidate, literal)));
  if (mark !== undefined) return mark;
  // A character that no credential has.
  const used = new Set(literals.join(''));
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

function findLiteral(text: string, literal: string, spans: Span[]): void {
  let last: Span | undefined;
  // One further each time, since a credential may overlap itself.
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) {
    if (last && at <= last[1]) last[1] = at + literal.length;
    else spans.push((last = [at, at + literal.length]));
  }
}

function findWindows(text: string, length: number, literals: ReadonlySet<string>, spans: Span[]): void {
  let last: Span | undefined;
  for (let at = 0; at + length <= text.length; at++) {
    if (!literals.has(text.slice(at, at + length))) continue;
    if (last && at <= last[1]) last[1] = at + length;
    else spans.push((last = [at, at + length]));
  }
}
