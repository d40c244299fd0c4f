import { JSON_VALUE } from '../../engine/shape-output.js';
import { ErrInputUnavailable, ErrOutputTooLarge, ErrToolFailed, ErrValidationFailed } from '../../errors.js';
import type { ToolfoldError } from '../../errors.js';
import { toCallError } from '../../protocol/call-error.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { SearchEntry } from '../../search/form/entries.js';
import { exceededTextLimit, withDefaultJsonLimits } from '../../values/json-limits.js';
import { isJsonObject } from '../../values/json-value.js';
import { clip } from '../../values/nearest-name.js';
import type { GuestCall, GuestError } from '../sandbox/sandbox.js';

/** The end of a call, without its id. */
export type CallEnd = { readonly value: string | undefined } | { readonly error: GuestError };

/** Characters of a message that the code sees. */
const MAX_MESSAGE = 4_000;
const MAX_SUGGESTIONS = 50;
const MAX_SUGGESTION = 1_000;
const inputLimits = withDefaultJsonLimits({});

/** The error that the code can catch. The code of an error that the server's author defined comes first. */
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

/** Reads the argument of a call. Code is a client, so its arguments have the limits of a request. */
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
  // `null` is what JSON makes of `undefined` in some sandboxes.
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
 * The value that a call resolves to: the structured content; otherwise a single text, which is parsed if it is a JSON object or
 * array; otherwise all content. A failed result is an error that the code can catch.
 */
export function toCallEnd(result: CallToolResult, address: string, maxBytes: number): CallEnd {
  const { resultType, isError } = result;
  if (isError === true) return { error: toGuestError(toCallError(result)) };
  if (resultType === 'input_required') return { error: toGuestError(questionNotPossible(address)) };
  if (resultType === 'task') {
    return {
      error: toGuestError(
        new ErrToolFailed(`"${address}" continues as a task, for whose result code cannot wait.`, {
          hint: 'Call it directly with call_read_tool or call_write_tool.',
          details: { suggestions: ['call_read_tool', 'call_write_tool'] },
        }),
      ),
    };
  }
  const value = toValueText(result);
  const bytes = value === undefined ? 0 : byteLength(value);
  if (bytes <= maxBytes) return { value };
  const error = new ErrOutputTooLarge(
    `The result of "${address}" has ${bytes} bytes, and code can read ${maxBytes}.`,
    { hint: 'Narrow the call, for example with a filter or a limit.' },
  );
  return { error: toGuestError(error) };
}

/** The error of a call that asks a person or the client, because only the request of the client itself can be answered. */
export function questionNotPossible(address: string): ErrInputUnavailable {
  return new ErrInputUnavailable(`"${address}" asks a question, which code cannot pass on to the client.`, {
    hint: 'Call it directly with call_read_tool or call_write_tool.',
    details: { suggestions: ['call_read_tool', 'call_write_tool'] },
  });
}

/** The error of a call whose result cannot be written as JSON, such as one that middleware made. */
export function unreadableResult(address: string, cause: unknown): ErrToolFailed {
  return new ErrToolFailed(`The result of "${address}" cannot be passed to code.`, { cause });
}

function toValueText({ structuredContent, content }: CallToolResult): string | undefined {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const [first, ...others] = content;
  if (first === undefined) return undefined;
  if (first.type !== 'text' || others.length > 0) return JSON.stringify({ content });
  const { text } = first;
  // The fields of a value that a handler returned are written as JSON, and many servers do the same with their results.
  const isData = first._meta?.[JSON_VALUE] === true || /^\s*[[{]/.test(text);
  return isData && parse(text) !== undefined ? text : JSON.stringify(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/** The number of bytes in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
