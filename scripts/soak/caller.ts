/** Callers that all use the same ids and progress tokens, and check that every message belongs to them. */
import { readMessages } from './read-events.js';
import type { Message } from './read-events.js';

/** The outcome of one call. */
export interface Outcome {
  /** Messages that belong to another caller, or to none. */
  readonly mixedUp: readonly string[];
  /** Wrong answers that belong to no other caller. */
  readonly failed?: string;
  readonly steps: number;
  readonly asked: number;
}

export type Call =
  | { readonly tool: 'echo'; readonly text: string; readonly ms: number }
  | { readonly tool: 'steps'; readonly text: string; readonly count: number }
  | { readonly tool: 'ask'; readonly text: string };

export interface Caller {
  open(): Promise<void>;
  call(id: number, call: Call): Promise<Outcome>;
  close(): Promise<void>;
}

type Params = Readonly<Record<string, unknown>>;

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const PATIENCE_MS = 60_000;

/** A 2025 client with its own session. */
export class SessionCaller implements Caller {
  readonly #url: string;
  readonly #version: string;
  #session = '';
  /** The texts of the calls in flight. Every message must belong to one of them. */
  readonly #texts = new Set<string>();

  constructor(url: string, version: string) {
    this.#url = url;
    this.#version = version;
  }

  async open(): Promise<void> {
    const response = await this.#post({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: this.#version,
        capabilities: { elicitation: {} },
        clientInfo: { name: 'soak', version: '1.0.0' },
      },
    });
    this.#session = response.headers.get('mcp-session-id') ?? '';
    for await (const message of readMessages(response)) {
      if (message['error']) throw new Error(`No session: ${JSON.stringify(message)}`);
    }
    if (this.#session === '') throw new Error(`No session: ${response.status}`);
    await this.#tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async call(id: number, call: Call): Promise<Outcome> {
    const { tool, ...args } = call;
    const watch = new Watch(id, call, this.#texts);
    this.#texts.add(call.text);
    try {
      const response = await this.#post({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: tool, arguments: args, _meta: { progressToken: id } },
      });
      for await (const message of readMessages(response)) {
        const answer = watch.read(message);
        if (answer) await this.#tell({ jsonrpc: '2.0', id: message['id'], result: answer });
      }
      return watch.outcome(response.status);
    } finally {
      this.#texts.delete(call.text);
    }
  }

  async close(): Promise<void> {
    const response = await send(this.#url, { method: 'DELETE', headers: this.#headers() });
    await response.arrayBuffer();
    this.#session = '';
  }

  async #tell(message: Message): Promise<void> {
    const response = await this.#post(message);
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${response.status} to a message: ${text}`);
  }

  #post(message: Message): Promise<Response> {
    return send(this.#url, { method: 'POST', headers: this.#headers(), body: JSON.stringify(message) });
  }

  #headers(): Record<string, string> {
    const own = { 'mcp-session-id': this.#session, 'mcp-protocol-version': this.#version };
    return this.#session === '' ? JSON_HEADERS : { ...JSON_HEADERS, ...own };
  }
}

const PREFIX = 'io.modelcontextprotocol/';
const VERSION = '2026-07-28';

/** A 2026 client, which has no session. */
export class ModernCaller implements Caller {
  readonly #url: string;
  readonly #texts = new Set<string>();

  constructor(url: string) {
    this.#url = url;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  async call(id: number, call: Call): Promise<Outcome> {
    const watch = new Watch(id, call, this.#texts);
    this.#texts.add(call.text);
    try {
      let more: Params = {};
      let status = 0;
      // The call is sent once, and a second time with the requested answer.
      for (let turn = 0; turn < 2; turn++) {
        const response = await this.#post(id, call, more);
        ({ status } = response);
        let answers: Params | undefined;
        for await (const message of readMessages(response)) answers = watch.read(message) ?? answers;
        if (!answers) break;
        more = answers;
      }
      return watch.outcome(status);
    } finally {
      this.#texts.delete(call.text);
    }
  }

  #post(id: number, { tool, ...args }: Call, more: Params): Promise<Response> {
    const meta = {
      [`${PREFIX}protocolVersion`]: VERSION,
      [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } },
      [`${PREFIX}clientInfo`]: { name: 'soak', version: '1.0.0' },
      progressToken: id,
    };
    return send(this.#url, {
      method: 'POST',
      headers: {
        ...JSON_HEADERS,
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: tool, arguments: args, ...more, _meta: meta },
      }),
    });
  }
}

/** Checks every message of one call. */
class Watch {
  readonly #id: number;
  readonly #call: Call;
  readonly #texts: ReadonlySet<string>;
  readonly #mixedUp: string[] = [];
  #text: unknown;
  #failed: string | undefined;
  #steps = 0;
  #asked = 0;

  constructor(id: number, call: Call, texts: ReadonlySet<string>) {
    this.#id = id;
    this.#call = call;
    this.#texts = texts;
  }

  /** Checks a message. If it is a question, returns the client's answer in the form of its protocol revision. */
  read(message: Message): Params | undefined {
    const { method, params, id, result, error } = message as {
      readonly method?: string;
      readonly params?: Params;
      readonly id?: unknown;
      readonly result?: Params;
      readonly error?: unknown;
    };
    if (method === 'notifications/progress') {
      this.#steps++;
      this.#check(params?.['progressToken'] === this.#id && params['message'] === this.#call.text, message);
    } else if (method === 'elicitation/create') {
      this.#asked++;
      // The question may come on the stream of another call of the same session, but of no other session.
      const text = String(params?.['message']);
      this.#check(this.#texts.has(text), message);
      return { action: 'accept', content: { name: nameFor(text) } };
    } else if (result?.['resultType'] === 'input_required') {
      this.#asked++;
      const requests = result['inputRequests'] as { who?: { params?: Params } } | undefined;
      this.#check(id === this.#id && requests?.who?.params?.['message'] === this.#call.text, message);
      const state = result['requestState'] === undefined ? {} : { requestState: result['requestState'] };
      const who = { action: 'accept', content: { name: nameFor(this.#call.text) } };
      return { inputResponses: { who }, ...state };
    } else if (result) {
      this.#check(id === this.#id, message);
      this.#text = (result['content'] as readonly { text?: unknown }[] | undefined)?.[0]?.text;
    } else if (error) this.#failed = JSON.stringify(message);
    return undefined;
  }

  outcome(status: number): Outcome {
    const { tool, text } = this.#call;
    const expected = tool === 'ask' ? `${text} ${nameFor(text)}` : text;
    if (this.#text === undefined) this.#failed ??= `no result, status ${status}`;
    else this.#check(this.#text === expected, { expected, got: this.#text });
    const wrongSteps = tool === 'steps' && this.#steps !== this.#call.count;
    if (wrongSteps) this.#failed ??= `${this.#steps} steps instead of ${this.#call.count}`;
    if (tool === 'ask' && this.#asked !== 1) this.#failed ??= `asked ${this.#asked} times`;
    const failed = this.#failed === undefined ? {} : { failed: this.#failed };
    return { mixedUp: this.#mixedUp, steps: this.#steps, asked: this.#asked, ...failed };
  }

  #check(isOwn: boolean, message: unknown): void {
    if (!isOwn) this.#mixedUp.push(`${this.#call.text} got ${JSON.stringify(message).slice(0, 300)}`);
  }
}

/**
 * A server closes idle connections, and a request may be sent on one at the same moment. Nothing was answered, so the
 * request is sent again.
 */
async function send(url: string, request: RequestInit): Promise<Response> {
  const once = (): Promise<Response> => fetch(url, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
  try {
    return await once();
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return once();
    throw new Error(`${String(error)} ${code}`, { cause: error });
  }
}

function nameFor(text: string): string {
  return `name of ${text}`;
}
