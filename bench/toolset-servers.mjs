import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { actionName, createArguments, createDefinition, createSchemas } from './subjects.mjs';

/** @typedef {import('toolfold/web').ToolsetConfig} ToolsetConfig */
/** @typedef {ReturnType<typeof createDefinition>} Definition */
/** @typedef {Readonly<Record<string, string>>} Headers */

/** @param {number} index */
export const setName = (index) => `set_${index}`;

/** The tool that is called: it reads, and is in the first toolset. */
export const CALLED = actionName(0);
export const calledArguments = createArguments(0);

/** @param {number} count */
export function createDefinitions(count) {
  return createSchemas(count).map((schema, index) => createDefinition(index, schema));
}

let servers = 0;

/**
 * The same tools for another server, with different descriptions: list texts are cached by content, and finding an
 * equal but not identical text takes as long as comparing them.
 *
 * @param {readonly Definition[]} definitions
 */
export function copyFor(definitions) {
  servers += 1;
  const suffix = ` (${servers})`;
  return definitions.map((each) => ({ ...each, description: each.description + suffix }));
}

/**
 * Distributes the tools over a number of toolsets, each with one module.
 *
 * @param {readonly Definition[]} definitions
 * @param {number} toolsets
 * @param {Partial<ToolsetConfig>} [config]
 * @returns {ToolsetConfig}
 */
export function createConfig(definitions, toolsets, config = {}) {
  const size = Math.ceil(definitions.length / toolsets);
  /** @type {Record<string, import('toolfold/web').ToolSetCatalog[string]>} */
  const catalog = {};
  /** @type {Record<string, import('toolfold/web').ModuleLoader>} */
  const moduleLoaders = {};
  for (let index = 0; index < toolsets; index++) {
    const name = setName(index);
    catalog[name] = { name, description: `Some of the tools: ${name}`, modules: [name] };
    moduleLoaders[name] = () =>
      /** @type {any} */ (definitions.slice(index * size, (index + 1) * size).map((each) => ({ ...each })));
  }
  return {
    catalog,
    moduleLoaders,
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: { accessToken: 'token-of-the-server' },
    exposurePolicy: {},
    ...config,
  };
}

/** @param {readonly Definition[]} definitions */
export function createRegistry(definitions = []) {
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  if (definitions.length > 0) registry.register(.../** @type {any[]} */ (definitions));
  return registry;
}

const prefix = 'io.modelcontextprotocol/';
const meta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientCapabilities`]: {},
  [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
};
const signal = new AbortController().signal;

/**
 * Creates a request as the HTTP edge passes it on after parsing. The request can be sent repeatedly.
 *
 * @param {'tools/list' | 'tools/call'} method
 * @param {{ params?: object, headers?: Headers, session?: string, auth?: object }} [options]
 */
export function createRequest(method, { params = {}, headers = {}, session, auth } = {}) {
  const isCall = method === 'tools/call';
  const given = { ...(isCall ? { name: CALLED, arguments: calledArguments } : {}), ...params };
  const name = /** @type {{ name?: string }} */ (given).name;
  /** @type {Record<string, string>} */
  const all = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'bench',
    ...(session === undefined
      ? {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(isCall && name !== undefined ? { 'mcp-name': name } : {}),
        }
      : { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session }),
    ...headers,
  };
  return {
    header: (/** @type {string} */ name_) => all[name_],
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: session === undefined ? { ...given, _meta: meta } : given,
    },
    target: '/mcp',
    address: '127.0.0.1',
    signal: () => signal,
    ...(auth ? { auth } : {}),
  };
}

/** @typedef {ReturnType<typeof createRequest>} BenchRequest */

/**
 * A server that is called in process, with the code that every request runs after its body is parsed.
 *
 * @param {import('toolfold').ToolRegistry} registry
 * @param {import('toolfold/web').HandlerOptions} [options]
 */
export function createEdge(registry, options = {}) {
  const handler = createHandler(registry, { path: '/mcp', requestLimit: false, ...options });
  // The internal state that `toNodeListener` uses; it is not typed. The steps are those of `answerRequest`.
  const { edge } = /** @type {any} */ (handler);
  const ask = (/** @type {BenchRequest} */ request) => {
    const invalid = edge.readRequest(request);
    if (invalid) return invalid;
    const answered = edge.modern.answer(request);
    return typeof answered === 'symbol' ? edge.sessions.post(request) : answered;
  };
  return {
    ask,
    /**
     * The text of an answer, for checking it.
     *
     * @param {BenchRequest} request
     */
    read: async (request) => {
      const answer = await ask(request);
      assert.equal(answer?.status, 200, JSON.stringify(answer));
      return textOf(answer?.body);
    },
    close: () => handler.close(),
  };
}

/** @typedef {ReturnType<typeof createEdge>} BenchEdge */

/** @param {unknown} body */
function textOf(body) {
  if (typeof body === 'string') return body;
  assert(Array.isArray(body));
  const [before, bytes, after] = body;
  return `${before}${new TextDecoder().decode(bytes)}${after}`;
}

/**
 * Counts the tools of a list.
 *
 * @param {BenchEdge} edge
 * @param {BenchRequest} request
 */
export async function countTools(edge, request) {
  return JSON.parse(await edge.read(request)).result.tools.length;
}

/**
 * Throws unless a call is answered correctly, because a fast wrong answer must not count.
 *
 * @param {BenchEdge} edge
 * @param {BenchRequest} request
 */
export async function assertCalled(edge, request) {
  const { result } = JSON.parse(await edge.read(request));
  assert.equal(result.isError, undefined, JSON.stringify(result));
  assert.equal(result.content[0].text, 'Done in octo-org/hello-world.');
}

/**
 * Opens a 2025-11-25 session and returns its id.
 *
 * @param {BenchEdge} edge
 */
export async function openSession(edge) {
  const opening = createRequest('tools/list', { session: '' });
  const headers = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const answer = await edge.ask({
    ...opening,
    header: (name) => /** @type {Record<string, string>} */ (headers)[name],
    body: /** @type {any} */ ({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      },
    }),
  });
  const session = answer?.headers?.['mcp-session-id'];
  assert(session !== undefined, JSON.stringify(answer));
  return session;
}
