import { messageOf } from '../../engine/error-handler.js';
import {
  ErrInvalidOptions,
  ErrProtocol,
  ErrToolFailed,
  ErrUpstreamLost,
  ToolfoldError,
} from '../../errors.js';
import { isInputRequired } from '../../protocol/input-required.js';
import { URL_REQUIRED } from '../../protocol/rpc-error.js';
import { clip } from '../../values/nearest-name.js';
import { isInvalidAnswer, isNetworkError } from '../untrusted-messages.js';

/** The codes of the official client for an ended connection. The codes that a server answers with are numbers. */
const gone: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const MAX_TEXT = 500;

/** The error for a server that cannot be reached, with the reason. */
export function toUnreachable(name: string, cause: unknown): ToolfoldError {
  // An invalid option is the author's mistake, and an `ErrUpstreamLost` already names the reason.
  if (cause instanceof ErrInvalidOptions || cause instanceof ErrUpstreamLost) return cause;
  return new ErrUpstreamLost(`The server "${name}" cannot be reached: ${describeFailure(cause)}.`, {
    cause,
    details: { upstream: name },
  });
}

/** Hides from callers why a server cannot be reached, because the reason may reveal its address. */
export function withoutReason(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof ErrUpstreamLost) || thrown.cause === undefined) return thrown;
  return new ErrUpstreamLost(`The server "${name}" cannot be reached.`, {
    hint: 'Try again later.',
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
    return new ErrUpstreamLost(`The server "${name}" ${what}.`, {
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

/** Whether the server answered with this error. A connection that carries answers has not ended. */
function isAnswer(thrown: unknown): boolean {
  return typeof (Object(thrown) as { code?: unknown }).code === 'number';
}

/** Describes an error in one line without a full stop, followed by its causes if they say more. */
export function describeFailure(thrown: unknown): string {
  const line = reasonsOf(thrown)
    .reduce((text, reason) => (text.includes(reason) ? text : `${text}: ${reason}`))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return clip(line, MAX_TEXT).replace(/\.$/, '');
}

/** The messages of an error and its causes. The official client keeps a cause in `data`. */
function reasonsOf(thrown: unknown, depth = 0): string[] {
  const { cause, data } = Object(thrown) as { cause?: unknown; data?: { cause?: unknown } };
  const inner = cause ?? data?.cause;
  const own =
    messageOf(thrown) || String((thrown as { code?: unknown } | undefined)?.code ?? 'no reason given');
  return inner === undefined || inner === null || depth > 4 ? [own] : [own, ...reasonsOf(inner, depth + 1)];
}
