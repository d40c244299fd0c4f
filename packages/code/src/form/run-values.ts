import { JSON_VALUE, toCallError } from 'toolfold/internal';
import { ErrOutputTooLarge, ErrToolFailed, ErrValidationFailed } from 'toolfold/errors';
import type { ToolfoldError } from 'toolfold/errors';
import type { CallToolResult } from 'toolfold';
import type { SearchEntry } from '@toolfold/search/internal';
import { clip, exceededTextLimit, isJsonObject, withDefaultJsonLimits } from '@toolfold/schema/internal';
import type { GuestCall, GuestError } from '../sandbox/sandbox.js';

export type CallEnd = { readonly value: string | undefined } | { readonly error: GuestError };

const MAX_MESSAGE = 4_000;
const MAX_SUGGESTIONS = 50;
const MAX_SUGGESTION = 1_000;
const inputLimits = withDefaultJsonLimits({});

/** Converts an error for the code, which can catch it. A code that the server's author defined has precedence. */
export function toGuestError(error: ToolfoldError): GuestError {
  const { code: own, suggestions } = error.details;
  const code = typeof own === 'string' && own !== '' ? clip(own) : error.code;
  return {
    name: code,
    code,
    message: clip(error.message, MAX_MESSAGE),
    suggestions: Array.isArray(suggestions)
      ? suggestions.slice(0, MAX_SUGGESTIONS).map((each) => clip(String(each), MAX_SUGGESTION))
      : [],
  };
}

/** Reads the argument of a call within the limits of a request, because code is a client. */
export function readInput(
  { path, input }: GuestCall,
  { holder: { discriminator }, compiled: { key } }: SearchEntry,
  maxBytes: number,
): Readonly<Record<string, unknown>> | ErrValidationFailed {
  if (input === undefined) return {};
  const name = `tools.${clip(path)}`;
  if (byteLength(input) > maxBytes) {
    return invalid(`the arguments of ${name} have more than ${maxBytes} bytes. Pass less at once`);
  }
  const exceeded = exceededTextLimit(input, inputLimits);
  if (exceeded !== undefined) {
    const limit = inputLimits[exceeded];
    const what = exceeded === 'maxDepth' ? `${limit} levels` : `${limit} values`;
    return invalid(`the arguments of ${name} have more than ${what}. Pass less at once`);
  }
  const parsed = parse(input);
  // Some sandboxes send `undefined` as the JSON value `null`.
  if (parsed === null) return {};
  if (!isJsonObject(parsed)) return invalid(`${name} takes one object, such as ${name}({ … })`);
  if (discriminator !== undefined && Object.hasOwn(parsed, discriminator) && parsed[discriminator] !== key)
    return invalid(`${discriminator}: leave it out, because ${name} selects the action`);
  return parsed;
}

function invalid(problem: string): ErrValidationFailed {
  return new ErrValidationFailed(`Validation failed: ${problem}.`);
}

/**
 * Returns what a call resolves to: the structured content; otherwise a single text, parsed if it is a JSON object or array; otherwise all
 * content. A failed result is an error that the code can catch.
 */
export function toCallEnd(result: CallToolResult, address: string, maxBytes: number): CallEnd {
  const { resultType, isError } = result;
  if (isError === true) return { error: toGuestError(toCallError(result)) };
  if (resultType === 'task') {
    const message = `"${address}" continues as a task, for whose result code cannot wait.`;
    const error = new ErrToolFailed(message, {
      hint: 'Call it directly with call_read_tool or call_write_tool.',
      details: { suggestions: ['call_read_tool', 'call_write_tool'] },
    });
    return { error: toGuestError(error) };
  }
  const value = toValueText(result, maxBytes);
  const bytes = value === undefined ? 0 : byteLength(value);
  if (bytes <= maxBytes) return { value };
  const error = new ErrOutputTooLarge(
    `The result of "${address}" has ${bytes} bytes, and code can read ${maxBytes}.`,
    { hint: 'Narrow the call, for example with a filter or a limit.' },
  );
  return { error: toGuestError(error) };
}

/** The error of a call whose result cannot be written as JSON, such as one that middleware made. */
export function unreadableResult(address: string, cause: unknown): ErrToolFailed {
  return new ErrToolFailed(`The result of "${address}" cannot be passed to code.`, { cause });
}

function toValueText({ structuredContent, content }: CallToolResult, maxBytes: number): string | undefined {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const [first, ...others] = content;
  if (first === undefined) return undefined;
  if (first.type !== 'text' || others.length > 0) return JSON.stringify({ content });
  const { text } = first;
  // Handlers' values are written as JSON, and many other servers write their results as JSON too.
  const isData = first._meta?.[JSON_VALUE] === true || /^\s*[[{]/.test(text);
  // Parsing a text that is too large for the code could block the process for seconds.
  return isData && text.length <= maxBytes && parse(text) !== undefined ? text : JSON.stringify(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
