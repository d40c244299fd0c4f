import { LRUCache } from 'lru-cache';
import { collectCredentials } from './collect-credentials.js';
import { chooseMark, createLiterals } from './credential-literals.js';
import { findPatterns } from './credential-patterns.js';
import { copyRedacted } from './redacted-copy.js';
import { Work } from './redaction-work.js';
import { isSuspect } from '../../values/secret-names.js';
import { replaceSpans } from './text-spans.js';
import type { Span } from './text-spans.js';

/** Takes credentials out of texts and values before they leave: as answers, details or log lines. */
export interface Redactor {
  /** The text without credentials. Of a text over 16,384 characters only the beginning is kept. */
  text(text: string): string;
  /** A copy that JSON can say, without credentials; itself where it is flat and holds nothing. Never throws. */
  value(value: unknown): unknown;
}

const MAX_ROUNDS = 6;
/** Nothing shorter is a credential, or names one. */
const SHORTEST = 4;

/** Longer texts are cut before they are searched. */
const MAX_TEXT = 16_384;
/**
 * Dropped from the end of a text that was cut: what the cut left of a credential may stand there unrecognised. The
 * longest such rest is the user and password of a URL, which may have 2,000 characters.
 */
const CUT_MARGIN = 4_096;
/** How many comparisons a text, or all texts of a value, may take: some 20 ms. */
const MAX_WORK = 200_000;

/** Making one takes up to half a millisecond, and callers come again. */
const recent = new LRUCache<string, Redactor>({ max: 500 });
/** Redactors of more credentials take megabytes and are not kept. */
const MAX_KEY = 4_096;

/** A redactor for anything that looks like a credential, and for the given ones wherever they stand. */
export function createRedactor(credentials: readonly string[] = []): Redactor {
  // Most calls bring no credential.
  if (credentials.length === 0) return patternsOnly;
  const key = JSON.stringify(credentials);
  let redactor = recent.get(key);
  if (redactor) return redactor;
  redactor = makeRedactor(credentials);
  if (key.length <= MAX_KEY) recent.set(key, redactor);
  return redactor;
}

/** A redactor for the credentials in the given contexts, arguments and callers. */
export function redactorOf(roots: readonly unknown[]): Redactor {
  const credentials = collectCredentials(...roots);
  return credentials ? createRedactor(credentials) : hidesEverything;
}

/** For calls with too many credentials to search for: no text of them is safe to show. */
const hidesEverything: Redactor = {
  text: () => '[redacted: the request holds too many credentials to search for]',
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
      // Whatever is returned here is a text in which nothing more is found, so doing it again changes nothing.
      if (next === current) return current;
      current = next;
    }
    return mark;
  };
  const redact = (given: string, work: Work): string => {
    if (given.length < SHORTEST) return given;
    if (given.length <= MAX_TEXT) return search(given, work);
    const searched = search(given.slice(0, MAX_TEXT), work).slice(0, -CUT_MARGIN);
    // A second search, since the cut may have split a mark.
    return search(`${searched.slice(0, MAX_TEXT - CUT_MARGIN)}…`, work);
  };
  return {
    text: (given) => redact(given, new Work(MAX_WORK)),
    value: (value) => {
      const work = new Work(MAX_WORK);
      const text = (given: string): string => redact(given, work);
      return copyRedacted(value, { text, mark, shortest: literals.shortest });
    },
  };
}

const patternsOnly = makeRedactor([]);
