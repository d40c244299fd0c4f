// The cost of sharing state in Redis: time per call compared with guards in memory, Redis commands, and Redis memory.
import { cpus, loadavg } from 'node:os';
import { Redis } from 'ioredis';
import { ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { redis } from '@toolfold/redis';
import * as z from 'zod';
import { startRedis } from '../test/stores/redis-server.ts';

const CALLS = 5_000;
const WARM = 1_000;
const AT_ONCE = 16;
const KEPT = 20_000;

/** Counts commands and round trips. Commands that are sent together share one round trip. */
const sent = { commands: 0, trips: 0, pending: 0 };
const { sendCommand } = Redis.prototype;
Redis.prototype.sendCommand = function count(command, stream) {
  sent.commands++;
  if (sent.pending++ === 0) sent.trips++;
  const answered = () => void sent.pending--;
  command.promise.then(answered, answered);
  return sendCommand.call(this, command, stream);
};

const server = await startRedis(['--appendonly', 'yes']);
if (!server) throw new Error('There is no redis-server on the PATH, and no REDIS_URL.');
const control = new Redis(server.url);

/** @param {string} prefix */
const connectTo = (prefix) =>
  redis({ url: server.url, prefix, secret: 'thirty-two bytes, or a few more of them' });

/** @param {import('toolfold').Shared | undefined} state */
const createRegistry = (state) =>
  new ToolRegistry({
    name: 'bench',
    ...(state ? { shared: state } : {}),
    rateLimiter: { calls: 1_000_000_000, windowMs: 60_000 },
  }).register(
    { name: 'plain', description: 'Answers', inputSchema: z.object({}), handler: () => 'done' },
    {
      name: 'cached',
      description: 'Answers with what is kept',
      inputSchema: z.object({}),
      readOnly: true,
      cached: { ttlMs: 60_000, tags: ['a'] },
      handler: () => 'done',
    },
    {
      name: 'keyed',
      description: 'Answers once for each key',
      inputSchema: z.object({ key: z.string() }),
      idempotency: { field: 'key' },
      handler: () => 'done',
    },
  );

let keys = 0;
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** @param {ToolRegistry} registry */
async function openSession(registry) {
  const handler = createHandler(registry, { requestLimit: { requests: 1_000_000_000, windowMs: 60_000 } });
  /** @param {object} body @param {Record<string, string>} [more] */
  const post = (body, more = {}) =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      }),
    );
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'b', version: '1' } };
  const opened = await post({ method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  return {
    /** @param {string} name */
    call: async (name) => {
      const asked = { name, arguments: name === 'keyed' ? { key: `k${++keys}` } : {} };
      const answer = await post({ method: 'tools/call', params: asked }, session);
      if (!(await answer.text()).includes('done')) throw new Error('not answered');
    },
    close: () => handler.close(),
  };
}

/** @param {ToolRegistry} registry @param {string} name */
const caller = (registry, name) => async () => {
  const args = name === 'keyed' ? { key: `k${++keys}` } : {};
  const { isError } = await registry.executeTool({ name, arguments: args, caller: { auth: { token: 't' } } });
  if (isError) throw new Error('not answered');
};

const memory = async () => Number(/used_memory:(\d+)/.exec(await control.info('memory'))?.[1] ?? NaN);

/** @param {() => Promise<void>} call @param {number} atOnce */
async function measure(call, atOnce) {
  /** @type {number[]} */
  const times = [];
  const run = async (/** @type {number} */ count, /** @type {boolean} */ isCounted) => {
    let left = count;
    const work = async () => {
      while (left-- > 0) {
        const began = performance.now();
        await call();
        if (isCounted) times.push(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  };
  await run(WARM, false);
  const before = { ...sent };
  const began = performance.now();
  await run(CALLS, true);
  const ms = performance.now() - began;
  const sorted = times.toSorted((left, right) => left - right);
  return {
    perCall: (ms / CALLS) * 1_000,
    p50: (sorted[Math.floor(CALLS * 0.5)] ?? NaN) * 1_000,
    p99: (sorted[Math.floor(CALLS * 0.99)] ?? NaN) * 1_000,
    commands: (sent.commands - before.commands) / CALLS,
    trips: (sent.trips - before.trips) / CALLS,
  };
}

console.log(
  JSON.stringify({
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
    redis: /redis_version:(\S+)/.exec(await control.info('server'))?.[1],
  }),
);
let rows = 0;
for (const name of ['plain', 'cached', 'keyed', 'plain in a session', 'keyed in a session']) {
  for (const atOnce of [1, AT_ONCE]) {
    for (const where of ['memory', 'redis']) {
      // A caller may use 10,000 keys, so every row has its own records, in memory or under its own prefix.
      const shared = where === 'redis' ? connectTo(`row-${++rows}`) : undefined;
      const registry = createRegistry(shared);
      const [tool = '', isInSession] = name.split(' ');
      const session = isInSession ? await openSession(registry) : undefined;
      const call = session ? () => session.call(tool) : caller(registry, tool);
      const { perCall, p50, p99, commands, trips } = await measure(call, atOnce);
      await session?.close();
      await shared?.close();
      const figures = `${perCall.toFixed(1)} µs a call, p50 ${p50.toFixed(0)} µs, p99 ${p99.toFixed(0)} µs`;
      const asked = `${commands.toFixed(2)} commands in ${trips.toFixed(2)} round trips`;
      console.log(`${name}, ${atOnce} at once, ${where}: ${figures}${where === 'redis' ? `, ${asked}` : ''}`);
    }
  }
}
const shared = connectTo('bench');
const parts = {
  'a session': (/** @type {number} */ index) =>
    shared.sessions.create({
      id: `session-${index}-of-thirty-two-characters`,
      owner: `a digest of 43 characters, as they are ${index}`,
      caller: `caller-${index}`,
      protocolVersion: '2025-11-25',
      client: { name: 'a-client-with-a-name', version: '1.0.0' },
      capabilities: { elicitation: { form: {} }, roots: { listChanged: true }, sampling: {} },
    }),
  'a record of a call with a key': (/** @type {number} */ index) =>
    shared.records.set(
      `record ${index}`,
      JSON.stringify({ state: 'done', fingerprint: 'x'.repeat(43), result: JSON.stringify('x'.repeat(100)) }),
      86_400_000,
    ),
};
for (const [name, create] of Object.entries(parts)) {
  const before = await memory();
  for (let index = 0; index < KEPT; index += 100)
    await Promise.all(Array.from({ length: 100 }, (_, each) => create(index + each)));
  console.log(`${name}: ${Math.round(((await memory()) - before) / KEPT)} bytes of Redis`);
}
await shared.close();
control.disconnect();
await server.stop();
