import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { AnswerReader } from './answer-reader.mjs';

/** @typedef {'2026-07-28' | '2025-11-25'} Revision */
/** @typedef {'tools/call' | 'tools/list'} Method */
/** @typedef {import('./work.mjs').Sample} Sample */

/**
 * @param {number} port
 * @param {object | string} message a string is sent unchanged
 * @param {Record<string, string>} headers override the default headers
 */
export function toPost(port, message, headers) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const all = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * @param {Method} method
 * @param {Sample} sample
 */
const paramsOf = (method, { name, input }) => (method === 'tools/call' ? { name, arguments: input } : {});

/**
 * A 2026 request, which needs no handshake.
 *
 * @param {number} port
 * @param {Method} method
 * @param {Sample} sample
 * @param {Record<string, string>} [headers]
 */
export function modernRequest(port, method, sample, headers = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { ...paramsOf(method, sample), _meta: meta };
  return toPost(
    port,
    { jsonrpc: '2.0', id: 1, method, params },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(method === 'tools/call' ? { 'mcp-name': sample.name } : {}),
      ...headers,
    },
  );
}

/**
 * A request of a 2025-11-25 session.
 *
 * @param {number} port
 * @param {Method} method
 * @param {string} session
 * @param {Sample} sample
 */
export function sessionRequest(port, method, session, sample) {
  const message = { jsonrpc: '2.0', id: 1, method, params: paramsOf(method, sample) };
  return toPost(port, message, sessionHeaders(session));
}

/** @param {string} session */
export const sessionHeaders = (session) => ({
  'mcp-protocol-version': '2025-11-25',
  'mcp-session-id': session,
});

/**
 * Sends requests over one connection, one after the other, and returns the answers with their bodies.
 *
 * @param {number} port
 */
export function openConnection(port) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  /** @type {{ resolve: (answer: import('./answer-reader.mjs').Answer) => void, reject: (error: Error) => void } | undefined} */
  let waiting;
  const reader = new AnswerReader((answer) => waiting?.resolve(answer), { keep: true });
  socket.on('data', (bytes) => reader.read(bytes));
  const fail = (/** @type {Error} */ error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed the connection.')));
  return {
    /** @param {Buffer} request */
    ask: (request) =>
      new Promise((/** @type {(answer: import('./answer-reader.mjs').Answer) => void} */ resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => {
      waiting = undefined;
      socket.destroy();
    },
  };
}

/** @typedef {ReturnType<typeof openConnection>} Connection */

/**
 * Opens a session like a client does, and returns its id.
 *
 * @param {Connection} connection
 * @param {number} port
 */
export async function openSession(connection, port) {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const opened = await connection.ask(
    toPost(port, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, {}),
  );
  const session = /\r\nmcp-session-id: *(\S+)/i.exec(opened.head)?.[1];
  if (opened.status !== 200 || session === undefined) throw new Error(`No session: ${opened.head}`);
  const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const { status, head } = await connection.ask(toPost(port, ready, sessionHeaders(session)));
  if (status >= 300) throw new Error(`A session that was not taken up: ${head}`);
  return session;
}

/**
 * Throws unless the answer is correct, because a fast wrong answer must not count.
 *
 * @param {import('./answer-reader.mjs').Answer} answer
 * @param {Method} method
 * @param {import('./work.mjs').Catalog} catalog
 * @param {number} [listed]
 */
export function assertRight(answer, method, { tools, sample }, listed = tools.length) {
  const result = readResult(answer);
  const isRight =
    method === 'tools/list'
      ? result?.tools?.length === listed
      : result?.isError !== true && isDeepStrictEqual(JSON.parse(result?.content?.[0]?.text), sample.output);
  if (!isRight)
    throw new Error(`The wrong answer to ${method}: ${answer.head}\n${String(answer.body).slice(0, 1_000)}`);
}

/**
 * The result of an answer, which some servers send as an event. `undefined` for errors.
 *
 * @param {import('./answer-reader.mjs').Answer} answer
 */
export function readResult({ status, head, body }) {
  const text = String(body);
  const json = /\r\ncontent-type: *text\/event-stream/i.test(head)
    ? (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? '{}')
    : text;
  return status === 200 ? JSON.parse(json).result : undefined;
}
