import type { ContextRequest } from '../callers/session-context.js';
import type { RequestOptions } from '../engine/request.js';
import type { View } from './view.js';

/** Decides what each request sees. */
export interface ViewSource {
  /** A promise only where something has to be loaded first. What a request cannot select throws or rejects. */
  viewFor(request: RequestOptions): View | Promise<View>;
  /** Adds what the server says about whoever is calling, and what the request says of itself in HTTP. */
  complete(request: RequestOptions, http?: ContextRequest): RequestOptions;
}
