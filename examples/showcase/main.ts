/**
 * A short tour of the showcase with books in memory and a fixed clock. The program itself is start.ts. Exits with an
 * error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveHttp } from 'toolfold/node';
import { forms } from './choices.js';
import { openDatabase } from './database/open.js';
import { createFinance } from './finance.js';
import { seedBooks } from './seed/seed.js';
import { createServer } from './server.js';

const now = new Date('2026-03-15T23:30:00Z');
const db = await openDatabase({ onError: console.error });
await seedBooks(db, { now, timeZone: 'Europe/Berlin' });
const finance = createFinance(db, () => now);

for (const form of forms) {
  const { registry, http } = createServer(finance, { form });
  const running = await serveHttp(registry, { ...http, port: 0 });
  const client = new Client({ name: 'story', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  const { tools } = await client.listTools();
  console.log(`${form}: ${tools.length} tools, such as ${tools[1]?.name}`);
  await client.close();
  await running.close();
}

const { registry, http } = createServer(finance);
const running = await serveHttp(registry, { ...http, port: 0 });
const client = new Client({ name: 'story', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));

async function call(name: string, action: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { action, ...args } });
  const [first] = content as { text?: string }[];
  return first?.text ?? '';
}

// In Berlin it is half past midnight, so the date differs.
console.log(await call('finance', 'set_time_zone', { time_zone: 'Europe/Berlin' }));
const order = { from_account: 'Checking', to_account: 'Savings', amount: '125.50', request_id: 'march' };
const transfer = await call('transfers', 'make', order);
console.log(transfer);
assert.equal(await call('transfers', 'make', order), transfer);
console.log(await call('accounts', 'list'));
console.log(await call('accounts', 'get', { account: 'Chequing' }));
console.log(await call('rules', 'apply'));
console.log(await call('reports', 'spending', { month: '2026-02', by: 'section' }));
const check = await call('reports', 'check', { all_budgets: true });
console.log(check);
assert.equal(check, '{"budgets":["Household","Studio"],"is_balanced":true,"problems":[]}');

await client.close();
await running.close();
await db.close();
