import type { GetPromptResult } from '../../define/prompts.js';
import type { ReadResourceResult } from '../../define/resources.js';
import { ToolfoldError } from '@toolfold/schema/errors';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { ExecuteRequest, RequestOptions } from '../request.js';
import { messageOf } from '../error-handler.js';
import { steps, subscribe } from './call-events.js';
import type { FaultContext, Step } from './call-events.js';

export interface StepTime {
  readonly step: Step;
  readonly ms: number;
}

/** Describes a finished call, prompt request or resource read. */
export interface EndedCall {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly request: Partial<ExecuteRequest>;
  readonly result: CallToolResult;
  /** The address of the action, the name of the prompt or the URI; `undefined` if there is no such tool or action. */
  readonly address: string | undefined;
  /** Milliseconds since 1970 when the call arrived. */
  readonly at: number;
  readonly ms: number;
  /** The steps that the call went through, with their durations in milliseconds. */
  readonly steps: readonly StepTime[];
  /** The error of the author's code that ended the call, and the redactor for the credentials of the call. */
  readonly fault: (Pick<FaultContext, 'redactor'> & { readonly error: unknown }) | undefined;
}

/** Prompts and resources have an address from the start. The pipeline finds that of a tool call. */
type Called = Pick<EndedCall, 'kind'> & Partial<Pick<EndedCall, 'address'>>;
type AnyResult = CallToolResult | GetPromptResult | ReadResourceResult;

/** Called with every call that has ended. Its errors are ignored. */
export type CallListener = (call: EndedCall) => void;

/**
 * Calls the listener with every call of a registry that has ended. Returns a function that ends the observation. A
 * server without listeners does not load this module.
 */
export function observeCalls(
  registry: { callListeners: CallListeners | undefined },
  listener: CallListener,
): () => void {
  const listeners = (registry.callListeners ??= new CallListeners());
  const remove = listeners.add(listener);
  return () => {
    remove();
    if (listeners.size === 0 && registry.callListeners === listeners) registry.callListeners = undefined;
  };
}

/** The listeners of one registry. They subscribe to the events of each of its calls. */
export class CallListeners {
  readonly #listeners = new Set<CallListener>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns a function that removes the listener. */
  add(listener: CallListener): () => void {
    // A new function, because a set would keep a listener that was added twice only once.
    const own: CallListener = (call) => listener(call);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Runs a call, a prompt request or a resource read, and tells the listeners its outcome. */
  async run<R extends RequestOptions, T extends AnyResult>(
    called: Called,
    request: R,
    run: (request: R) => Promise<T>,
  ): Promise<T> {
    const recorder = createRecorder(called, request);
    try {
      const value = await run({ ...request, emit: recorder.emit });
      this.tell(recorder.end(toResult(called.kind, value)));
      return value;
    } catch (error) {
      const code = error instanceof ToolfoldError ? error.code : 'ErrToolFailed';
      const report = { code, message: messageOf(error) };
      const failed = { isError: true, content: [], _meta: { 'toolfold/error': report } };
      this.tell(recorder.end(isQuestion(error) ? { content: [], resultType: 'input_required' } : failed));
      throw error;
    }
  }

  tell(call: EndedCall): void {
    for (const listener of this.#listeners) {
      try {
        listener(call);
      } catch {
        // A listener that fails changes neither the result nor the other listeners.
      }
    }
  }
}

/** Collects the events of one call for the listeners. */
function createRecorder({ kind, address }: Called, request: RequestOptions) {
  const at = Date.now();
  const start = performance.now();
  const times: StepTime[] = [];
  let found = address;
  let fault: EndedCall['fault'];
  let latest = -1;
  let current: { readonly step: Step; readonly start: number } | undefined;
  const endStep = (): void => {
    if (current) times.push({ step: current.step, ms: performance.now() - current.start });
    current = undefined;
  };
  const emit = subscribe(request.emit, (event) => {
    if (event.kind === 'found') found ??= event.address;
    if (event.kind === 'fault' && !event.isOfCode) fault ??= event;
    if (event.kind !== 'step') return;
    const { step } = event;
    const order = step === undefined ? latest : steps.indexOf(step);
    // Ignore a step that has already begun, or that comes before the current one.
    if (step !== undefined && order <= latest) return;
    endStep();
    latest = order;
    if (step !== undefined) current = { step, start: performance.now() };
  });
  const end = (result: CallToolResult): EndedCall => {
    endStep();
    // Ignore the steps of a handler that outlasts its call.
    latest = steps.length;
    const ms = performance.now() - start;
    return { kind, request, result, address: found, at, ms, steps: times, fault };
  };
  return { emit, end };
}

/** Gives the answers of prompts and resources the form of a call result. */
function toResult(kind: EndedCall['kind'], value: AnyResult): CallToolResult {
  if (kind === 'tool') return value as CallToolResult;
  const content =
    kind === 'prompt'
      ? (value as GetPromptResult).messages.map((message) => message.content)
      : (value as ReadResourceResult).contents.map((resource) => ({ type: 'resource', resource }));
  return { content } as CallToolResult;
}

/** Whether a prompt or a resource asks the client. The registry may have its own copy of the class `InputRequired`. */
function isQuestion(error: unknown): boolean {
  try {
    return typeof (Object(error) as { readonly toResult?: unknown }).toResult === 'function';
  } catch {
    return false;
  }
}
