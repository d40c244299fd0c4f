import { LRUCache } from 'lru-cache';
import { isSuspect } from '../../values/secret-names.js';
import { collectCredentials } from './collect-credentials.js';
import { findPatterns } from './find-patterns.js';
import { redactValue } from './redact-value.js';
import { chooseMark, createLiterals, Work } from './find-literals.js';
import type { Literals, Span } from './find-literals.js';
import { ErrProtocol, ToolfoldError } from '../../errors.js';
import type { ErrorOptions } from '../../errors.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';

/** Removes credentials from texts and values before they leave the server as results, error details or log lines. */
export interface Redactor {
  /** Redacts a text. Of a text over 16,384 characters only the beginning is kept. */
  text(text: string): string;
  /** Copies a value to JSON without credentials. A small flat object without any is returned itself. Never throws. */
  value(value: unknown): unknown;
  /** Copies a thrown value like `value`, with the stack traces of errors, for logs. */
  failure(thrown: unknown): unknown;
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

/**
 * Creating a redactor takes up to 0.5 ms, and 10 ms for hundreds of credentials. The same callers return, and one call redacts
 * several texts, so recent redactors are cached. A long list of credentials takes megabytes, so their total length is limited.
 */
const recent = new LRUCache<string, Redactor>({
  max: 500,
  maxSize: 200_000,
  sizeCalculation: (_redactor, key) => key.length,
});

/** Creates a redactor for texts that look like a credential, and for the given credentials. */
export function createRedactor(credentials: readonly string[] = []): Redactor {
  // Fast path: most calls contain no credential.
  if (credentials.length === 0) return patternsOnly;
  const key = JSON.stringify(credentials);
  let redactor = recent.get(key);
  if (redactor) return redactor;
  redactor = makeRedactor(credentials);
  recent.set(key, redactor);
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
  failure: (thrown) => (typeof thrown === 'object' && thrown !== null ? {} : '[redacted]'),
};

function makeRedactor(credentials: readonly string[]): Redactor {
  // Created on first use, because many errors are never shown or logged.
  let created: { readonly literals: Literals; readonly mark: string } | undefined;
  const prepare = (): { readonly literals: Literals; readonly mark: string } => {
    if (created) return created;
    const literals = createLiterals(credentials);
    return (created = { literals, mark: chooseMark(literals) });
  };

  const search = (given: string, work: Work): string => {
    const { literals, mark } = prepare();
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
  const copy = (value: unknown, keepsStacks: boolean): unknown => {
    const work = new Work(MAX_WORK);
    const text = (given: string): string => redact(given, work);
    const { literals, mark } = prepare();
    return redactValue(value, { text, mark, shortest: literals.shortest, keepsStacks });
  };
  return {
    text: (given) => redact(given, new Work(MAX_WORK)),
    value: (value) => copy(value, false),
    failure: (thrown) => copy(thrown, true),
  };
}

const patternsOnly = makeRedactor([]);

/**
 * Removes credentials from a failed result. A result without any is returned itself, because results are compared by
 * identity.
 */
export function redactResult(result: CallToolResult, redactor: Redactor): CallToolResult {
  const { structuredContent, _meta } = result;
  const content = result.content.map((block) => redactBlock(block, redactor));
  const data = redactIfNeeded(structuredContent, redactor);
  const meta = redactIfNeeded(_meta, redactor);
  const isSame =
    content.every((block, index) => block === result.content[index]) &&
    data === structuredContent &&
    meta === _meta;
  if (isSame) return result;
  return {
    ...result,
    content,
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** The data of images, audio and blobs is not searched, but the fields beside it are. */
function redactBlock(block: ContentBlock, redactor: Redactor): ContentBlock {
  if (block.type === 'text') return redactBeside(block, 'text', redactor.text(block.text), redactor);
  if (block.type === 'image' || block.type === 'audio')
    return redactBeside(block, 'data', block.data, redactor);
  if (block.type === 'resource' && 'blob' in block.resource) {
    const resource = redactBeside(block.resource, 'blob', block.resource.blob, redactor);
    return redactBeside(block, 'resource', resource, redactor);
  }
  return redactIfNeeded(block, redactor);
}

/** Redacts all fields except one, which gets the given value. */
function redactBeside<T extends object, K extends keyof T & string>(
  object: T,
  field: K,
  value: T[K],
  redactor: Redactor,
): T {
  const { [field]: before, ...others } = object;
  const clean = redactIfNeeded(others, redactor);
  return value === before && clean === others ? object : ({ ...clean, [field]: value } as unknown as T);
}

/** Redacts a value, but returns it itself if nothing changed. */
function redactIfNeeded<T>(value: T, redactor: Redactor): T {
  if (value === undefined) return value;
  const clean = redactor.value(value) as T;
  return JSON.stringify(clean) === JSON.stringify(value) ? value : clean;
}

/** Copies an error without credentials in its message, details and cause. */
export function redactError(error: ToolfoldError, redactor: Redactor): ToolfoldError {
  const ErrorClass = error.constructor as new (message: string, options: ErrorOptions) => ToolfoldError;
  const details = redactor.value(error.details) as Record<string, unknown>;
  // ErrProtocol takes the fields of its details as options.
  const own = error instanceof ErrProtocol ? details : {};
  const cause = error.cause === undefined ? {} : { cause: redactThrown(error.cause, redactor) };
  return new ErrorClass(redactor.text(error.message), { ...own, ...cause, details });
}

/**
 * Copies a thrown value without credentials, so that it can be logged or returned. Of other errors only the name, message
 * and stack are copied, because their fields may hold whole requests.
 */
export function redactThrown(thrown: unknown, redactor: Redactor): unknown {
  if (thrown instanceof ToolfoldError) return redactError(thrown, redactor);
  if (!(thrown instanceof Error)) return redactor.value(thrown);
  const copy = new Error(redactor.text(thrown.message));
  copy.name = redactor.text(thrown.name);
  if (thrown.stack !== undefined) copy.stack = redactor.text(thrown.stack);
  return copy;
}

/** Replaces all spans at once. Spans that overlap or touch become one mark. */
function replaceSpans(text: string, spans: Span[], mark: string): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const pieces: string[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (pieces.length === 0 || start > done) pieces.push(text.slice(done, start), mark);
    done = Math.max(done, end);
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
