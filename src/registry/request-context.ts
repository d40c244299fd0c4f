import type { Caller, ReportProgress, RequestContext } from '../compile/tool-definition.js';
import { createRequestInput } from './request-input.js';
import type { AskClient } from './request-input.js';

/** What the edge knows of any request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ReportProgress | undefined;
  readonly caller?: Caller | undefined;
  readonly accessToken?: string | undefined;
  /** Puts questions to the person at the client. */
  readonly ask?: AskClient | undefined;
  /** The context of the MCP SDK, passed on to the handler. */
  readonly sdk?: unknown;
}

/** Makes `context.app` for each request. */
export type ContextFactory<App = unknown> = (request: RequestOptions) => App | Promise<App>;

const never = new AbortController().signal;
const nobody: Caller = Object.freeze({});
const noProgress: ReportProgress = async () => {};

/** The part of a context that tools, prompts and resources share. */
export function createRequestContext(request: RequestOptions, app: unknown): RequestContext {
  return {
    app,
    accessToken: request.accessToken,
    signal: request.signal ?? never,
    progress: request.progress ?? noProgress,
    requestInput: createRequestInput(request.ask),
    caller: request.caller ?? nobody,
    sdk: request.sdk,
  };
}
