import { target } from '../../report.mjs';
import { median, medianRatio } from '../../measure.mjs';
import { load } from '../load.mjs';
import { measuredFigure } from '../lines.mjs';
import { openConnection, openSession, sessionHeaders, toPost } from '../requests.mjs';
import { startServer } from '../start-server.mjs';

/**
 * A request that is always answered in the same way. The answer must contain `body`.
 *
 * @typedef {{
 *   title: string,
 *   request: (port: number, session: string) => Buffer,
 *   status?: number,
 *   body?: string,
 *   kind?: 'toolfold-rejecting' | 'toolfold-guarded',
 *   reconnects?: boolean,
 * }} Row
 */

const CONNECTIONS = 16;
const CATALOG = 'plain-100';
const MOST = 1.5;
const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const envelope = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: {} };
const call = { name: 'tool_0', arguments: { text: 'ab', times: 3 } };

/**
 * A 2026 `tools/call`, which is valid except for the given fields.
 *
 * @param {number} port
 * @param {{ message?: object, params?: object, headers?: Record<string, string> }} [wrong]
 */
function modern(port, { message = {}, params = {}, headers = {} } = {}) {
  const body = { ...call, _meta: envelope, ...params };
  return toPost(
    port,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: body, ...message },
    {
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': body.name,
      ...headers,
    },
  );
}

/** @type {Row} */
export const good = { title: 'a good call', request: (port) => modern(port), body: 'times' };
/** @type {Row} */
const goodOnce = { ...good, title: 'a good call, a connection for each', reconnects: true };
/** @type {readonly Row[]} */
export const rejections = [
  {
    title: 'rate limited',
    request: (port) => modern(port, { params: { name: 'limited' } }),
    body: 'ErrRateLimited',
  },
  {
    title: 'validation error',
    request: (port) => modern(port, { params: { arguments: { text: 5 } } }),
    body: 'ErrValidationFailed',
  },
  {
    title: 'unknown argument',
    request: (port) => modern(port, { params: { arguments: { ...call.arguments, tmies: 3 } } }),
    body: 'ErrValidationFailed',
  },
  {
    title: 'unknown tool',
    request: (port) => modern(port, { params: { name: 'tol_0' } }),
    body: '-32602',
  },
  {
    title: 'missing scope',
    request: (port) => modern(port, { params: { name: 'scoped' } }),
    body: 'ErrInsufficientScope',
  },
  {
    title: 'unknown X-MCP-Tools entry',
    request: (port) => modern(port, { headers: { 'x-mcp-tools': 'tool_0,tol_1' } }),
    status: 400,
    body: 'tol_1',
  },
  {
    title: 'unknown method',
    request: (port) => modern(port, { message: { method: 'a/b' }, headers: { 'mcp-method': 'a/b' } }),
    status: 404,
    body: '-32601',
  },
  { title: 'no id', request: (port) => modern(port, { message: { id: undefined } }), status: 202 },
  {
    title: 'missing _meta',
    request: (port) => modern(port, { params: { _meta: undefined } }),
    status: 400,
    body: '-32602',
  },
  {
    title: 'missing capabilities in _meta',
    request: (port) => modern(port, { params: { _meta: { [`${PREFIX}protocolVersion`]: VERSION } } }),
    status: 400,
    body: '-32602',
  },
  {
    title: 'wrong version',
    request: (port) =>
      modern(port, {
        params: { _meta: { ...envelope, [`${PREFIX}protocolVersion`]: '2099-01-01' } },
        headers: { 'mcp-protocol-version': '2099-01-01' },
      }),
    status: 400,
    body: '-32022',
  },
  {
    title: 'Mcp-Name mismatch',
    request: (port) => modern(port, { headers: { 'mcp-name': 'tool_1' } }),
    status: 400,
    body: '-32020',
  },
  {
    title: 'Mcp-Method mismatch',
    request: (port) => modern(port, { headers: { 'mcp-method': 'tools/list' } }),
    status: 400,
    body: '-32020',
  },
  {
    title: 'MCP-Protocol-Version mismatch',
    request: (port) => modern(port, { headers: { 'mcp-protocol-version': '2025-11-25' } }),
    status: 400,
    body: '-32020',
  },
  {
    title: 'wrong type of params',
    request: (port) => modern(port, { params: { arguments: 'text' } }),
    body: '-32602',
  },
  {
    title: 'not JSON-RPC',
    request: (port) => modern(port, { message: { jsonrpc: '1.0' } }),
    status: 400,
    body: '-32600',
  },
  {
    title: 'not JSON',
    request: (port) => toPost(port, '{"jsonrpc":"2.0","id":1,"method":"tools/call"', {}),
    status: 400,
    body: '-32700',
  },
  {
    title: 'wrong Content-Type',
    request: (port) => modern(port, { headers: { 'content-type': 'text/plain' } }),
    status: 415,
    body: '-32000',
  },
  {
    title: 'body too large, by its Content-Length',
    request: (port) => toPost(port, '', { 'content-length': String(64 * 1024 * 1024) }),
    status: 413,
    body: '-32000',
    reconnects: true,
  },
  { title: 'no API key', request: (port) => modern(port), status: 401, kind: 'toolfold-guarded' },
  {
    title: 'wrong API key',
    request: (port) => modern(port, { headers: { 'x-api-key': 'b'.repeat(40) } }),
    status: 401,
    kind: 'toolfold-guarded',
  },
  {
    title: 'unknown session',
    request: (port) =>
      toPost(port, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, sessionHeaders('nobody')),
    status: 404,
  },
  {
    title: 'unknown method in a session',
    request: (port, session) =>
      toPost(port, { jsonrpc: '2.0', id: 1, method: 'a/b', params: {} }, sessionHeaders(session)),
    body: '-32601',
  },
];

/** Warm-up: requests of each kind, and rounds over all kinds. */
const WARM_REQUESTS = 2_000;
const WARM_ROUNDS = 6;

/** @param {Row} row */
const referenceOf = ({ reconnects }) => (reconnects ? goodOnce : good);

/**
 * Measures every rejection right after a valid call, because both cost more on a busy machine.
 *
 * @param {{ effort: import('../compare.mjs').Effort }} options
 */
export async function run({ effort: { spawns, rounds, sampleMs } }) {
  /** @type {Map<Row, { cost: number[], reference: number[] }>} */
  const measured = new Map(rejections.map((row) => [row, { cost: [], reference: [] }]));
  for (let spawn = 0; spawn < spawns; spawn++) {
    const servers = {
      'toolfold-rejecting': await startServer('toolfold-rejecting', CATALOG),
      'toolfold-guarded': await startServer('toolfold-guarded', CATALOG),
    };
    try {
      /** @type {Map<Row, () => Promise<number>>} */
      const samplers = new Map();
      /** @type {(() => Promise<void>)[]} */
      const heaters = [];
      for (const row of [good, goodOnce, ...rejections]) {
        const server = servers[row.kind ?? 'toolfold-rejecting'];
        const requests = await prepare(row, server.port);
        samplers.set(row, () => sample(row, server, requests, sampleMs / 4));
        heaters.push(async () => {
          let warm = 0;
          while (warm < WARM_REQUESTS) warm += (await load(server.port, requests, 100, row)).answers;
        });
      }
      for (let round = 0; round < WARM_ROUNDS; round++) for (const heat of heaters) await heat();
      const take = (/** @type {Row} */ row) => /** @type {() => Promise<number>} */ (samplers.get(row))();
      for (let round = 0; round < rounds * 2; round++) {
        for (const [row, { cost, reference }] of measured) {
          reference.push(await take(referenceOf(row)));
          cost.push(await take(row));
        }
      }
    } finally {
      for (const server of Object.values(servers)) await server.stop();
    }
  }
  const all = [...measured];
  /** @param {Row} wanted */
  const referencesOf = (wanted) =>
    all.flatMap(([row, { reference }]) => (referenceOf(row) === wanted ? reference : []));
  return [
    ...[good, goodOnce].map((row) => measuredFigure(row.title, referencesOf(row), 'µs')),
    ...all.map(([{ title }, { cost, reference }]) =>
      target(`${title}: ${median(cost).toFixed(0)} µs`, medianRatio(cost, reference), '<=', MOST),
    ),
  ];
}

/**
 * @param {Row} row
 * @param {number} port
 */
async function prepare({ title, request, status = 200, body = '' }, port) {
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = openConnection(port);
      const session = title.includes('in a session') ? await openSession(connection, port) : '';
      const bytes = request(port, session);
      const answer = await connection.ask(bytes);
      connection.close();
      if (answer.status !== status || !String(answer.body).includes(body))
        throw new Error(`The wrong answer to "${title}": ${answer.head}\n${String(answer.body)}`);
      return bytes;
    }),
  );
}

/**
 * @param {Row} row
 * @param {import('../start-server.mjs').RunningServer} server
 * @param {readonly Buffer[]} requests
 * @param {number} ms
 * @returns {Promise<number>} the server's processor time per request in microseconds
 */
async function sample(row, server, requests, ms) {
  const before = await server.read('cpu');
  const { answers } = await load(server.port, requests, ms, row);
  return ((await server.read('cpu')) - before) / answers;
}
