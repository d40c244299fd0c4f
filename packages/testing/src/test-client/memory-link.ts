import type { McpHandler } from 'toolfold/web';
import { isJsonObject, untilAborted } from '@toolfold/schema/internal';
import type { TestCall } from './test-call.js';
import { TestTask } from './test-task.js';
import type { SendTaskRequest } from './test-task.js';
import type { ScriptedAnswers } from './answers.js';

type AuthInfo = NonNullable<NonNullable<Parameters<McpHandler['fetch']>[1]>['authInfo']>;
type Message = Readonly<Record<string, unknown>>;

interface LinkOptions {
  readonly auth: AuthInfo | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly answers: ScriptedAnswers;
  /** The calls in flight, by progress token. */
  readonly calls: ReadonlyMap<unknown, TestCall>;
  readonly createError: (code: number, message: string, data: unknown) => Error;
}

interface TaskOrigin {
  readonly url: string | URL;
  readonly init: RequestInit & { readonly signal: AbortSignal };
}

/**
 * Connects the official client to a handler in the same process by replacing its `fetch`. It also follows tasks to their end, because the
 * official client does not support the tasks extension.
 */
export class MemoryLink {
  readonly #handler: McpHandler;
  readonly #options: LinkOptions;
  /** The last response with an error status. */
  rejected: { readonly status: number; readonly text: string } | undefined;
  #taskRequests = 0;

  constructor(handler: McpHandler, options: LinkOptions) {
    this.#handler = handler;
    this.#options = options;
  }

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const message = readMessage(init.body);
    const call = this.#callOf(message);
    if (call && message['method'] === 'tools/call') call.sent(message['id']);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.#options.headers)) headers.set(name, value);
    const request = new Request(url, { ...init, headers });
    const { signal } = request;
    signal.throwIfAborted();
    const { auth } = this.#options;
    const answering = this.#handler.fetch(request, auth ? { authInfo: auth } : {});
    if (call?.isTask && message['method'] === 'tools/call')
      return this.#follow(call, message, answering, { url, init: { ...init, signal } });
    const response = await untilAborted(answering, signal);
    if (message['method'] === 'notifications/cancelled') this.#cancelled(message);
    if (!response.ok) this.rejected = { status: response.status, text: await response.clone().text() };
    if (!response.body) return response;
    const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
    return new Response(body, response);
  };

  #callOf({ params }: Message): TestCall | undefined {
    const meta = isJsonObject(params) && isJsonObject(params['_meta']) ? params['_meta'] : {};
    return this.#options.calls.get(meta['progressToken']);
  }

  #cancelled({ params }: Message): void {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    for (const call of this.#options.calls.values()) if (call.hasRequest(id)) call.cancellationArrived();
  }

  /** Returns the result of a task instead of the task. An answer without a task is returned unchanged. */
  async #follow(
    call: TestCall,
    message: Message,
    answering: Promise<Response>,
    { url, init }: TaskOrigin,
  ): Promise<Response> {
    const begun = this.#begin(message, answering, { url, init });
    const { signal } = init;
    const cancel = (): void =>
      call.cancelsTask(begun.then(({ task }) => task?.cancel()).catch(() => undefined));
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const { task, whole } = await untilAborted(begun, signal);
      if (!task) return whole;
      call.taskStarted(task);
      await untilAborted(call.wantsResult, signal);
      const outcome = await untilAborted(task.outcome(), signal);
      return Response.json({ jsonrpc: '2.0', id: message['id'], ...outcome });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async #begin(
    message: Message,
    answering: Promise<Response>,
    origin: TaskOrigin,
  ): Promise<{ readonly whole: Response; readonly task: TestTask | undefined }> {
    const response = await answering;
    const text = await response.text();
    const { result } = readAnswer(text);
    const whole = new Response(text, { status: response.status, headers: response.headers });
    if (!isJsonObject(result) || result['resultType'] !== 'task') return { whole, task: undefined };
    const send: SendTaskRequest = (method, params) => this.#sendTaskRequest(message, method, params, origin);
    return { whole, task: new TestTask(result, send, this.#options.answers) };
  }

  async #sendTaskRequest(
    { params }: Message,
    method: string,
    args: Readonly<Record<string, unknown>>,
    { url, init }: TaskOrigin,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { _meta } = isJsonObject(params) ? params : {};
    const given = [...new Headers(init.headers)];
    const headers = new Headers(given.filter(([name]) => !name.startsWith('mcp-param-')));
    headers.set('mcp-method', method);
    headers.set('mcp-name', String(args['taskId']));
    const id = `task-request-${++this.#taskRequests}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...args, _meta } });
    const response = await this.fetch(url, { method: 'POST', headers, body });
    const { result, error } = readAnswer(await response.text());
    if (isJsonObject(error))
      throw this.#options.createError(Number(error['code']), String(error['message']), error['data']);
    return isJsonObject(result) ? result : {};
  }
}

function readMessage(body: unknown): Message {
  const value: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isJsonObject(value) ? value : {};
}

/** Reads the last message of a response, which is JSON or a stream of events. */
function readAnswer(text: string): Message {
  const events = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);
  const last = events.at(-1) ?? text;
  const value: unknown = last === '' ? undefined : JSON.parse(last);
  return isJsonObject(value) ? value : {};
}
