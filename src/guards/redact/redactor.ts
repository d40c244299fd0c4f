import { LRUCache } from 'lru-cache';
import { isSuspect } from '../../values/secret-names.js';
import { collectCredentials } from './collect-credentials.js';
import { chooseMark, createLiterals } from './find-literals.js';
import { findPatterns } from './find-patterns.js';
import { redactValue } from './redact-value.js';
import { replaceSpans, Work } from './spans.js';
import type { Span } from './spans.js';

/** Removes credentials from texts and values before they leave the server as results, error details or log lines. */
export interface Redactor {
  /** Redacts a text. Of a text over 16,384 characters only the beginning is kept. */
  text(text: string): string;
  /** Copies a value to JSON without credentials. A small flat object without any is returned itself. Never throws. */
  value(value: unknown): unknown;
}

/** A text in which replacing still finds new credentials after this many rounds is hidden. */
const MAX_ROUNDS = 6;
/** Shorter texts contain neither a credential nor the name of one. */
const SHORTEST = 4;

/** Longer texts are truncated before they are searched. */
const MAX_TEXT = 16_384;
/**
 * Number of characters dropped from the end of a truncated text, because the truncation may leave an unrecognisable part of
 * a credential there. The longest such part is the user and password of a URL, which may have 2,000 characters.
 */
const CUT_MARGIN = 4_096;
/** Maximum number of comparisons for one text, or for all texts of one value. They take about 20 ms. */
const MAX_WORK = 200_000;

/** Creating a redactor takes up to 0.5 ms, and the same callers return, so recent redactors are cached. */
const recent = new LRUCache<string, Redactor>({ max: 500 });
/** Redactors for longer lists of credentials take megabytes and are not cached. */
const MAX_KEY = 4_096;

/** Creates a redactor for texts that look like a credential, and for the given credentials. */
export function createRedactor(credentials: readonly string[] = []): Redactor {
  // Fast path: most calls contain no credential.
  if (credentials.length === 0) return patternsOnly;
  const key = JSON.stringify(credentials);
  let redactor = recent.get(key);
  if (redactor) return redactor;
  redactor = makeRedactor(credentials);
  if (key.length <= MAX_KEY) recent.set(key, redactor);
  return redactor;
}

/** Creates a redactor for the credentials in the given contexts, arguments and callers. */
export function redactorOf(roots: readonly unknown[]): Redactor {
  const credentials = collectCredentials(...roots);
  return credentials ? createRedactor(credentials) : hidesEverything;
}

/** For requests with too many credentials to search for: no text of such a call is safe to show. */
const hidesEverything: Redactor = {
  text: () => '[redacted: the request contains too many credentials to search for]',
  value: (value) => (typeof value === 'object' && value !== null ? {} : '[redacted]'),
};

function makeRedactor(credentials: readonly string[]): Redactor {
  const literals = createLiterals(credentials);
  const mark = chooseMark(literals);

  const search = (given: string, work: Work): string => {
    let current = given;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const suspect = isSuspect(current);
      if (!suspect && current.length < literals.shortest) return current;
      const spans: Span[] = [];
      if (suspect) findPatterns(current, mark, spans);
      literals.find(current, spans, work);
      if (work.isDone) return mark;
      const next = replaceSpans(current, spans, mark);
      // No credential was found in this round, so redacting the result again would not change it.
      if (next === current) return current;
      current = next;
    }
    return mark;
  };
  const redact = (given: string, work: Work): string => {
    if (given.length < SHORTEST) return given;
    if (given.length <= MAX_TEXT) return search(given, work);
    const searched = search(given.slice(0, MAX_TEXT), work).slice(0, -CUT_MARGIN);
    // Search again, because dropping the end may have split a mark.
    return search(`${searched.slice(0, MAX_TEXT - CUT_MARGIN)}…`, work);
  };
  return {
    text: (given) => redact(given, new Work(MAX_WORK)),
    value: (value) => {
      const work = new Work(MAX_WORK);
      const text = (given: string): string => redact(given, work);
      return redactValue(value, { text, mark, shortest: literals.shortest });
    },
  };
}

const patternsOnly = makeRedactor([]);
