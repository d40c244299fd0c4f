import { errorTable, ToolfoldError } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import { isJsonObject } from '../values/json-value.js';
import type { CallToolResult } from './tool-result.js';

/**
 * The value that a typed call resolves to: the data of an action with an output schema, otherwise the result. A failed result is
 * thrown. Without `hasOutput`, the result decides.
 */
export function readCallResult(
  result: Pick<CallToolResult, 'content' | '_meta' | 'isError' | 'structuredContent'>,
  hasOutput: boolean = result.structuredContent !== undefined,
): unknown {
  if (result.isError === true) throw toCallError(result);
  return hasOutput ? result.structuredContent : result;
}

/**
 * Makes an error of a failed result. It has the code, the message and the details of the report. The code of an error that the
 * server's author defined is in `details.code`.
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
