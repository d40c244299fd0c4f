import { ErrProtocol } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/**
 * Results that stand for errors of the protocol, which handlers of this server threw. What a result says in `_meta` may
 * come from another server, which does not speak for this one.
 */
const marked = new WeakSet<CallToolResult>();

export function markProtocolError(result: CallToolResult, thrown: unknown): CallToolResult {
  if (!(thrown instanceof ErrProtocol)) return result;
  // A copy: an error handler of the author's own may give one result for every failure.
  const copy = { ...result };
  marked.add(copy);
  return copy;
}

export function isProtocolError(result: CallToolResult): boolean {
  return marked.has(result);
}
