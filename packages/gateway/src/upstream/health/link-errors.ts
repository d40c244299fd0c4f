import { isInputRequired, messageOf, URL_REQUIRED } from 'toolfold/internal';
import {
  ErrInvalidOptions,
  ErrProtocol,
  ErrToolFailed,
  ErrUpstreamLost,
  ToolfoldError,
} from 'toolfold/errors';
import { clip } from '@toolfold/schema/internal';
import { isInvalidAnswer, isNetworkError } from '../untrusted-messages.js';

/** The official client uses these codes for an ended connection. Codes in a server's answers are numbers. */
const gone: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const MAX_TEXT = 500;

export function toUnreachable(name: string, cause: unknown): ToolfoldError {
  // An invalid option is the author's mistake, and an `ErrUpstreamLost` already names the reason.
  if (cause instanceof ErrInvalidOptions || cause instanceof ErrUpstreamLost) return cause;
  return new ErrUpstreamLost(`${describeEnd(name, cause, 'cannot be reached')}: ${describeFailure(cause)}.`, {
    cause,
    details: { upstream: name },
  });
}

/** Returns the HTTP status with which a server rejected the credentials. Such a server can be reached. */
function rejectionOf(cause: unknown): number | undefined {
  const { status } = Object(cause) as { status?: unknown };
  return status === 401 || status === 403 ? status : undefined;
}

function describeEnd(name: string, cause: unknown, otherwise: string): string {
  const status = rejectionOf(cause);
  return `The server "${name}" ${status === undefined ? otherwise : `needs valid credentials (HTTP status ${status})`}`;
}

/** Hides from callers why a server cannot be reached, because the reason may reveal its address. */
export function withoutReason(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof ErrUpstreamLost) || thrown.cause === undefined) return thrown;
  return new ErrUpstreamLost(`${describeEnd(name, thrown.cause, 'cannot be reached')}.`, {
    ...(rejectionOf(thrown.cause) === undefined ? { hint: 'Try again later.' } : {}),
    cause: thrown,
    details: { upstream: name },
  });
}

/** Maps a failed call to the error that the caller gets. The connection may have ended. */
export function toCallError(name: string, thrown: unknown, hasEnded: boolean): unknown {
  if (isInputRequired(thrown) || thrown instanceof ToolfoldError) return thrown;
  if (isGone(thrown) || (hasEnded && !isAnswer(thrown))) {
    const { status } = Object(thrown) as { status?: unknown };
    const what = typeof status === 'number' ? `answered with HTTP status ${status}` : 'was lost';
    return new ErrUpstreamLost(`${describeEnd(name, thrown, what)}.`, {
      hint: 'The call may have taken effect. The next call reconnects.',
      cause: thrown,
      details: { upstream: name, ...(typeof status === 'number' ? { status } : {}) },
    });
  }
  const { code, data } = Object(thrown) as { code?: unknown; data?: unknown };
  if (code === URL_REQUIRED)
    return new ErrProtocol(describeFailure(thrown), { rpcCode: code, data, cause: thrown });
  const isRejection = typeof code === 'number' && !isInvalidAnswer(thrown);
  const what = isRejection ? `rejected the call (${code})` : 'gave no valid answer';
  return new ErrToolFailed(`The server "${name}" ${what}: ${describeFailure(thrown)}`, {
    cause: thrown,
    details: { upstream: name },
  });
}

/** Whether the connection is lost: it ended, nothing listens at the address, or the server answered with an HTTP error. */
export function isGone(thrown: unknown): boolean {
  if (thrown instanceof ErrUpstreamLost) return true;
  if (thrown instanceof ToolfoldError || isInputRequired(thrown) || isAnswer(thrown)) return false;
  const { code, status } = Object(thrown) as Record<string, unknown>;
  const isHttp = typeof status === 'number' || (typeof code === 'string' && code.startsWith('CLIENT_HTTP'));
  return isHttp || gone.has(code) || isNetworkError(thrown);
}

/** Whether the server answered with this error. The connection has not ended then. */
export function isAnswer(thrown: unknown): boolean {
  return typeof (Object(thrown) as { code?: unknown }).code === 'number';
}

/** Describes an error in one line without a full stop, followed by its causes if they add something. */
export function describeFailure(thrown: unknown): string {
  const line = reasonsOf(thrown)
    .reduce((text, reason) => (text.includes(reason) ? text : `${text}: ${reason}`))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return clip(line, MAX_TEXT).replace(/\.$/, '');
}

/** Collects the messages of an error and its causes. The official client keeps a cause in `data`. */
function reasonsOf(thrown: unknown, depth = 0): string[] {
  const { cause, data } = Object(thrown) as { cause?: unknown; data?: { cause?: unknown } };
  const inner = cause ?? data?.cause;
  const own =
    readIssues(messageOf(thrown)) ||
    String((thrown as { code?: unknown } | undefined)?.code ?? 'no reason given');
  return inner === undefined || inner === null || depth > 4 ? [own] : [own, ...reasonsOf(inner, depth + 1)];
}

/** A list of issues in a longer message is left out. */
const MAX_SEARCHED = 100_000;
const MAX_ISSUES = 5;

/** Validation errors of MCP SDKs end with a JSON list of issues. Replaces it by a path and a message for each issue. */
function readIssues(message: string): string {
  const start = message.search(/\[\s*\{/);
  if (start === -1) return message;
  if (message.length > MAX_SEARCHED) return `${message.slice(0, start)}too many problems to name them`;
  let issues: unknown;
  try {
    issues = JSON.parse(message.slice(start));
  } catch {
    return message;
  }
  const told = (issues as unknown[]).flatMap((issue) => {
    const { path, message: text } = Object(issue) as { path?: unknown; message?: unknown };
    if (!Array.isArray(path) || typeof text !== 'string') return [];
    return path.length === 0 ? [text] : [`${path.join('.')}: ${text}`];
  });
  if (told.length === 0) return message;
  const more = told.length > MAX_ISSUES ? [`and ${told.length - MAX_ISSUES} more`] : [];
  return message.slice(0, start) + [...told.slice(0, MAX_ISSUES), ...more].join('; ');
}
