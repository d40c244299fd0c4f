/** The showcase with its page, an older lockfile, and the calls of a few clients. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { devtools } from '@toolfold/devtools';
import { serveHttp } from 'toolfold/node';
import { createServer } from '../../examples/showcase/server.js';
import { openTestBooks } from '../../examples/showcase/test-server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface ShownPage {
  readonly url: string;
  /** Makes calls as two clients, some of which fail. */
  readonly makeCalls: (rounds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function showShowcase(): Promise<ShownPage> {
  const books = await openTestBooks();
  const { registry, http } = createServer(books.finance);
  const { view, toolsets } = http;
  const running = await serveHttp(registry, { ...http, port: 0, onError: () => {} });
  const page = await devtools(registry, { view, toolsets, port: 0, lockfile: writeOlderLockfile() });
  const { url = '' } = page;
  const clients = await Promise.all([
    connect(running.url, 'claude-code', 'auto'),
    connect(running.url, 'cursor', 'legacy'),
  ]);
  const asker = await connect(new URL('/mcp/search/server', url).href, 'claude-code', 'auto', {
    'x-toolfold-token': new URL(url).hash.slice('#token='.length),
  });
  return {
    url,
    makeCalls: async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        const client = clients[round % clients.length] as Client;
        const [name, args] =
          round % FAILING === 0 ? failing : (calls[round % calls.length] as (typeof calls)[number]);
        await client.callTool({ name, arguments: args });
        const question = questions[(round / 4) % questions.length];
        if (question !== undefined)
          await asker.callTool({ name: 'search_tools', arguments: { query: question } });
      }
    },
    close: async () => {
      await Promise.all([...clients, asker].map((client) => client.close()));
      await page.close();
      await running.close();
      await books.close();
    },
  };
}

const calls: readonly (readonly [string, Record<string, unknown>])[] = [
  ['finance', { action: 'overview' }],
  ['accounts', { action: 'list' }],
  ['transactions', { action: 'list', limit: 20 }],
  ['reports', { action: 'spending', month: '2026-02' }],
  ['categories', { action: 'plan.month', month: '2026-03' }],
  ['budgets', { action: 'list' }],
  ['reports', { action: 'net_worth' }],
  ['rules', { action: 'list' }],
  ['payees', { action: 'totals' }],
  ['transfers', { action: 'make', from_account: 'Checking', amount: '20.00' }],
  ['goals', { action: 'list' }],
  ['market', { action: 'quotes.symbols' }],
];

/** One call in this number fails. */
const FAILING = 15;
const failing = ['accounts', { action: 'get', account: 'Chequing' }] as const;

const questions = [
  'how much did I spend on groceries last month',
  'move money to savings',
  'book a flight to Lisbon',
  'which subscriptions do I pay',
];

async function connect(
  url: string,
  name: string,
  mode: 'auto' | 'legacy',
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name, version: '2.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

interface Locked {
  readonly name: string;
  description?: string;
  actions?: Locked[];
  inputSchema?: { properties?: Record<string, unknown>; required?: string[] };
}

/** Writes the lockfile of a version before some changes, so that the page has something to compare. */
function writeOlderLockfile(): string {
  const folder = join(root, 'node_modules/.cache/pictures');
  const file = join(folder, 'toolfold.lock.json');
  mkdirSync(folder, { recursive: true });
  const command = [
    'packages/cli/dist/main.js',
    'lock',
    'scripts/pictures/showcase-registry.ts',
    '--output',
    file,
  ];
  execFileSync(process.execPath, command, { cwd: root, stdio: 'ignore' });
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { tools: Locked[] };
  const actionsOf = (tool: string): Locked[] => lock.tools.find(({ name }) => name === tool)?.actions ?? [];
  const [reports, transfers, accounts] = ['reports', 'transfers', 'accounts'].map(actionsOf);
  for (const action of reports ?? [])
    if (action.name === 'spending') action.description = 'Sums up spending.';
  for (const action of transfers ?? [])
    if (action.name === 'make') action.inputSchema = { ...action.inputSchema, required: ['amount'] };
  const older = (accounts ?? []).find(({ name }) => name === 'reconcile');
  accounts?.push({ ...structuredClone(older as Locked), name: 'balance', description: 'Shows the balance.' });
  reports?.splice(0, 1);
  writeFileSync(file, JSON.stringify(lock));
  // The page shows the path.
  process.chdir(folder);
  return 'toolfold.lock.json';
}
