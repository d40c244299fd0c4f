import { errorTable, ToolfoldError } from '@toolfold/schema/errors';
import type { ErrorCode } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { CallToolResult } from './tool-result.js';

/**
 * Returns the value to which a typed call resolves: the data of an action with an output schema, otherwise the result. Throws if
 * the call failed. Without `hasOutput`, the result counts as data if it has structured content.
 */
export function readCallResult(
  result: Pick<CallToolResult, 'content' | '_meta' | 'isError' | 'structuredContent'>,
  hasOutput: boolean = result.structuredContent !== undefined,
): unknown {
  if (result.isError === true) throw toCallError(result);
  return hasOutput ? result.structuredContent : result;
}

/**
 * Converts a failed result to an error with the code, message and details of its report. A code that the server's author defined
 * is in `details.code`.
 */
export function toCallError({ content, _meta }: Pick<CallToolResult, 'content' | '_meta'>): ToolfoldError {
  const found = _meta?.['toolfold/error'];
  const report = isJsonObject(found) ? found : {};
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const { code, message, suggestions, userMessage } = report;
  const isOwn = typeof code === 'string' && Object.hasOwn(errorTable, code);
  const details = {
    ...(isJsonObject(report['details']) ? report['details'] : {}),
    suggestions: Array.isArray(suggestions) ? (suggestions as unknown[]) : [],
    ...(typeof userMessage === 'string' ? { userMessage } : {}),
    ...(isOwn || code === undefined ? {} : { code }),
  };
  const said = typeof message === 'string' ? message : text;
  return new ToolfoldError(isOwn ? (code as ErrorCode) : 'ErrToolFailed', said || 'The call failed.', {
    details,
  });
}
