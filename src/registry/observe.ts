import type { CallToolResult } from '../format/tool-result.js';
import type { ExecuteRequest } from './pipeline.js';

/** What is known of a call while it runs; the pipeline fills it in. */
export interface CallRecord {
  /** The address of what runs, once it is found. */
  address?: string;
  /** What the handler was asked to do, without what guards it. */
  action?: string | undefined;
}

/** Wraps a whole call. It returns what `run` returns, and must not change it. */
export type Observe = (
  call: { readonly request: ExecuteRequest; readonly record: CallRecord },
  run: () => Promise<CallToolResult>,
) => Promise<CallToolResult>;
