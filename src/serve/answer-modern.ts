import { classifyInboundRequest } from '@modelcontextprotocol/server';
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
  readonly body: string;
}

/**
 * Answers lists and calls of 2026-07-28 from compiled data. It takes only requests that are right in every respect;
 * `undefined` means that the SDK is to answer, with an error or with a stream.
 */
export class ModernAnswers {
  readonly #registry: ToolRegistry;
  readonly #view: () => View;
  readonly #serverInfo: string;
  readonly #serverMeta: Readonly<Record<string, unknown>>;

  constructor(registry: ToolRegistry, view: () => View) {
    this.#registry = registry;
    this.#view = view;
    this.#serverMeta = { name: registry.name, version: registry.version };
    this.#serverInfo = JSON.stringify(this.#serverMeta);
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
      .then((result) => {
        const tools =
          result === whole ? page : JSON.stringify((result as { tools?: unknown } | undefined)?.tools ?? []);
        return ok(
          id,
          `{"tools":${tools},"resultType":"complete","ttlMs":0,"cacheScope":"private",` +
            `"_meta":{"${SERVER_INFO}":${this.#serverInfo}}}`,
        );
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
    const { resultType = 'complete', _meta, ...rest } = result;
    const answered = { ...rest, resultType, _meta: { ..._meta, [SERVER_INFO]: this.#serverMeta } };
    return ok(id, JSON.stringify(answered));
  }
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
