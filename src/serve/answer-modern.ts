import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../compile/tool-definition.js';
import type { WireQuestion } from '../compile/input-required.js';
import type { CallToolResult } from '../format/tool-result.js';
import type { ToolRegistry } from '../registry/tool-registry.js';
import type { View } from '../registry/view.js';
import { isJsonObject } from '../schema/json-schema.js';

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const SERVER_INFO = `${PREFIX}serverInfo`;
const MISSING_CAPABILITY = -32_021;

/** A request as the edge has read it, whatever carried it. */
export interface EdgeRequest {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Parsed JSON. */
  readonly body: unknown;
  readonly auth?: Caller['auth'];
  readonly signal?: AbortSignal | undefined;
}

/** What goes back: JSON, with its status. */
export interface EdgeAnswer {
  readonly status: number;
  /** A text, or bytes that were made before, with what stands around them. */
  readonly body: string | readonly [before: string, bytes: Uint8Array, after: string];
}

/**
 * Answers lists and calls of 2026-07-28 from compiled data. It takes only requests that are right in every respect;
 * `undefined` means that the SDK is to answer, with an error or with a stream.
 */
export class ModernAnswers {
  readonly #registry: ToolRegistry;
  readonly #view: () => View;
  readonly #ending: string;
  readonly #serverMeta: Readonly<Record<string, unknown>>;

  constructor(registry: ToolRegistry, view: () => View) {
    this.#registry = registry;
    this.#view = view;
    this.#serverMeta = { name: registry.name, version: registry.version };
    this.#ending = `,"resultType":"complete","_meta":{"${SERVER_INFO}":${JSON.stringify(this.#serverMeta)}}}`;
  }

  answer(request: EdgeRequest): Promise<EdgeAnswer> | undefined {
    const { body } = request;
    if (!isJsonObject(body)) return undefined;
    const { method, id } = body;
    if ((method !== 'tools/call' && method !== 'tools/list') || !isId(id)) return undefined;
    const params = isJsonObject(body['params']) ? body['params'] : {};
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
    if (!isServed(request, method, params)) return undefined;
    return method === 'tools/list' ? this.#list(id, params, request) : this.#call(id, params, meta, request);
  }

  #list(
    id: string | number,
    params: Readonly<Record<string, unknown>>,
    request: EdgeRequest,
  ): Promise<EdgeAnswer> | undefined {
    if (params['cursor'] !== undefined) return undefined;
    const view = this.#view();
    const [page = '[]'] = view.listPages({ protocolVersion: VERSION });
    const whole = { tools: view.listTools(VERSION) };
    return this.#registry
      .intercept({ method: 'tools/list', params, caller: { auth: request.auth } }, async () => whole)
      .then((result): EdgeAnswer => {
        const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`;
        const after = `,"ttlMs":0,"cacheScope":"private"${this.#ending}}`;
        if (result === whole) return { status: 200, body: [before, bytesOf(page), after] };
        const tools = JSON.stringify((result as { tools?: unknown } | undefined)?.tools ?? []);
        return { status: 200, body: `${before}${tools}${after}` };
      });
  }

  #call(
    id: string | number,
    params: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
    request: EdgeRequest,
  ): Promise<EdgeAnswer> | undefined {
    const { name, arguments: given, inputResponses } = params;
    const view = this.#view();
    // Progress needs a stream, and what a tool declares for headers is checked by the SDK.
    if (typeof name !== 'string' || meta['progressToken'] !== undefined) return undefined;
    const tool = view.tools.get(name);
    if (!tool || hasHeaders(tool.tool.inputSchema)) return undefined;
    const { auth } = request;
    const token = auth?.['token'];
    const call = {
      name,
      arguments: given as Record<string, unknown> | undefined,
      caller: { auth, client: meta[`${PREFIX}clientInfo`] as Caller['client'] },
      accessToken: typeof token === 'string' ? token : undefined,
      signal: request.signal,
      meta,
      ask: async (questions: Readonly<Record<string, WireQuestion>>) => answersIn(inputResponses, questions),
    };
    return this.#registry.executeTool(call, view).then((result) => this.#toAnswer(id, result, meta));
  }

  #toAnswer(
    id: string | number,
    result: CallToolResult,
    meta: Readonly<Record<string, unknown>>,
  ): EdgeAnswer {
    const capabilities = meta[`${PREFIX}clientCapabilities`];
    if (
      result.resultType === 'input_required' &&
      !(isJsonObject(capabilities) && capabilities['elicitation'])
    ) {
      return fail(id, MISSING_CAPABILITY, 'Missing required client capabilities: elicitation', {
        requiredCapabilities: { elicitation: { form: {} } },
      });
    }
    if (result._meta === undefined && result.resultType === undefined) {
      // Most results say neither, and what is added to them is always the same.
      return ok(id, JSON.stringify(result).slice(0, -1) + this.#ending);
    }
    const { resultType = 'complete', _meta, ...rest } = result;
    const answered = { ...rest, resultType, _meta: { ..._meta, [SERVER_INFO]: this.#serverMeta } };
    return ok(id, JSON.stringify(answered));
  }
}

/** The bytes of lists that were sent lately. */
const encoded = new LRUCache<string, Uint8Array>({ max: 32 });

function bytesOf(page: string): Uint8Array {
  let bytes = encoded.get(page);
  if (!bytes) encoded.set(page, (bytes = new TextEncoder().encode(page)));
  return bytes;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
}

/** Whether body and headers agree, and name the revision that is served here. */
function isServed(
  { header, body }: EdgeRequest,
  method: string,
  params: Readonly<Record<string, unknown>>,
): boolean {
  const protocolVersionHeader = header('mcp-protocol-version');
  const mcpMethodHeader = header('mcp-method');
  if (protocolVersionHeader !== VERSION || mcpMethodHeader !== method) return false;
  if (method === 'tools/call' && header('mcp-name') !== params['name']) return false;
  return isEnvelopeRight(body as Readonly<Record<string, unknown>>, params, () => {
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader,
      mcpMethodHeader,
      body,
    });
    return (
      outcome.kind === 'modern' &&
      outcome.messageKind === 'request' &&
      outcome.classification.revision === VERSION
    );
  });
}

/** What clients say of themselves in every request, as the classifier has found it right before. */
const rightEnvelopes = new LRUCache<string, true>({ max: 500 });
const members = new Set(['jsonrpc', 'id', 'method', 'params']);
const MAX_REMEMBERED = 4_096;

/**
 * The SDK's classifier reads a request with schemas, which takes longer than the call. Requests of one client differ
 * in their arguments alone, which it does not look at: so it is asked once for each way of saying the rest.
 */
function isEnvelopeRight(
  body: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
  classify: () => boolean,
): boolean {
  const meta = params['_meta'];
  if (body['jsonrpc'] !== '2.0' || !isJsonObject(meta) || meta[`${PREFIX}protocolVersion`] !== VERSION)
    return false;
  for (const key of Object.keys(body)) if (!members.has(key)) return classify();
  const key = JSON.stringify(meta);
  if (rightEnvelopes.get(key)) return true;
  const isRight = classify();
  if (isRight && key.length < MAX_REMEMBERED) rightEnvelopes.set(key, true);
  return isRight;
}

/** Remembered by schema, which is frozen. */
const headerSchemas = new WeakMap<object, boolean>();

function hasHeaders(schema: object): boolean {
  let known = headerSchemas.get(schema);
  if (known === undefined)
    headerSchemas.set(schema, (known = JSON.stringify(schema).includes('"x-mcp-header"')));
  return known;
}

function answersIn(
  answers: unknown,
  questions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(answers)) return undefined;
  return Object.keys(questions).every((key) => Object.hasOwn(answers, key)) ? answers : undefined;
}

function ok(id: string | number, result: string): EdgeAnswer {
  return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}` };
}

function fail(id: string | number, code: number, message: string, data: object): EdgeAnswer {
  return { status: 400, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }) };
}
