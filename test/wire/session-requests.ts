import { readEvents } from './events.js';
import type { Events } from './events.js';
import type { Face } from './faces.js';

type Json = Record<string, unknown>;
export type Message = Json | readonly Json[];

export interface SessionOptions {
  readonly capabilities?: Json;
  readonly version?: string;
  readonly user?: string;
}

const accept = 'application/json, text/event-stream';

/** Sends one body like a 2025 client. */
export function post(
  face: Face,
  body: Message | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return face.send({
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function initialize({ capabilities = {}, version = '2025-11-25' }: SessionOptions = {}): Json {
  return {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo: { name: 'client', version: '1' } },
  };
}

/** A session of a 2025 client, request by request. */
export class Session {
  readonly #face: Face;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  #count = 0;

  constructor(face: Face, id: string, { user }: SessionOptions = {}) {
    this.#face = face;
    this.id = id;
    this.headers = { 'mcp-session-id': id, ...(user === undefined ? {} : { 'x-user': user }) };
  }

  post(body: Message | string, headers: Record<string, string> = {}): Promise<Response> {
    return post(this.#face, body, { ...this.headers, ...headers });
  }

  /** Sends a request whose answer may be a stream. */
  send(method: string, params: Json = {}, id: string | number = ++this.#count): Promise<Response> {
    return this.post({ jsonrpc: '2.0', id, method, params });
  }

  /** Sends a request and waits for its answer. */
  async request(method: string, params?: Json, id?: string | number): Promise<Json> {
    return answerOf(await this.send(method, params, id));
  }

  call(name: string, args: Json = {}, id?: string | number): Promise<Json> {
    return this.request('tools/call', { name, arguments: args }, id);
  }

  async notify(method: string, params: Json = {}): Promise<number> {
    const response = await this.post({ jsonrpc: '2.0', method, params });
    await response.text();
    return response.status;
  }

  /** Answers a question. */
  async answer(id: unknown, answer: { readonly result?: Json; readonly error?: Json }): Promise<number> {
    const response = await this.post({ jsonrpc: '2.0', id, ...answer });
    await response.text();
    return response.status;
  }

  get(headers: Record<string, string> = {}): Promise<Response> {
    return this.#face.send({
      method: 'GET',
      headers: { accept: 'text/event-stream', ...this.headers, ...headers },
    });
  }

  async listen(lastEventId?: string): Promise<Events> {
    return readEvents(await this.get(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }));
  }

  async remove(headers: Record<string, string> = {}): Promise<number> {
    const response = await this.#face.send({ method: 'DELETE', headers: { ...this.headers, ...headers } });
    await response.text();
    return response.status;
  }
}

export async function openSession(face: Face, options: SessionOptions = {}): Promise<Session> {
  const { user } = options;
  const response = await post(face, initialize(options), user === undefined ? {} : { 'x-user': user });
  const id = response.headers.get('mcp-session-id');
  const body = await response.text();
  if (response.status !== 200 || id === null) throw new Error(`No session: ${response.status} ${body}`);
  const session = new Session(face, id, options);
  await session.notify('notifications/initialized');
  return session;
}

/** The last message of a response in JSON or SSE. */
export async function answerOf(response: Response): Promise<Json> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return (await response.json()) as Json;
  const events = await readEvents(response).rest();
  return events.findLast(({ message }) => message)?.message ?? {};
}
