import {
  UNSUPPORTED_VERSION,
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
} from '../../protocol/rpc-error.js';
import { findTypeIssues } from '../../protocol/messages.js';
import { MODERN } from '../../protocol/mcp-types.js';
import { reject } from '../http/request-response.js';
import type { EdgeAnswer } from '../http/request-response.js';
import type { Id } from '../../protocol/messages.js';
import { writeError } from '../http/write-message.js';

export interface Rejection {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * The errors for invalid 2026 requests, sent with HTTP status 400. The texts are the SDK's, so that clients get the same
 * answer whether Toolfold or the SDK rejects a request; the differential test compares them byte by byte.
 */
export const rejections = {
  notJsonRpc: (): Rejection => ({
    code: INVALID_REQUEST,
    message: 'Bad Request: the request body is not a valid JSON-RPC message',
  }),
  invalidEnvelope: (key: string, problem: string): Rejection => ({
    code: INVALID_PARAMS,
    message: `Invalid _meta envelope for protocol revision ${MODERN}: ${key}: ${problem}`,
    data: { envelope: { key, problem } },
  }),
  missingEnvelope: (version: string, missing: readonly string[]): Rejection => ({
    code: INVALID_PARAMS,
    message:
      `Invalid params: the MCP-Protocol-Version header names protocol revision ${version}, ` +
      `but the request is missing the required per-request envelope key(s): ${missing.join(', ')}`,
    data: { envelope: { missing } },
  }),
  unsupportedVersion: (requested: string): Rejection => ({
    code: UNSUPPORTED_VERSION,
    message: `Unsupported protocol version: ${requested}`,
    data: { supported: [MODERN], requested },
  }),
  /** `header` is the value of the header that disagrees, and `body` says what the body names instead. */
  headerMismatch: (header: string, body: string): Rejection => ({
    code: HEADER_MISMATCH,
    message: `Bad Request: the request headers and body disagree: ${body}`,
    data: { mismatch: { header, body } },
  }),
  missingHeader: (name: string, body: string): Rejection =>
    rejections.headerMismatch('(missing)', `${body} but the required ${name} header is absent`),
} as const;

/** Writes a rejection as the SDK's HTTP entry does. It repeats the id of the rejected message, `body`. */
export function rejectMessage({ code, message, data }: Rejection, body: unknown, status = 400): EdgeAnswer {
  return reject(status, code, message, { id: echoableId(body), data });
}

/** Returns the id to repeat in an error. Any number is repeated, although only safe integers are valid ids. */
function echoableId(body: unknown): Id | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { method, id } = body as Readonly<Record<string, unknown>>;
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

export function rejectMethod(id: Id): EdgeAnswer {
  const error = { code: METHOD_NOT_FOUND, message: 'Method not found' };
  return { status: 404, body: writeError(id, error) };
}

/** The answer to a notification, which has no JSON-RPC response. */
export const accepted: EdgeAnswer = { status: 202, body: undefined };

/** Requests with more issues are left to the SDK, so that a small request cannot demand a long answer from this code. */
const MAX_ISSUES = 20;

/** Writes the SDK's response to parameters of the wrong type. Returns `undefined` for mistakes that only the SDK can describe. */
export function rejectParams(
  id: Id,
  method: string,
  params: Readonly<Record<string, unknown>>,
): EdgeAnswer | undefined {
  const issues = findTypeIssues(method, params);
  if (issues.length === 0 || issues.length > MAX_ISSUES) return undefined;
  const described = JSON.stringify(issues, undefined, 2);
  // The SDK's server validates calls itself. For other methods it reports the same failure as an internal error.
  const error =
    method === 'tools/call'
      ? { code: INVALID_PARAMS, message: `Invalid tools/call request: ${described}` }
      : { code: INTERNAL_ERROR, message: described };
  return { status: 200, body: writeError(id, error) };
}
