/**
 * `npm run build && node bench/page-credentials.mjs`: how long concurrent calls with hundreds of credentials block a server, without
 * the page and while a page reads its live calls. Removing the credentials of such calls is the longest work of the section Live.
 */
import { fork } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { watchBlocking } from './blocking.mjs';

const CALLS = 15;
const ROWS = 400;
const ROUNDS = 3;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) {
  console.log(`Measures how long ${CALLS} concurrent calls with ${ROWS} credentials each block a server, with and without the page.

  node bench/page-credentials.mjs

"blocked" is the longest time for which the event loop of the server worked on one thing, the median of ${ROUNDS} rounds.`);
  process.exit();
}
if (process.send) await serve();
else await measure();

/** The server. Reports the longest block of the event loop since the last message. */
async function serve() {
  const [{ ToolRegistry }, { serveHttp }, { devtools }] = await Promise.all([
    import('../packages/toolfold/dist/index.js'),
    import('../packages/toolfold/dist/node.js'),
    import('../packages/devtools/dist/index.js'),
  ]);
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  for (const name of ['succeed', 'fail'])
    registry.register({
      name,
      description: 'Takes rows.',
      inputSchema: { type: 'object', additionalProperties: true },
      handler: ({ input }) => {
        if (name === 'fail') throw new Error(`There is no table ${input.table}.`);
        return `${input.rows.length} rows`;
      },
    });
  const server = await serveHttp(registry, {
    port: 0,
    requestLimit: false,
    onError: () => {},
    closeOnSignals: false,
  });
  let page;
  const longestBlock = watchBlocking();
  process.on('message', async (message) => {
    if (message === 'page') page = await devtools(registry, { port: 0, enabled: true });
    process.send({ url: server.url, page: page?.url, blocked: longestBlock() });
  });
  process.send('ready');
}

async function measure() {
  console.log(`${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`);
  const size = Buffer.byteLength(JSON.stringify(rowsOf(0)));
  console.log(`${CALLS} concurrent calls with ${Math.round(size / 1_000)} kB and ${ROWS} credentials each`);
  for (const tool of ['succeed', 'fail', 'unknown']) {
    const [without, open] = [await run(tool, false), await run(tool, true)];
    console.log(
      `${tool.padEnd(8)} blocked ${without.toFixed(0)} ms without the page, ${open.toFixed(0)} ms with it`,
    );
  }
}

async function run(tool, hasPage) {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  await answer();
  const ask = (message) => {
    const answered = answer();
    child.send(message);
    return answered;
  };
  const { url, page } = await ask(hasPage ? 'page' : 'state');
  const reading = new AbortController();
  if (page) {
    const { origin, hash } = new URL(page);
    const headers = { 'x-toolfold-token': hash.replace('#token=', '') };
    const events = await fetch(`${origin}/api/events`, { headers, signal: reading.signal });
    events.body.pipeTo(new WritableStream()).catch(() => {});
  }
  const rounds = [];
  // The first round warms up the process.
  for (let round = 0; round <= ROUNDS; round++) {
    const bodies = Array.from({ length: CALLS }, (_, at) => rowsOf(round * CALLS + at));
    await ask('state');
    await Promise.all(bodies.map((table) => call(url, tool, table)));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const { blocked } = await ask('state');
    if (round > 0) rounds.push(blocked);
  }
  reading.abort();
  child.kill();
  return rounds.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)];
}

function rowsOf(table) {
  const rows = Array.from({ length: ROWS }, (_, id) => ({
    id,
    token: `secret-${table}-${id}-`.padEnd(80, String(id)),
    text: 'some text of a row '.repeat(105),
  }));
  return { table, rows };
}

async function call(url, name, given) {
  const prefix = 'io.modelcontextprotocol/';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: given,
        _meta: {
          [`${prefix}protocolVersion`]: '2026-07-28',
          [`${prefix}clientCapabilities`]: {},
          [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
        },
      },
    }),
  });
  if (!(await response.text()).includes('jsonrpc'))
    throw new Error(`The server answered ${response.status}.`);
}
