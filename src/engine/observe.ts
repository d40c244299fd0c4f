import type { CallToolResult } from '../protocol/tool-result.js';
import type { Services } from './services.js';
import type { ExecuteRequest } from './request.js';
import { redactorFor } from './request-context.js';

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

/** Runs a call under an observer. What that does wrong changes no answer. */
export async function runObserved(
  observe: Observe,
  services: Services,
  call: { readonly request: ExecuteRequest; readonly record: CallRecord },
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  let running: Promise<CallToolResult> | undefined;
  try {
    await observe(call, () => (running ??= run()));
  } catch (error) {
    services.logger?.error({ error: redactorFor(call.request).value(error) }, 'observer failed');
  }
  return running ?? run();
}
