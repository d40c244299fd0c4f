import type { CallToolResult } from 'toolfold';
import { errorTable } from 'toolfold/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { INVALID_PARAMS, toLine, URL_REQUIRED } from 'toolfold/internal';
import type { CommandError } from '@toolfold/analysis/internal';

export type Outcome = { readonly result: CallToolResult } | { readonly error: CommandError };

/** Describes what is wrong with a value, or returns `undefined`. */
export type CheckOutput = (value: unknown) => string | undefined;

const MAX_TEXT = 200;
const [UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS] = [401, 403, 429];

/** Describes what is wrong with the answer to a valid input, or returns `undefined`. A readable tool error is a correct answer. */
export function judgeValid(outcome: Outcome, checkOutput: CheckOutput | undefined): string | undefined {
  if ('error' in outcome)
    return outcome.error.rpcCode === URL_REQUIRED ? undefined : describeFailure(outcome.error);
  const { result } = outcome;
  if (result.isError === true) {
    const code = codeOf(result);
    const text = textOf(result);
    if (code === 'ErrProtocol') return `The call failed with a protocol error: ${toLine(text, MAX_TEXT)}`;
    const cause = causeOf(result) ?? code;
    if (isAuthorError(cause)) return `The server has a mistake, ${cause}: ${toLine(text, MAX_TEXT)}`;
    return findCrash(text) ?? findUnreadable(text);
  }
  if (!checkOutput) return undefined;
  if (result.structuredContent === undefined)
    return 'The tool has an outputSchema, and the result has no structuredContent.';
  const wrong = checkOutput(result.structuredContent);
  return wrong === undefined
    ? undefined
    : `The result does not match outputSchema: ${toLine(wrong, MAX_TEXT)}`;
}

/** Describes what is wrong with the answer to an invalid input, or returns `undefined`. */
export function judgeInvalid(outcome: Outcome): string | undefined {
  if ('error' in outcome) {
    const { error } = outcome;
    return error.rpcCode === INVALID_PARAMS ? findUnreadable(error.message) : describeFailure(error);
  }
  const { result } = outcome;
  if (result.isError !== true) return 'The input does not match inputSchema, and the tool accepted it.';
  const text = textOf(result);
  return findCrash(text) ?? findUnreadable(text);
}

function describeFailure(error: CommandError): string {
  const what =
    error.rpcCode === undefined ? 'The call got no answer' : 'The call failed with a protocol error';
  return `${what}: ${toLine(error.message, MAX_TEXT)}`;
}

/** Whether the server's rate limit rejected the call, which says nothing about the tool. */
export function isRateLimited(outcome: Outcome): boolean {
  if ('error' in outcome) return outcome.error.status === TOO_MANY_REQUESTS;
  return codeOf(outcome.result) === 'ErrRateLimited';
}

/** Whether the call lacked a scope or a credential, which says nothing about the tool. */
export function isDenied(outcome: Outcome): boolean {
  if ('error' in outcome) return outcome.error.status === UNAUTHORIZED || outcome.error.status === FORBIDDEN;
  return codeOf(outcome.result) === 'ErrInsufficientScope';
}

function reportOf({ _meta }: CallToolResult): Readonly<Record<string, unknown>> {
  const report = _meta?.['toolfold/error'];
  return isJsonObject(report) ? report : {};
}

function codeOf(result: CallToolResult): string | undefined {
  const { code } = reportOf(result);
  return typeof code === 'string' ? code : undefined;
}

function causeOf(result: CallToolResult): string | undefined {
  const { details } = reportOf(result);
  const cause = isJsonObject(details) ? details['cause'] : undefined;
  return typeof cause === 'string' ? cause : undefined;
}

function isAuthorError(code: string | undefined): boolean {
  return (
    code !== undefined &&
    Object.hasOwn(errorTable, code) &&
    errorTable[code as keyof typeof errorTable].audience === 'author'
  );
}

export function textOf({ content }: CallToolResult): string {
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Messages of JavaScript engines, which show that a handler did not expect the input. */
const crashes = [
  /\b(?:TypeError|ReferenceError|RangeError|SyntaxError|AttributeError|KeyError|IndexError|NullPointerException)\b/,
  /Cannot (?:read|set|destructure|convert|access) (?:propert|undefined|null|'|")/,
  /\bis not (?:a function|iterable|defined|a constructor)\b/,
  /(?:undefined|null) is not an object/,
  /Maximum call stack size exceeded|Invalid array length|toFixed\(\) digits/,
  /Unexpected (?:token|end of JSON)|is not valid JSON/,
  /object has no attribute|NoneType/,
];

function findCrash(text: string): string | undefined {
  return crashes.some((pattern) => pattern.test(text))
    ? `The handler crashed: ${toLine(text, MAX_TEXT)}`
    : undefined;
}

const stack = /^\s*at .+:\d+:\d+\)?$|Traceback \(most recent call last\)/m;
const empty =
  /^(?:an? )?(?:unknown |unexpected |internal |server )*(?:error|failed|failure|undefined|null|invalid)?[.!]?$/i;

/** Returns the reason why an error message is unreadable, such as a stack trace; `undefined` if it is readable. */
function findUnreadable(text: string): string | undefined {
  const line = toLine(text, MAX_TEXT);
  if (stack.test(text)) return `The error contains a stack trace: ${line}`;
  if (/\[object \w+\]/.test(text)) return `The error is not readable: ${line}`;
  if (text.trim() === '') return 'The error has no text.';
  return empty.test(text.trim()) ? `The error does not say what is wrong: "${line}"` : undefined;
}

/** Matches an ISO time, or milliseconds since 1970 in this decade. */
const time = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\b1[6-9]\d{11}\b/g;

/** Converts a result to text for comparisons. Removes times, because they differ between equal results. */
export function comparable(outcome: Outcome): string {
  if ('error' in outcome) return `error ${outcome.error.message}`;
  const { content, structuredContent, isError = false } = outcome.result;
  return JSON.stringify({ isError, content, structuredContent }).replaceAll(time, 'time');
}
