import type { CallToolResult } from '../format/tool-result.js';
import type { ExecuteRequest } from './pipeline.js';

/** What a call turned out to be; the pipeline fills it in when it has found it. */
export interface CallRecord {
  /** The name under which the tool was found. */
  tool?: string;
  /** `platform/users.create`. */
  address?: string;
  /** `users.create`; `undefined` for a tool that is one action. */
  action?: string | undefined;
}

/** Wraps a whole call. What it returns, and what it throws, changes no answer. */
export type Observe = (
  call: { readonly request: ExecuteRequest; readonly record: CallRecord },
  run: () => Promise<CallToolResult>,
) => unknown;
