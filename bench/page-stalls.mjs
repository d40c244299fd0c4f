/**
 * `npm run build && node bench/page-stalls.mjs`: how long the page's server takes to analyse a server with 10,000 tools, and how long
 * it blocks the process in which that server runs.
 */
import { fork } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { watchBlocking } from './blocking.mjs';

const WANTED_MS = 50;

const { values } = parseArgs({
  options: {
    tools: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(`Measures how long requests of the page block the process of the server that it shows.

  node bench/page-stalls.mjs [options]

  --tools <n>    number of tools; 10,000 by default
  --only <text>  only requests whose path contains this text
  --profile      write a CPU profile of each process to the current folder
  --help         show this text

"first" is the first request to a new process, "again" the same request after it. "blocked" is the longest time for which the
event loop worked on one thing. Exits with 1 if one is above ${WANTED_MS} ms.`);
  process.exit();
}
const count = Number(values.tools);
if (process.send) await serve();
else await measure();

/** The server with its page. Reports the longest block of the event loop since the last message. */
async function serve() {
  const [{ ToolRegistry }, { devtools }] = await Promise.all([
    import('../packages/toolfold/dist/index.js'),
    import('../packages/devtools/dist/index.js'),
  ]);
  const registry = new ToolRegistry({ name: 'huge', version: '1.0.0' });
  const verbs = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive'];
  const nouns = ['invoice', 'customer', 'order', 'ticket', 'branch', 'build', 'report', 'device'];
  for (let at = 0; at < count; at++) {
    const verb = verbs[at % verbs.length];
    const noun = nouns[Math.floor(at / verbs.length) % nouns.length];
    registry.register({
      name: `${noun}_${verb}_${at}`,
      description: `Performs "${verb}" on the ${noun} of region ${at}. Returns the ${noun} with its fields.`,
      readOnly: ['list', 'get', 'search', 'export'].includes(verb),
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string', description: `The id of the ${noun}` },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Rows to return' },
        },
        required: ['id'],
      },
      handler: ({ input }) => ({ at, input }),
    });
  }
  // Servers list their tools long before a developer opens the page.
  registry.listTools();
  const page = await devtools(registry, { port: 0, enabled: true });
  const longestBlock = watchBlocking();
  process.on('message', () => {
    process.send({ url: page.url, blocked: longestBlock() });
  });
  process.send('ready');
}

async function measure() {
  const json = (value) => ({ method: 'POST', body: JSON.stringify(value) });
  const address = 'order_get_17';
  const requests = [
    ['/api/server'],
    ['/api/tree'],
    ['/api/tree/tokens'],
    ['/api/tree/findings'],
    [`/api/item?address=${address}`],
    ...['grouped', 'flat', 'search', 'code'].flatMap((form) => [
      [`/api/listing?address=${address}&form=${form}&profile=portable`],
      [`/api/listing?address=${address}&form=${form}&profile=gemini`],
    ]),
    ['/api/cost?form=grouped&profile=portable'],
    ['/api/cost?form=flat&profile=openai-strict'],
    ['/api/surfaces'],
    ['/api/view', json({ form: 'flat', readOnly: true })],
    ['/api/search?query=cancel%20the%20order'],
    ['/api/declarations'],
    ['/api/diff'],
    ['/api/others'],
  ].filter(([path]) => path.includes(values.only));
  console.log(`${count} tools, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`);
  console.log('first    blocked    again    blocked    request');
  let isSlow = false;
  for (const [path, init] of requests) {
    const [first, again] = await run(path, init);
    isSlow ||= first.blocked > WANTED_MS || again.blocked > WANTED_MS;
    const cells = [first.took, first.blocked, again.took, again.blocked].map((ms) => `${ms.toFixed(0)} ms`);
    console.log(`${cells.map((cell) => cell.padStart(8)).join(' ')}    ${path}${first.status}`);
  }
  process.exitCode = isSlow ? 1 : 0;
}

async function run(path, init = {}) {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: values.profile ? ['--cpu-prof'] : [],
  });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  await answer();
  const ask = () => {
    const answered = answer();
    child.send('state');
    return answered;
  };
  const send = async () => {
    const { url } = await ask();
    const { origin, hash } = new URL(url);
    const headers = { 'x-toolfold-token': hash.replace('#token=', ''), 'content-type': 'application/json' };
    const start = performance.now();
    const response = await fetch(`${origin}${path}`, { ...init, headers });
    await response.arrayBuffer();
    const took = performance.now() - start;
    const { blocked } = await ask();
    return { took, blocked, status: response.ok ? '' : ` (${response.status})` };
  };
  const measured = [await send(), await send()];
  child.kill('SIGINT');
  return measured;
}
