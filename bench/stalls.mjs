// Measures how long one request of legal size can block the event loop of a server.
import { fork } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './stalls/cases.mjs';

const WANTED_MS = 100;
const MAX_BODY = 1024 * 1024;

const { values } = parseArgs({
  options: {
    case: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`Measures how long one request of at most 1 MiB can block the event loop of a server.

  node bench/stalls.mjs [options]

  --case <text>  only cases whose title contains this text; may be repeated
  --quick        start one server for each case instead of three
  --json         print the results as JSON
  --help         show this text

Each case runs on its own servers. "first" is the first request to a new process, "later" the four after it; both are
medians. Exits with 1 if one of them is above ${WANTED_MS} ms.`);
  process.exit();
}

const script = fileURLToPath(new URL('stalls/server-process.mjs', import.meta.url));

/** @param {import('./stalls/cases.mjs').StallCase} stall */
function toRequest(stall) {
  const asked = stall.request();
  /** @type {Record<string, string>} */
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
  };
  if (typeof asked === 'string') {
    const [, name] = /"params":\{"name":"([^"]+)"/.exec(asked) ?? [];
    return { headers: { ...headers, 'mcp-method': 'tools/call', 'mcp-name': name ?? '' }, body: asked };
  }
  const { method, params = {}, body } = asked;
  if (body !== undefined) return { headers: { ...headers, ...asked.headers }, body };
  if (stall.session !== undefined)
    return {
      headers: { ...headers, ...asked.headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    };
  const name = params['name'] ?? params['uri'];
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...params['_meta'],
  };
  return {
    headers: {
      ...headers,
      'mcp-method': String(method),
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...asked.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

/**
 * Opens a session.
 *
 * @param {string} url
 * @param {string} protocolVersion
 * @returns {Promise<Record<string, string>>} the headers for requests in the session
 */
async function beginSession(url, protocolVersion) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  const session = {
    'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': protocolVersion,
  };
  const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await fetch(url, { method: 'POST', headers: { ...headers, ...session }, body: initialized });
  return session;
}

/**
 * The longest stalls of five requests to a new server.
 *
 * @param {import('./stalls/cases.mjs').StallCase} stall
 */
async function measure(stall) {
  const { headers, body } = toRequest(stall);
  if (Buffer.byteLength(body) > MAX_BODY) throw new Error(`"${stall.title}" has a body above 1 MiB.`);
  const child = fork(script, [stall.title], { env: { ...process.env, NODE_ENV: 'production' } });
  const ended = new Promise((_, reject) => {
    child.once('exit', () => reject(new Error(`The server of "${stall.title}" ended.`)));
  });
  ended.catch(() => undefined);
  const hear = () =>
    Promise.race([ended, new Promise((resolve) => child.once('message', resolve))]).then(
      (message) => /** @type {any} */ (message),
    );
  const read = async () => {
    const heard = hear();
    child.send('read');
    return /** @type {number} */ ((await heard).longest);
  };
  try {
    const { port } = await hear();
    const url = `http://127.0.0.1:${port}/mcp`;
    if (stall.session !== undefined) Object.assign(headers, await beginSession(url, stall.session));
    const samples = [];
    for (let sent = 0; sent < 5; sent++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await read();
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      if (!stall.answer.test(text))
        throw new Error(`"${stall.title}" was answered with ${response.status}: ${text.slice(0, 500)}`);
      samples.push(await read());
    }
    return samples;
  } finally {
    child.kill('SIGKILL');
  }
}

/** @param {readonly number[]} samples */
const median = (samples) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;

if (!values.json)
  console.log(
    `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}\n\n| request | first, ms | later, ms | |\n|---|---|---|---|`,
  );
const results = [];
for (const stall of cases) {
  if (values.case.length > 0 && !values.case.some((text) => stall.title.includes(text))) continue;
  const runs = [];
  for (let run = 0; run < (values.quick ? 1 : 3); run++) runs.push(await measure(stall));
  const first = median(runs.map(([sample = 0]) => sample));
  const later = median(runs.flatMap((samples) => samples.slice(1)));
  const ok = Math.max(first, later) <= WANTED_MS;
  results.push({ title: stall.title, first, later, ok });
  if (!values.json)
    console.log(`| ${stall.title} | ${first.toFixed(0)} | ${later.toFixed(0)} | ${ok ? 'met' : 'MISSED'} |`);
}
const missed = results.filter(({ ok }) => !ok).length;
if (values.json) console.log(JSON.stringify({ wantedMs: WANTED_MS, results, missed }, undefined, 2));
else console.log(missed === 0 ? `\nEvery request stays within ${WANTED_MS} ms.` : `\n${missed} missed.`);
process.exitCode = missed === 0 ? 0 : 1;
