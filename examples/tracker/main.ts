/**
 * Serves the tracker, and calls it as two people with different scopes: a 2026 client and a 2025 client. Exits with an error
 * if an assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { ADMIN, WRITE } from './app.js';
import { createTracker } from './server.js';
import { Store } from './store.js';

const store = new Store(() => Date.UTC(2026, 10, 16));
store.addProject('WEB', 'Website', 'ada');
const [ada, bob] = [
  { key: crypto.randomUUID(), clientId: 'ada', scopes: [WRITE, ADMIN] },
  { key: crypto.randomUUID(), clientId: 'bob', scopes: [] },
];
const running = await serveHttp(createTracker({ store }), {
  port: 0,
  auth: apiKeys({ keys: [ada, bob] }),
  scopes: 'hide',
});

async function connect(key: string, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    console.log(`asked: ${params.message}`);
    return { action: 'accept', content: { confirm: true } };
  });
  const requestInit = { headers: { 'x-api-key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url), { requestInit }));
  return client;
}

/** Each tool with its number of actions. */
async function surfaceOf(client: Client): Promise<string> {
  const { tools } = await client.listTools();
  const sizes = tools.map(({ name, inputSchema }) => {
    const { action } = (inputSchema.properties ?? {}) as { action?: { enum?: unknown[] } };
    return `${name} ${action?.enum?.length ?? 1}`;
  });
  return sizes.join(', ');
}

const clients = { ada: await connect(ada.key, 'auto'), bob: await connect(bob.key, 'legacy') };
const surfaces = { ada: await surfaceOf(clients.ada), bob: await surfaceOf(clients.bob) };
console.log(`ada sees ${surfaces.ada}`);
console.log(`bob sees ${surfaces.bob}`);
assert.equal(
  surfaces.ada,
  'projects 5, issues 8, comments 4, planning 9, members 4, search_issues 1, reports_project 2',
);
assert.equal(
  surfaces.bob,
  'projects 2, issues 2, comments 1, planning 2, members 1, search_issues 1, reports_project 2',
);

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, structuredContent } = await client.callTool({
    name,
    arguments: { project: 'WEB', ...args },
  });
  const [block] = content;
  console.log(name, args['action'], '→', block?.type === 'text' ? block.text : block);
  return structuredContent as Record<string, unknown> | undefined;
}

const create = { action: 'create', title: 'The logo is blurred', request_id: 'r1' };
const created = await call(clients.ada, 'issues', create);
const repeated = await call(clients.ada, 'issues', create);
assert.deepEqual([created?.['id'], repeated], ['WEB-1', created]);
assert.deepEqual(await call(clients.bob, 'reports_project', { action: 'summary' }), {
  open: 1,
  closed: 0,
  high_priority: 0,
});
await call(clients.ada, 'issues', { action: 'delete', issue: 'WEB-1' });
assert.equal(store.project('WEB').issues.size, 0);

await Promise.all([clients.ada.close(), clients.bob.close()]);
await running.close();
