import type { GetPromptResult } from '../../define/prompts.js';
import type { ReadResourceResult } from '../../define/resources.js';
import { ToolfoldError } from '../../errors.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { ExecuteRequest, RequestOptions } from '../request.js';
import { messageOf } from '../error-handler.js';
import { CallTrace } from './call-trace.js';
import type { CallFault, StepTime } from './call-trace.js';

/** A call that has ended, or the use of a prompt or a resource. */
export interface EndedCall {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly request: RequestOptions & Partial<Pick<ExecuteRequest, 'name' | 'arguments' | 'run'>>;
  readonly result: CallToolResult;
  /** The address of the action, the name of the prompt or the URI; `undefined` if there is no such tool or action. */
  readonly address: string | undefined;
  /** Milliseconds since 1970 when the call arrived. */
  readonly at: number;
  readonly ms: number;
  /** The steps that the call went through, with their durations in milliseconds. */
  readonly steps: readonly StepTime[];
  /** The error of the author's code that ended the call. */
  readonly fault: CallFault | undefined;
}

/** Called with every call that has ended. Its errors are ignored. */
export type CallListener = (call: EndedCall) => void;

/**
 * Calls the listener with every call of a registry that has ended. Returns a function that ends the observation. A
 * server without listeners does not load this module.
 */
export function observeCalls(
  registry: { observed: CallListeners | undefined },
  listener: CallListener,
): () => void {
  const listeners = (registry.observed ??= new CallListeners());
  const remove = listeners.add(listener);
  return () => {
    remove();
    if (listeners.size === 0 && registry.observed === listeners) registry.observed = undefined;
  };
}

/** The listeners of one registry. */
export class CallListeners {
  readonly #listeners = new Set<CallListener>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns a function that removes the listener. */
  add(listener: CallListener): () => void {
    // A function of its own, so that one listener can be added twice.
    const own: CallListener = (call) => listener(call);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Runs a call with a trace, and tells the listeners how it ended. */
  async run(
    request: ExecuteRequest,
    run: (request: ExecuteRequest) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const trace = new CallTrace(request.trace);
    const at = Date.now();
    const start = performance.now();
    const result = await run({ ...request, trace });
    trace.end();
    const { address, steps, fault } = trace;
    const ms = performance.now() - start;
    this.tell({ kind: 'tool', request, result, address, at, ms, steps, fault });
    return result;
  }

  /** Fills a prompt, and tells the listeners. */
  getPrompt(
    request: ExecuteRequest,
    run: (request: ExecuteRequest) => Promise<GetPromptResult>,
  ): Promise<GetPromptResult> {
    const item = { kind: 'prompt', address: request.name } as const;
    return this.#runItem(item, request, run, ({ messages }) => messages.map(({ content }) => content));
  }

  /** Reads a resource, and tells the listeners. */
  readResource<R extends RequestOptions & { readonly uri: string }>(
    request: R,
    run: (request: R) => Promise<ReadResourceResult>,
  ): Promise<ReadResourceResult> {
    const item = { kind: 'resource', address: request.uri } as const;
    return this.#runItem(item, request, run, ({ contents }) =>
      contents.map((resource) => ({ type: 'resource', resource })),
    );
  }

  /** Uses an item, and tells the listeners. They get its content in the form of a result of a call. */
  async #runItem<R extends RequestOptions, T>(
    { kind, address }: { readonly kind: 'prompt' | 'resource'; readonly address: string },
    request: R,
    run: (request: R) => Promise<T>,
    contentOf: (value: T) => readonly unknown[],
  ): Promise<T> {
    const trace = new CallTrace(request.trace);
    const at = Date.now();
    const start = performance.now();
    const end = (result: object): void => {
      const ms = performance.now() - start;
      const { fault } = trace;
      this.tell({ kind, request, result: result as CallToolResult, address, at, ms, steps: [], fault });
    };
    try {
      const value = await run({ ...request, trace });
      end({ content: contentOf(value) });
      return value;
    } catch (error) {
      const code = error instanceof ToolfoldError ? error.code : 'ErrToolFailed';
      const report = { code, message: messageOf(error) };
      const failed = { isError: true, content: [], _meta: { 'toolfold/error': report } };
      end(isQuestion(error) ? { content: [], resultType: 'input_required' } : failed);
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

/** Whether a prompt or a resource asks the client. The registry may have its own copy of the class `InputRequired`. */
function isQuestion(error: unknown): boolean {
  try {
    return typeof (Object(error) as { readonly toResult?: unknown }).toResult === 'function';
  } catch {
    return false;
  }
}
