/**
 * `npm run build && node bench/page-live.mjs`: what the page costs a server that answers 1,000 calls per second. The server runs in
 * its own process: without the page, with the page but no browser, with a client that reads the live calls, and with the section Live
 * in Chromium, whose longest task is measured. Without Chromium, the last one is left out.
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('node bench/page-live.mjs [--rate 1000] [--seconds 10] [--rounds 2]');
  process.exit();
}
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (process.send) await serve();
else await measure();

/** The server: tools that answer at once, one in ten calls with an error, and the page if it is wanted. */
async function serve() {
  const [{ ToolRegistry }, { serveHttp }, { devtools }, z] = await Promise.all([
    import('../packages/toolfold/dist/index.js'),
    import('../packages/toolfold/dist/node.js'),
    import('../packages/devtools/dist/index.js'),
    import('zod'),
  ]);
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  for (let index = 0; index < 20; index++)
    registry.register({
      name: `tool_${index}`,
      description: 'Answers.',
      inputSchema: z.object({ id: z.number(), text: z.string() }),
      handler: ({ input }) => {
        if (input.id % 10 === 0) throw new Error(`There is no row ${input.id}.`);
        return { id: input.id, text: input.text, rows: [1, 2, 3] };
      },
    });
  const server = await serveHttp(registry, {
    port: 0,
    requestLimit: false,
    onError: () => {},
    closeOnSignals: false,
  });
  let page;
  process.on('message', async (message) => {
    if (message === 'page') page = await devtools(registry, { port: 0, enabled: true });
    const { user, system } = process.cpuUsage();
    process.send({
      url: server.url,
      page: page?.url,
      cpuMs: (user + system) / 1_000,
      rss: process.memoryUsage.rss(),
    });
  });
  process.send('ready');
}

async function measure() {
  const [rate, seconds, rounds] = [values.rate, values.seconds, values.rounds].map(Number);
  const modes = ['no page', 'page closed', 'page open', ...(existsSync(chromium) ? ['browser'] : [])];
  const results = new Map(modes.map((mode) => [mode, []]));
  for (let round = 0; round < rounds; round++)
    for (const mode of modes) results.get(mode).push(await run(mode, rate, seconds));
  const median = (mode, key) => {
    const sorted = results
      .get(mode)
      .map((each) => each[key])
      .toSorted((one, other) => one - other);
    return sorted[Math.floor((sorted.length - 1) / 2)];
  };
  console.log(
    `${rate} calls per second for ${seconds} s, median of ${rounds} rounds, one error in ten calls`,
  );
  for (const mode of modes) {
    const [cpu, p50, p95, sent] = ['cpu', 'p50', 'p95', 'rate'].map((key) => median(mode, key));
    const ratio = (key) => (median(mode, key) / median('no page', key)).toFixed(2);
    console.log(
      `${mode.padEnd(12)} ${(cpu * 100).toFixed(1)} % of a core (× ${ratio('cpu')})   ` +
        `p50 ${p50.toFixed(2)} ms (× ${ratio('p50')})   p95 ${p95.toFixed(2)} ms (× ${ratio('p95')})   ` +
        `${sent.toFixed(0)} calls/s` +
        (mode === 'page open'
          ? `   events ${median(mode, 'events')}, rows ${median(mode, 'rows')}, seen ${median(mode, 'seen')}`
          : '') +
        (mode === 'browser'
          ? `   longest task of the tab ${median(mode, 'longest').toFixed(0)} ms, ${median(mode, 'long')} above 50 ms`
          : ''),
    );
  }
}

async function run(mode, rate, seconds) {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  await answer();
  const ask = (message) => {
    const answered = answer();
    child.send(message);
    return answered;
  };
  const { url, page } = await ask(mode === 'no page' ? 'state' : 'page');
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const received = mode === 'page open' ? connect(page) : undefined;
  const tab = mode === 'browser' ? await openTab(page) : undefined;
  await send({ url, agent, rate, seconds: 2 });
  await tab?.watch();
  const counted = { ...received?.counts };
  const before = await ask('state');
  const start = performance.now();
  const latencies = await send({ url, agent, rate, seconds });
  const took = performance.now() - start;
  const after = await ask('state');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const tasks = (await tab?.close()) ?? [];
  received?.close();
  agent.destroy();
  child.kill();
  latencies.sort((one, other) => one - other);
  const at = (share) => latencies[Math.floor(share * (latencies.length - 1))];
  return {
    cpu: (after.cpuMs - before.cpuMs) / took,
    p50: at(0.5),
    p95: at(0.95),
    rate: (latencies.length / took) * 1_000,
    events: (received?.counts.events ?? 0) - (counted.events ?? 0),
    rows: (received?.counts.rows ?? 0) - (counted.rows ?? 0),
    seen: (received?.counts.seen ?? 0) - (counted.seen ?? 0),
    longest: Math.max(0, ...tasks),
    long: tasks.length,
  };
}

/** Opens the section Live in Chromium, and collects the durations of tasks that block the tab for more than 50 ms. */
async function openTab(address) {
  const { chromium: launcher } = await import('playwright-core');
  const browser = await launcher.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const tab = await browser.newPage();
  await tab.goto(address);
  await tab.locator('h1').waitFor({ state: 'attached' });
  await tab.goto(`${new URL(address).origin}/#/live`);
  await tab.locator('.live-totals').waitFor();
  return {
    watch: () =>
      tab.evaluate(() => {
        globalThis.longTasks = [];
        new PerformanceObserver((list) =>
          globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
        ).observe({ type: 'longtask' });
      }),
    close: async () => {
      const tasks = await tab.evaluate(() => globalThis.longTasks);
      await browser.close();
      return tasks;
    },
  };
}

/** Reads the live calls as the page does. */
function connect(address) {
  const { origin, hash } = new URL(address);
  const counts = { events: 0, rows: 0, seen: 0 };
  const headers = { 'x-toolfold-token': hash.replace('#token=', '') };
  const connection = request(`${origin}/api/events`, { headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop();
      for (const block of blocks) {
        if (!block.startsWith('event: calls')) continue;
        const { calls, seen } = JSON.parse(block.split('\ndata: ')[1]);
        counts.events++;
        counts.rows += calls.length;
        counts.seen += seen;
      }
    });
    response.on('error', () => {});
  });
  connection.on('error', () => {});
  connection.end();
  return { counts, close: () => connection.destroy() };
}

/** Sends calls at a steady rate, without waiting for their answers. Returns the times to each answer in milliseconds. */
async function send({ url, agent, rate, seconds }) {
  const total = rate * seconds;
  const start = performance.now();
  const latencies = [];
  const running = [];
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1_000) * rate));
    for (; sent < due; sent++) running.push(call(url, agent, sent).then((ms) => latencies.push(ms)));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return latencies;
}

function call(url, agent, id) {
  const prefix = 'io.modelcontextprotocol/';
  const name = `tool_${id % 20}`;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name,
      arguments: { id, text: 'some text of a usual length for an argument' },
      _meta: {
        [`${prefix}protocolVersion`]: '2026-07-28',
        [`${prefix}clientCapabilities`]: {},
        [`${prefix}clientInfo`]: { name: 'bench', version: '1' },
      },
    },
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - start));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
