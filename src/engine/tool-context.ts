import type { ToolContext } from '../define/tool-definition.js';
import type { Caller } from '../callers/caller.js';
import type { CompiledAction } from '../compile/compiled-tool.js';
import type { Bounds } from './deadline.js';
import type { Services } from './services.js';
import { CallCache, createLog, createProgress, never, noRelease, sessionOf } from './request-context.js';
import type { RequestOptions } from './request.js';
import { createRequestInput } from '../questions/request-input.js';

/** What is known of a call when its handler is about to run. */
interface AdmittedCall {
  readonly app: unknown;
  readonly caller: Caller;
  readonly rawArguments: Readonly<Record<string, unknown>>;
}

/** What a handler sees beside its input. Many arguments and no object of them: it is made for every call. */
export function createToolContext(
  services: Services,
  request: RequestOptions,
  compiled: CompiledAction,
  call: AdmittedCall,
  bounds: Bounds | undefined,
  repairs: readonly string[],
): ToolContext {
  // Written out: spreading an object costs more than all other steps of a call together.
  const context = {
    app: call.app,
    accessToken: request.accessToken,
    signal: bounds?.signal ?? never,
    progress: createProgress(request, call.app),
    requestInput: createRequestInput(request.ask),
    log: createLog(request, call.app),
    releaseConnection: request.release ?? noRelease,
    caller: call.caller,
    session: sessionOf(request),
    cache: new CallCache(services, request),
    sdk: request.sdk,
    action: compiled.key,
    operation: compiled.operation,
    rawArguments: call.rawArguments,
    repairs,
  };
  const { lazySignal } = request;
  if (!lazySignal || bounds) return context;
  // Made when it is looked at: few handlers do. Its own, so that it is there in a copy too. Written as a getter it
  // takes twice as long.
  return Object.defineProperty(context, 'signal', { get: lazySignal, enumerable: true, configurable: true });
}
