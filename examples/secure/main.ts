/**
 * A server with keys, scopes, tenants, limits, an output budget and a log, and clients that attempt forbidden calls.
 * Exits with an error if an assertion fails.
 */
// #region registry
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import * as z from 'zod';

const lines: string[] = [];
const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);

/** A fake database query. */
const payslipsOf = (company: string): readonly object[] =>
  Array.from({ length: 20 }, (_, at) => ({ id: `p${at}`, company, cents: 300_000 + at }));

const registry = new ToolRegistry({
  name: 'payroll',
  version: '1.0.0',
  rateLimiter: { calls: 4, windowMs: 60_000 },
  concurrency: { max: 50, queue: 100 },
  outputBudget: { bytes: 300 },
  logger: { debug: write, info: write, warn: write, error: write },
});
registry.register(
  {
    name: 'list_payslips',
    description: 'Lists payslips of the company',
    readOnly: true,
    scopes: ['payslips:read'],
    inputSchema: z.object({ month: z.string().optional() }),
    cached: { ttlMs: 60_000, tags: ['payslips'] },
    handler: ({ context }) => payslipsOf(String(context.caller.auth?.extra?.['org_id'])),
  },
  {
    name: 'correct_payslip',
    description: 'Corrects a payslip',
    destructive: true,
    scopes: ['payslips:write'],
    inputSchema: z.object({ id: z.string(), cents: z.int(), request_id: z.string() }),
    idempotency: { field: 'request_id' },
    invalidates: ['payslips'],
    timeoutMs: 5_000,
    handler: ({ input, context }) => {
      if (input.id === 'p0') throw new Error(`The bank refused the key ${context.accessToken}`);
      return `${input.id} is now ${input.cents}, by ${context.caller.auth?.clientId}`;
    },
  },
);
// #endregion registry

// #region serve
const [keyOfAda, keyOfBob, keyOfEve] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
const running = await serveHttp(registry, {
  port: 0,
  auth: apiKeys({
    keys: [
      {
        key: keyOfAda,
        clientId: 'ada',
        scopes: ['payslips:read', 'payslips:write'],
        extra: { org_id: 'acme' },
      },
      { key: keyOfBob, clientId: 'bob', scopes: ['payslips:read'], extra: { org_id: 'acme' } },
      { key: keyOfEve, clientId: 'eve', scopes: ['payslips:read'], extra: { org_id: 'evil' } },
    ],
  }),
});
// #endregion serve

// #region doors
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';

async function knock(what: string, headers: Record<string, string>, body = '{}'): Promise<number> {
  const answer = await fetch(running.url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  await answer.text();
  console.log(`${what}: ${answer.status}`);
  return answer.status;
}
assert.equal((running.server.address() as AddressInfo).address, '127.0.0.1');
const adas = { 'x-api-key': keyOfAda };
assert.equal(await knock('no key', {}), 401);
assert.equal(await knock('a key that nobody has', { 'x-api-key': 'x'.repeat(40) }), 401);
assert.equal(await knock('a web page elsewhere', { ...adas, origin: 'https://evil.example' }), 403);
assert.equal(await knock('two megabytes', adas, 'x'.repeat(2_000_000)), 413);
assert.equal(await knock('brackets, nested a thousand times', adas, '['.repeat(1_000)), 400);
// #endregion doors

// #region scopes
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { 'x-api-key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[]).map(({ text }) => text).join('\n');
}

const [ada, bob, eve] = await Promise.all([keyOfAda, keyOfBob, keyOfEve].map(connect));
assert(ada && bob && eve);
const correction = { id: 'p1', cents: 310_000, request_id: 'r1' };
console.log(await call(bob, 'correct_payslip', correction));
console.log(await call(ada, 'correct_payslip', correction));
// #endregion scopes

// #region tenants
const listed = await call(ada, 'list_payslips');
console.log(listed);
assert.match(listed, /"company":"acme"/);
const listedByEve = await call(eve, 'list_payslips');
assert.match(listedByEve, /"company":"evil"/);
// #endregion tenants
assert.doesNotMatch(listedByEve, /acme/);

// #region redaction
console.log(await call(ada, 'correct_payslip', { id: 'p0', cents: 1, request_id: 'r2' }));
console.log(
  lines.some((line) => line.includes('refused')),
  lines.some((line) => line.includes(keyOfAda)),
);
// #endregion redaction
assert(lines.some((line) => line.includes('refused')) && !lines.some((line) => line.includes(keyOfAda)));

// #region limits
for (let attempt = 1; attempt <= 3; attempt++) await call(bob, 'list_payslips');
console.log((await call(bob, 'list_payslips')).slice(0, 20));
const late = await call(bob, 'list_payslips');
console.log(late.split('.')[0]);
assert.match(late, /Try again in \d+ s/);
console.log((await call(ada, 'list_payslips')).slice(0, 20));

await Promise.all([ada, bob, eve].map((client) => client.close()));
await running.close();
// #endregion limits
