import { ErrMissingCapability, ErrProtocol, ToolfoldError } from '@toolfold/schema/errors';
import { stripStack } from '../values/strip-stack.js';
import { resumeStackTraces, suspendStackTraces } from '@toolfold/schema/internal';

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Used by the MCP SDKs for requests that are rejected before they are read; JSON-RPC has no code for that. */
export const REJECTED = -32_000;
/** Used by the MCP SDKs for a session that does not exist. */
export const SESSION_NOT_FOUND = -32_001;
export const HEADER_MISMATCH = -32_020;
export const MISSING_CAPABILITY = -32_021;
export const UNSUPPORTED_VERSION = -32_022;
/** The client must open a URL before it repeats the request. */
export const URL_REQUIRED = -32_042;

/** A JSON-RPC error with the fields that both SDKs read. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    // Clients never see a stack trace, so none is recorded.
    const limit = suspendStackTraces();
    super(message);
    resumeStackTraces(limit);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** Converts any error to a JSON-RPC error. `onFault` receives errors for the author, and the client gets a neutral message. */
export function toRpcError(error: unknown, onFault: ((error: unknown) => void) | undefined): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ErrProtocol) return new RpcError(error.rpcCode, stripStack(error.message), error.data);
  if (error instanceof ErrMissingCapability) {
    const { requiredCapabilities } = error.details;
    return new RpcError(MISSING_CAPABILITY, error.message, { requiredCapabilities });
  }
  if (error instanceof ToolfoldError && error.audience !== 'author') {
    const { uri } = error.details;
    return new RpcError(INVALID_PARAMS, stripStack(error.message), uri === undefined ? undefined : { uri });
  }
  onFault?.(error);
  return new RpcError(INTERNAL_ERROR, 'The server failed to answer.');
}
