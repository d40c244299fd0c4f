import { ErrInsufficientScope } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/**
 * The scopes for which calls were refused, by their results. Texts and `_meta` of a result may come from another
 * server that a handler asked; what stands here was decided by this one.
 */
const refused = new WeakMap<CallToolResult, readonly string[]>();

/** The answer to a call that failed: marked, where it failed for scopes. */
export function markScopeRefusal(result: CallToolResult, thrown: unknown): CallToolResult {
  if (!(thrown instanceof ErrInsufficientScope)) return result;
  const { required } = thrown.details;
  if (!Array.isArray(required) || !required.every((scope) => typeof scope === 'string')) return result;
  // A copy: an error handler of the author's own may give one result for every failure.
  const marked = { ...result };
  refused.set(marked, required);
  return marked;
}

/** All scopes that the call needs, where it was refused for lack of one. */
export function requiredScopesOf(result: CallToolResult): readonly string[] | undefined {
  return refused.get(result);
}
