/**
 * Requests of 2026-07-28 over loopback HTTP, 16 connections, medians of interleaved rounds: Toolfold, the SDK's own
 * handler, and the floor of `node:http`. Ends with 1 when a target is missed. `--quick` takes less time.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import os from 'node:os';
import { median } from './measure.mjs';
import { format, target } from './report.mjs';

const CONNECTIONS = 16;
const isQuick = process.argv.includes('--quick');
const [warmMs, sampleMs, rounds] = isQuick ? [1_500, 500, 3] : [4_000, 1_500, 7];

/**
 * @param {string} kind
 * @param {number} count
 */
async function start(kind, count) {
  const child = spawn(
    process.execPath,
    [new URL('http-server.mjs', import.meta.url).pathname, kind, String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(Number(String(line))));
    child.once('exit', () => reject(new Error(`${kind} did not start`)));
  });
  return { child, port: /** @type {number} */ (port) };
}

/**
 * @param {'tools/call' | 'tools/list'} method
 * @param {number} port
 */
function createRequest(method, port) {
  const params = method === 'tools/call' ? { name: 'tool_0', arguments: { text: 'ab', times: 3 } } : {};
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const headers = [
    `POST /mcp HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'mcp-protocol-version: 2026-07-28',
    `mcp-method: ${method}`,
    ...(method === 'tools/call' ? ['mcp-name: tool_0'] : []),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Requests in a second, each connection sending the next when it has the whole answer.
 *
 * @param {number} port
 * @param {string} request
 * @param {number} ms
 */
async function load(port, request, ms) {
  let done = 0;
  const end = performance.now() + ms;
  await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      () =>
        new Promise((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(request));
          let missing = -1;
          /** @type {Buffer} */
          let head = Buffer.alloc(0);
          socket.on('error', reject);
          socket.on('data', (chunk) => {
            let rest = chunk;
            if (missing < 0) {
              head = Buffer.concat([head, chunk]);
              const at = head.indexOf('\r\n\r\n');
              if (at < 0) return;
              const text = head.subarray(0, at).toString('latin1');
              const length = /content-length: (\d+)/i.exec(text)?.[1];
              if (!text.startsWith('HTTP/1.1 200') || length === undefined) {
                reject(new Error(`Not an answer: ${text}`));
                return;
              }
              missing = Number(length);
              rest = head.subarray(at + 4);
              head = Buffer.alloc(0);
            }
            missing -= rest.length;
            if (missing > 0) return;
            missing = -1;
            done++;
            if (performance.now() < end) socket.write(request);
            else {
              socket.destroy();
              resolve(undefined);
            }
          });
        }),
    ),
  );
  return (done / ms) * 1_000;
}

/**
 * @param {'tools/call' | 'tools/list'} method
 * @param {number} count
 * @param {string[]} kinds
 * @returns {Promise<Record<string, number>>}
 */
async function compare(method, count, kinds) {
  const servers = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await start(kind, count)) })));
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(kinds.map((kind) => [kind, []]));
  try {
    for (const { port } of servers) await load(port, createRequest(method, port), warmMs);
    for (let round = 0; round < rounds; round++) {
      for (const { kind, port } of servers)
        samples[kind]?.push(await load(port, createRequest(method, port), sampleMs));
    }
  } finally {
    for (const { child } of servers) child.kill();
  }
  return Object.fromEntries(Object.entries(samples).map(([kind, each]) => [kind, median(each)]));
}

const [cpu] = os.cpus();
console.log(
  `Node ${process.version}, ${os.cpus().length} × ${cpu?.model}, load ${os
    .loadavg()
    .map((n) => n.toFixed(1))
    .join(' ')}`,
);
const one = await compare('tools/call', 1, ['toolfold', 'sdk', 'floor']);
const many = await compare('tools/call', 1_000, ['toolfold', 'sdk']);
const list = await compare('tools/list', 1_000, ['toolfold', 'sdk']);
const per = (/** @type {Record<string, number>} */ rates, /** @type {string} */ kind) => rates[kind] ?? 0;
const lines = [
  target('tools/call, 1 tool / SDK', per(one, 'toolfold') / per(one, 'sdk'), '>=', 5),
  target('tools/call, 1 tool / floor', per(one, 'toolfold') / per(one, 'floor'), '>=', 0.7),
  target('tools/call, 1,000 tools / SDK', per(many, 'toolfold') / per(many, 'sdk'), '>=', 45),
  target('tools/list, 1,000 tools / SDK', per(list, 'toolfold') / per(list, 'sdk'), '>=', 100),
];
for (const line of lines) console.log(format(line));
console.log('  requests in a second', { one, many, list });
if (lines.some((line) => !line.ok)) process.exitCode = 1;
