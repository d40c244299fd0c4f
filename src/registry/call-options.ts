import type { RequestOptions } from '../engine/request.js';

/** Options of a call through a caller, as the edge of a server passes them. */
export interface CallOptions extends Pick<
  RequestOptions,
  'caller' | 'accessToken' | 'session' | 'signal' | 'progress' | 'log' | 'ask' | 'meta' | 'protocolVersion'
> {
  /** The idempotency key of the call, for actions that declare idempotency. */
  readonly idempotencyKey?: string | undefined;
  /** Whether texts of the result are compact. Default: the server's choice. */
  readonly minify?: boolean | undefined;
}
