import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@modelcontextprotocol/client';
import { ErrCancelled, ErrInputUnavailable, ErrUnknownTool } from 'toolfold/errors';
import {
  AUTHORED_ARGUMENTS,
  callNode,
  INVALID_PARAMS,
  readCallResult,
  TASKS_EXTENSION,
} from 'toolfold/internal';
import type { AnyRegistry, CallToolResult, WireQuestion } from 'toolfold';
import type { McpTool } from '@toolfold/profiles';
import { assertOptions, callback, flag, listNames } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { AskedQuestion, ScriptedAnswers } from './answers.js';
import { findCall, findSearchedCall, isSearched } from '../client/find-call.js';
import type { WireCall } from '../client/find-call.js';
import { TestCall } from './test-call.js';
import { hasOutput } from './tool-functions.js';
import type { StartedCall, StartedTask, TestCallOptions, TestLog } from './typed-client.js';

type Arguments = Readonly<Record<string, unknown>>;

interface Connected {
  readonly client: Client;
  readonly era: '2025' | '2026';
  readonly capabilities: Readonly<Record<string, object>>;
  readonly answers: ScriptedAnswers;
  readonly calls: Map<unknown, TestCall>;
  readonly registry: AnyRegistry | undefined;
  readonly errors: unknown[];
  readonly close: () => Promise<void>;
}

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

const callRules: Rules<keyof TestCallOptions> = {
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  onProgress: callback,
  task: flag,
};

/** Holds the call on whose stream a question arrives. */
const current = new AsyncLocalStorage<TestCall>();

export class ConnectedTestClient {
  readonly sdk: Client;
  readonly tools: unknown;
  readonly logs: TestLog[] = [];
  readonly #connected: Connected;
  readonly #unsubscribe: (() => void) | undefined;
  #tools: readonly McpTool[] | undefined;

  constructor(connected: Connected) {
    this.#connected = connected;
    this.sdk = connected.client;
    this.tools = callNode((path, input, options) =>
      this.#callForData(path.join('.'), input as Arguments, options as TestCallOptions),
    );
    this.#unsubscribe = connected.registry?.onChange(() => (this.#tools = undefined));
    this.#listen();
  }

  get questions(): readonly AskedQuestion[] {
    return this.#connected.answers.questions;
  }

  get errors(): readonly unknown[] {
    return this.#connected.errors;
  }

  /** Asks a 2025 server for log messages. 2026 requests carry their own level. */
  async requestLogs(): Promise<void> {
    const { era, client } = this.#connected;
    if (era === '2025' && client.getServerCapabilities()?.logging) await client.setLoggingLevel('debug');
  }

  async call(name: string, input?: Arguments, options?: TestCallOptions): Promise<CallToolResult> {
    return this.start(name, input, options).result;
  }

  start(name: string, input: Arguments = {}, options: TestCallOptions = {}): StartedCall {
    const { call, running } = this.#begin(name, input, options);
    call.wantResult();
    return {
      result: running,
      progress: call.progress,
      cancel: () => this.#cancel(call, running),
    };
  }

  /** Calls an action for its data: what fits its output schema, or the result of an action without one. */
  async #callForData(path: string, input?: Arguments, options?: TestCallOptions): Promise<unknown> {
    const result = await this.call(path, input, options);
    const { registry } = this.#connected;
    return readCallResult(result, registry && hasOutput(registry, path));
  }

  async startTask(
    name: string,
    input: Arguments = {},
    options: Omit<TestCallOptions, 'task'> = {},
  ): Promise<StartedTask> {
    const { call, running } = this.#begin(name, input, options, true);
    const task = await call.task;
    if (!task) {
      const result = await running;
      throw new Error(
        `The server answered "${name}" without a task: ${JSON.stringify(result.content)}. Set task: true in its definition, and ` +
          "connect with era: '2026', because 2025 clients have no tasks.",
      );
    }
    return {
      id: task.id,
      get: () => task.get(),
      result: () => {
        call.wantResult();
        return running;
      },
      cancel: () => this.#cancel(call, running),
    };
  }

  async listTools(): Promise<readonly McpTool[]> {
    const { tools } = await this.sdk.listTools();
    this.#tools = tools as unknown as readonly McpTool[];
    return this.#tools;
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await this.sdk.close();
    await this.#connected.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #begin(
    name: string,
    input: Arguments,
    options: TestCallOptions,
    needsTask = false,
  ): { readonly call: TestCall; readonly running: Promise<CallToolResult> } {
    assertOptions('A call', options, callRules);
    const { signal, onProgress, task = false } = options;
    const { calls, era } = this.#connected;
    // 2025 clients cannot poll tasks. The server answers them with the result.
    const call = new TestCall({ isTask: (task || needsTask) && era === '2026', onProgress });
    const abort = (): void => call.controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    calls.set(call.token, call);
    const running = current
      .run(call, () => this.#run(call, name, input))
      .finally(() => {
        signal?.removeEventListener('abort', abort);
        call.ended();
        // The notification that cancels a call of a 2025 client arrives after the call has ended for the client.
        void call.cancellation(era).then(() => calls.delete(call.token));
      });
    // A test may cancel a call or close the client without waiting for the result.
    running.catch(() => undefined);
    return { call, running };
  }

  async #run(call: TestCall, name: string, input: Arguments): Promise<CallToolResult> {
    const { signal } = call.controller;
    let wire: WireCall | undefined;
    try {
      wire = await this.#find(name, input);
      if (signal.aborted) throw signal.reason;
      const result = await this.sdk.callTool(
        { name: wire.name, arguments: { ...wire.arguments }, _meta: this.#metaOf(call) },
        { signal },
      );
      if (call.unanswered !== undefined) throw call.unanswered;
      return result as unknown as CallToolResult;
    } catch (error) {
      if (call.unanswered !== undefined) throw call.unanswered;
      if (signal.aborted)
        throw new ErrCancelled('The call was cancelled by the test.', { cause: signal.reason });
      if (wire?.name === name && (error as { code?: unknown }).code === INVALID_PARAMS)
        throw this.#unknown(error, name);
      throw error;
    }
  }

  /** Makes the error for a name that the server does not know. It lists the tools that the client sees. */
  #unknown(error: unknown, name: string): unknown {
    const names = (this.#tools ?? []).map((tool) => tool.name);
    if (names.includes(name)) return error;
    return new ErrUnknownTool((error as Error).message, {
      hint: names.length > 0 ? `The client sees ${listNames(names)}.` : 'The client sees no tools.',
      cause: error,
    });
  }

  #metaOf(call: TestCall): Record<string, unknown> {
    const { era, capabilities } = this.#connected;
    const own = { progressToken: call.token, [AUTHORED_ARGUMENTS]: true };
    if (era === '2025') return own;
    const extensions = call.isTask ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
    return {
      ...own,
      [LOG_LEVEL]: 'debug',
      [CAPABILITIES]: { ...capabilities, ...extensions },
    };
  }

  /** Finds the tool in the list of this client. A name that is not listed goes to the server, which rejects it. */
  async #find(name: string, input: Arguments): Promise<WireCall> {
    const known = this.#tools;
    const found = findCall(known ?? (await this.listTools()), name, input);
    if (found) return found;
    // Toolsets may have changed since the list was read.
    const listed = known ? await this.listTools() : (this.#tools ?? []);
    const again = findCall(listed, name, input);
    if (again) return again;
    if (!isSearched(listed)) return { name, arguments: input };
    return findSearchedCall(
      listed,
      name,
      input,
      async (call) => (await this.sdk.callTool({ ...call, arguments: { ...call.arguments } })) as Arguments,
    );
  }

  async #cancel(call: TestCall, running: Promise<unknown>): Promise<void> {
    call.controller.abort(new ErrCancelled('The test cancelled the call.'));
    await call.cancellation(this.#connected.era);
    await running.catch(() => undefined);
  }

  #listen(): void {
    const { client, capabilities, calls } = this.#connected;
    client.setNotificationHandler('notifications/progress', ({ params }) => {
      const { progressToken, progress, total, message } = params;
      calls.get(progressToken)?.report({
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    });
    client.setNotificationHandler('notifications/message', ({ params }) => {
      this.logs.push(params as TestLog);
    });
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#tools = undefined;
    });
    const ask = (method: WireQuestion['method']) => async (request: { readonly params?: unknown }) =>
      (await this.#answer({ method, params: (request.params ?? {}) as Arguments })) as never;
    if (capabilities['elicitation'])
      client.setRequestHandler('elicitation/create', ask('elicitation/create'));
    if (capabilities['sampling'])
      client.setRequestHandler('sampling/createMessage', ask('sampling/createMessage'));
    if (capabilities['roots']) client.setRequestHandler('roots/list', ask('roots/list'));
  }

  async #answer(question: WireQuestion): Promise<Arguments> {
    try {
      return await this.#connected.answers.answer(question);
    } catch (error) {
      const call = current.getStore();
      if (call) call.unanswered ??= error;
      throw error instanceof ErrInputUnavailable
        ? error
        : new ErrInputUnavailable(String(error), { cause: error });
    }
  }
}
