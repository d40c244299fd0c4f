import { URL_REQUIRED } from '../protocol/rpc-codes.js';
import { isInputRequired } from '../protocol/input-required.js';
import { ErrInvalidOptions, ErrProtocol, ErrToolFailed, ErrUpstreamLost, ToolfoldError } from '../errors.js';
import { messageOf } from '../engine/error-handler.js';
import { isNetworkError } from './fetch.js';
import { isInvalidAnswer } from './messages.js';

/** The codes of the official client for a connection that has ended. Those that a server answers with are numbers. */
const gone: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const MAX_TEXT = 500;

export function lostUpstream(name: string, cause: unknown, what: string): ToolfoldError {
  // What its own author got wrong, or what says more than that it is gone.
  if (cause instanceof ErrInvalidOptions || cause instanceof ErrUpstreamLost) return cause;
  return new ErrUpstreamLost(`The server "${name}" ${what}: ${describe(cause)}.`, {
    cause,
    details: { upstream: name },
  });
}

/** Why a server cannot be reached is for the operator: it may say where it is. */
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
      hint: 'It may have done what was asked. It is connected anew with the next call.',
      cause: thrown,
      details: { upstream: name, ...(typeof status === 'number' ? { status } : {}) },
    });
  }
  const { code, data } = Object(thrown) as { code?: unknown; data?: unknown };
  if (code === URL_REQUIRED) return new ErrProtocol(describe(thrown), { rpcCode: code, data, cause: thrown });
  const isRefusal = typeof code === 'number' && !isInvalidAnswer(thrown);
  const what = isRefusal ? `refused the call (${code})` : 'gave no valid answer';
  return new ErrToolFailed(`The server "${name}" ${what}: ${describe(thrown)}`, {
    cause: thrown,
    details: { upstream: name },
  });
}

/** Whether the connection is of no use any more: it ended, nothing is there, or HTTP says no. */
export function isGone(thrown: unknown): boolean {
  if (thrown instanceof ErrUpstreamLost) return true;
  if (thrown instanceof ToolfoldError || isInputRequired(thrown) || isAnswer(thrown)) return false;
  const { code, status } = Object(thrown) as Record<string, unknown>;
  const isHttp = typeof status === 'number' || (typeof code === 'string' && code.startsWith('CLIENT_HTTP'));
  return isHttp || gone.has(code) || isNetworkError(thrown);
}

/** Whether the server answered with this error: a connection that carries answers has not ended. */
function isAnswer(thrown: unknown): boolean {
  return typeof (Object(thrown) as { code?: unknown }).code === 'number';
}

/** One line, without its full stop; with the reasons behind it where they say more. */
function describe(thrown: unknown): string {
  const line = reasonsOf(thrown)
    .reduce((text, reason) => (text.includes(reason) ? text : `${text}: ${reason}`))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line).replace(/\.$/, '');
}

/** The client keeps the error behind one of its own in its data. */
function reasonsOf(thrown: unknown, depth = 0): string[] {
  const { cause, data } = Object(thrown) as { cause?: unknown; data?: { cause?: unknown } };
  const inner = cause ?? data?.cause;
  const own =
    messageOf(thrown) || String((thrown as { code?: unknown } | undefined)?.code ?? 'no reason given');
  return inner === undefined || inner === null || depth > 4 ? [own] : [own, ...reasonsOf(inner, depth + 1)];
}
