import { LRUCache } from 'lru-cache';
import { collectCredentials } from './collect-credentials.js';
import { findAssignments, findShapes } from './find-patterns.js';
import { redactValue } from './redact-value.js';
import { Literals, MARK, newWork, replaceSpans } from './find-literals.js';
import type { Span, Work } from './find-literals.js';
import { ErrProtocol, ToolfoldError } from '@toolfold/schema/errors';
import type { ErrorOptions } from '@toolfold/schema/errors';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { getOrMake } from '../../values/get-or-make.js';

/** Removes credentials from texts and values before they leave the server as results, error details or log lines. */
export interface Redactor {
  /** Redacts a text. Of a text over 16,384 characters only the beginning is kept. */
  text(text: string): string;
  /** Copies a value to JSON without credentials. Never throws. */
  value(value: unknown): unknown;
  /** Copies a thrown value like `value`, with the stack traces of errors, for logs. */
  failure(thrown: unknown): unknown;
}

/** Shorter texts can contain neither a credential nor the name of one. */
const SHORTEST = 4;
/** Longer texts are truncated before they are searched. */
const MAX_TEXT = 16_384;
/**
 * Number of characters dropped from the end of a truncated text, because the truncation may leave an unrecognisable part of
 * a credential there. The longest such part is the user and password of a URL, which may have 2,000 characters.
 */
const CUT_MARGIN = 4_096;

/**
 * Creating a redactor takes up to 0.5 ms, and 10 ms for hundreds of credentials. The same callers return, and one call redacts
 * several texts, so recent redactors are cached. A long list of credentials takes megabytes, so their total length is limited.
 */
const recent = new LRUCache<string, Redactor>({
  max: 500,
  maxSize: 200_000,
  sizeCalculation: (_redactor, key) => key.length,
});

/** Every pattern needs one of these characters, and most texts have none. Searching with all patterns takes 20 times as long. */
const SUSPECT =
  /[:=]|%3|--|eyJ|[Bb][EeAa][AaSs][RrIi]|[sr]k[-_]|gh[pousr]_|_pat_|lpat-|xox|xapp|[KS]IA|AIza|npm_|ya29|hf_|SG\./;

/** Creates a redactor for texts that look like a credential, and for the given credentials. */
export function createRedactor(credentials: readonly string[] = []): Redactor {
  if (credentials.length === 0) return patternsOnly;
  return getOrMake(recent, JSON.stringify(credentials), () => makeRedactor(credentials));
}

/** Creates a redactor for the credentials in the given contexts, arguments and callers. */
export function redactorOf(roots: readonly unknown[]): Redactor {
  const credentials = collectCredentials(...roots);
  return credentials ? createRedactor(credentials) : hidesEverything;
}

/** Used if a request contains too many credentials to search for, because then no text of the call is safe to show. */
const hidesEverything: Redactor = {
  text: () => '[redacted: the request contains too many credentials to search for]',
  value: (value) => (typeof value === 'object' && value !== null ? {} : MARK),
  failure: (thrown) => (typeof thrown === 'object' && thrown !== null ? {} : MARK),
};

function makeRedactor(credentials: readonly string[]): Redactor {
  // Created on first use, because many errors are never shown or logged.
  let literals: Literals | undefined;
  const search = (text: string, work: Work): string => {
    const spans: Span[] = [];
    if (SUSPECT.test(text)) {
      findShapes(text, spans);
      findAssignments(text, spans);
    }
    (literals ??= new Literals(credentials)).find(text, spans, work);
    return work.left < 0 ? MARK : replaceSpans(text, spans);
  };
  const redact = (given: string, work: Work): string => {
    if (given.length < SHORTEST) return given;
    if (given.length <= MAX_TEXT) return search(given, work);
    const searched = search(given.slice(0, MAX_TEXT), work).slice(0, -CUT_MARGIN);
    // Search again, because dropping the end may have split a mark.
    return search(`${searched.slice(0, MAX_TEXT - CUT_MARGIN)}…`, work);
  };
  const copy = (value: unknown, keepsStacks: boolean): unknown => {
    const work = newWork();
    return redactValue(value, { text: (given) => redact(given, work), keepsStacks });
  };
  return {
    text: (given) => redact(given, newWork()),
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

/** Returns the given value, not a copy, if it contains no credential. */
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
