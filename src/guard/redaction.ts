import { LRUCache } from 'lru-cache';
import { chooseMark, createLiterals } from './credential-literals.js';
import { findPatterns } from './credential-patterns.js';
import { copyRedacted } from './redacted-copy.js';
import { isSuspect } from './suspect-text.js';
import { replaceSpans } from './text-spans.js';
import type { Span } from './text-spans.js';

/** Takes credentials out of texts and values before they leave: as answers, details or log lines. */
export interface Redactor {
  /** The text without credentials. */
  text(text: string): string;
  /** A copy that JSON can say, without credentials; itself where it is flat and holds nothing. Never throws. */
  value(value: unknown): unknown;
}

const MAX_ROUNDS = 6;
/** Nothing shorter is a credential, or names one. */
const SHORTEST = 4;

/** Making one takes up to half a millisecond, and callers come again. */
const recent = new LRUCache<string, Redactor>({ max: 500 });

/** A redactor for anything that looks like a credential, and for the given ones wherever they stand. */
export function createRedactor(credentials: readonly string[] = []): Redactor {
  const key = JSON.stringify(credentials);
  let redactor = recent.get(key);
  if (!redactor) recent.set(key, (redactor = makeRedactor(credentials)));
  return redactor;
}

function makeRedactor(credentials: readonly string[]): Redactor {
  const literals = createLiterals(credentials);
  const mark = chooseMark(literals);

  const text = (given: string): string => {
    if (given.length < SHORTEST) return given;
    let current = given;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const suspect = isSuspect(current);
      if (!suspect && current.length < literals.shortest) return current;
      const spans: Span[] = [];
      if (suspect) findPatterns(current, mark, spans);
      literals.find(current, spans);
      const next = replaceSpans(current, spans, mark);
      // Whatever is returned here is a text in which nothing more is found, so doing it again changes nothing.
      if (next === current) return current;
      current = next;
    }
    return mark;
  };
  const options = { text, mark, shortest: literals.shortest };
  return { text, value: (value) => copyRedacted(value, options) };
}
