import {
  ErrMissingCapability,
  ErrProtocol,
  ToolfoldError,
  resumeStackTraces,
  suspendStackTraces,
} from '../errors.js';
import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY } from './rpc-codes.js';

/** A JSON-RPC error. Both SDKs read these fields from it. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    // Clients never see a stack trace, so none is captured.
    const limit = suspendStackTraces();
    super(message);
    resumeStackTraces(limit);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** Converts any error to a JSON-RPC error. Errors for the author go to `onFault`, and the client gets a neutral message. */
export function toRpcError(error: unknown, onFault: ((error: unknown) => void) | undefined): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ErrProtocol) return new RpcError(error.rpcCode, error.message, error.data);
  if (error instanceof ErrMissingCapability) {
    const { requiredCapabilities } = error.details;
    return new RpcError(MISSING_CAPABILITY, error.message, { requiredCapabilities });
  }
  if (error instanceof ToolfoldError && error.audience !== 'author') {
    const { uri } = error.details;
    return new RpcError(INVALID_PARAMS, error.message, uri === undefined ? undefined : { uri });
  }
  onFault?.(error);
  return new RpcError(INTERNAL_ERROR, 'The server failed to answer.');
}
