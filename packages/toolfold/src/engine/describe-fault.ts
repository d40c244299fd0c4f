import { ToolfoldError } from '@toolfold/schema/errors';
import { createRedactor } from '../guards/redact/redactor.js';
import { isFrame } from '../values/strip-stack.js';
import { messageOf } from './error-handler.js';
import type { FaultContext } from './events/call-events.js';

const MAX_LINE = 1_000;
const MAX_CAUSE = 200;
const patterns = createRedactor();

/** Describes an error in one line without credentials: the action, the message, the first cause, and the place in the code. */
export function describeFault(
  error: unknown,
  { address, redactor = patterns }: Partial<FaultContext> = {},
): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const text = [
    redactor.text(address === undefined ? 'toolfold: The server failed' : `toolfold: ${address} failed`),
    `: ${redactor.text(headOf(error))}`,
    // A credential that is cut in two cannot be recognized, so redact first.
    cause === undefined ? '' : ` (cause: ${redactor.text(headOf(cause)).slice(0, MAX_CAUSE)})`,
  ].join('');
  // Errors of Toolfold itself, such as that of a module loader, are thrown far from the author's code.
  const place = placeOf(error instanceof ToolfoldError && cause instanceof Error ? cause : error);
  const end = place === undefined ? '' : ` at ${toLine(place)}`;
  return toLine(text).slice(0, MAX_LINE - end.length) + end;
}

function headOf(error: unknown): string {
  const { name } = Object(error) as { name?: unknown };
  const message = messageOf(error);
  return typeof name === 'string' && error instanceof Error ? `${name}: ${message}` : message;
}

/** Finds the author's code: the first frame of the stack trace outside of packages. */
function placeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  const own = error.stack
    .split('\n')
    .find((line) => isFrame(line) && !/node_modules|\bnode:|<anonymous>\)?$/.test(line));
  // A path may contain spaces and parentheses: `at name (path:1:2)` or `at path:1:2`.
  const [, inner, bare] =
    /^\s*at (?:[^\\/]*? \((.+:\d+:\d+)\)|(?:async )?(.+:\d+:\d+))$/.exec(own ?? '') ?? [];
  return inner ?? bare;
}

// oxlint-disable-next-line no-control-regex
const lineBreaking = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes characters that could break the line, or control the terminal that shows it. */
function toLine(text: string): string {
  return text
    .slice(0, 4 * MAX_LINE)
    .replaceAll(lineBreaking, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
