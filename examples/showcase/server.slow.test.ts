import { exec, execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CompletionRequest, GroupedToolBuilder } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGE, WRITE } from './access.js';
import { forms, toolsetKeys } from './choices.js';
import { curlLine } from './clients.js';
import { createServer } from './server.js';
import { openTestBooks, textOf } from './test-server.js';
import type { TestBooks } from './test-server.js';
import { createCatalog } from './toolsets/catalog.js';
import { overviewTool } from './toolsets/overview.js';

let books: TestBooks;
beforeAll(async () => {
  books = await openTestBooks();
}, 60_000);
afterAll(() => books.close());
const connect: TestBooks['connect'] = (...given) => books.connect(...given);

const actions = () =>
  [
    overviewTool(books.finance),
    ...Object.values(createCatalog(books.finance)).flatMap(
      ({ tools }): readonly GroupedToolBuilder[] => tools,
    ),
  ].flatMap((tool) =>
    tool.getActionMetadata().map((action) => ({ ...action, address: `${tool.name}/${action.key}` })),
  );

describe('the toolsets', () => {
  it('are ten, with about sixty actions', () => {
    expect(Object.keys(createCatalog(books.finance))).toEqual(toolsetKeys);
    expect(toolsetKeys).toHaveLength(10);
    expect(actions().length).toBeGreaterThanOrEqual(60);
  });

  it('describe every action, and require scopes for changes', () => {
    for (const { address, description, readOnly, destructive, idempotent, openWorld, scopes } of actions()) {
      expect([address, typeof description, typeof destructive, typeof idempotent]).toEqual([
        address,
        'string',
        'boolean',
        'boolean',
      ]);
      expect([address, openWorld]).toEqual([address, false]);
      expect([address, scopes.includes(WRITE)]).toEqual([address, readOnly !== true]);
      expect([address, scopes.includes(MANAGE)]).toEqual([address, destructive === true]);
    }
  });

  it('have descriptions that no client shortens, and describe every field', async () => {
    for (const form of ['grouped', 'flat'] as const)
      for (const { name, description = '', inputSchema } of await connect({ form }).list()) {
        expect([name, description.length <= 1_024, description.includes('…')]).toEqual([name, true, false]);
        for (const [field, schema] of Object.entries(inputSchema['properties'] ?? {}))
          expect([name, field, JSON.stringify(schema).includes('"description"')]).toEqual([
            name,
            field,
            true,
          ]);
      }
  });

  it.each(['grouped', 'search'] as const)(
    'have no findings of toolfold lint in the form %s',
    async (form) => {
      const folder = await mkdtemp(join(tmpdir(), 'showcase-lint-'));
      const list = join(folder, 'tools.json');
      await writeFile(list, JSON.stringify({ tools: await connect({ form }).list() }));
      const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
      const args = [
        here('../../packages/cli/dist/main.js'),
        'lint',
        list,
        '--profile',
        'standard',
        '--fail-on',
        'note',
      ];
      if (form === 'grouped') args.push('--config', here('toolfold.lint.json'));
      const { stdout } = await promisify(execFile)(process.execPath, args).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toContain('no findings');
      await rm(folder, { recursive: true });
    },
  );

  it('can be selected, and an unknown one is reported', async () => {
    const { list } = connect({ toolsets: ['accounts', 'automation'] });
    expect((await list()).map(({ name }) => name)).toEqual(['finance', 'accounts', 'rules', 'imports']);
    expect(() => connect({ toolsets: ['account'] })).toThrow('Did you mean "accounts"?');
  });

  it('contain no writes in read-only mode, in every form', async () => {
    for (const form of forms) {
      const { list, call } = connect({ form, allow: 'write', isReadOnly: true });
      const tools = await list();
      if (form === 'flat') {
        expect(tools.length).toBeGreaterThan(20);
        for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true);
      }
      const name = {
        grouped: 'transfers',
        flat: 'transfers_make',
        search: 'call_write_tool',
        code: 'run_code',
        dynamic: 'transfers',
      }[form];
      const order = { from_account: 'Checking', to_account: 'Savings', amount: '1' };
      const given = {
        grouped: { action: 'make', ...order },
        flat: order,
        search: { address: 'transfers/make', arguments: order },
        code: { code: `await tools.transfers.make(${JSON.stringify(order)})` },
        dynamic: { action: 'make', ...order },
      };
      expect((await call(name, given[form])).isError).toBe(true);
    }
    expect(await books.db.query('select 1 from transfers where request_id is null')).toEqual([]);
  });
});

describe('callers', () => {
  it('need one scope to write and another one to delete', async () => {
    const reader = connect({}, []);
    const writer = connect({}, [WRITE]);
    const line = { account: 'Cash', amount: '-1', payee: 'Kiosk' };
    expect(await reader.ask('transactions', 'add', line)).toContain('needs the scope finance:write');
    const added = JSON.parse(await writer.ask('transactions', 'add', line)) as { id: number };
    const order = { transaction: added.id };
    expect(await writer.ask('transactions', 'delete', order)).toContain('missing: finance:manage');
    expect(await connect().ask('transactions', 'delete', order)).toContain('"is_deleted":true');
  });

  it('on this machine are one caller, with any number of clients', async () => {
    const { registry, http } = createServer(books.finance, { callsPerMinute: 2 });
    const running = await serveHttp(registry, { ...http, port: 0 });
    const failed = [];
    for (const mode of ['auto', 'legacy', 'legacy'] as const) {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
      const { isError } = await client.callTool({ name: 'budgets', arguments: { action: 'list' } });
      failed.push(isError === true);
      await client.close();
    }
    await running.close();
    expect(failed).toEqual([false, false, true]);
  });

  it('are rate limited', async () => {
    const { call } = connect({ callsPerMinute: 2 });
    const results = [];
    for (let index = 0; index < 3; index++) results.push(await call('budgets', { action: 'list' }));
    expect(results.map(({ isError }) => isError === true)).toEqual([false, false, true]);
  });
});

describe('the default budget', () => {
  it('is used if a call names none, and can be changed', async () => {
    const { ask } = connect();
    expect(await ask('accounts', 'list')).toContain('Checking');
    expect(await ask('accounts', 'list', { budget: 'studio' })).toContain('Tax reserve');
    expect(await ask('accounts', 'list', { budget: '2' })).toContain('Tax reserve');
    expect(await ask('accounts', 'list', { budget: 'nope' })).toContain('There are: Household, Studio.');
    await ask('budgets', 'set_default', { budget: 'Studio' });
    expect(await ask('accounts', 'list')).toContain('Tax reserve');
    await ask('budgets', 'set_default', { budget: 'Household' });
  });
});

describe('answers', () => {
  it('of reports are cached, and are correct after each change', async () => {
    const { ask } = connect();
    const spent = async (): Promise<number> => {
      const report = JSON.parse(await ask('reports', 'spending', { month: '2026-03' })) as { total: string };
      return Math.round(Number(report.total) * 100);
    };
    const before = await spent();
    const queries = await countQueries(() => spent());
    expect(queries).toBeLessThanOrEqual(1);
    await ask('transactions', 'add', { account: 'Cash', amount: '-3.21', payee: 'Kiosk', category: 'Gifts' });
    expect(await spent()).toBe(before + 321);
  });

  it('that are too long are cut, and say so', async () => {
    const { ask, call } = connect();
    await ask('budgets', 'create', { name: 'Long', currency: 'EUR' });
    await books.db.query(
      `insert into categories (budget_id, section, name) select b.id, 'Many', 'A category with a long name, number ' || n
       from budgets b, generate_series(1, 500) n where b.name = 'Long'`,
    );
    const result = await call('categories', { action: 'names.list', budget: 'Long' });
    expect(textOf(result).length).toBeLessThan(20_000);
    expect(textOf(result)).toContain('Cut to fit the output limit');
    expect(result._meta?.['toolfold/cut']).toBeDefined();
    await ask('budgets', 'delete', { budget: 'Long' });
  });

  it('to a repeated transfer equal the first one, also from a new server on the same books', async () => {
    const order = { from_account: 'Checking', to_account: 'Savings', amount: '12.34', request_id: 'twice' };
    const first = await connect().ask('transfers', 'make', order);
    expect(await connect().ask('transfers', 'make', order)).toBe(first);
    expect(await connect().ask('transfers', 'make', { ...order, amount: '5' })).toContain('another transfer');
  });

  it('say that a name is taken', async () => {
    const { ask } = connect();
    const opened = await ask('accounts', 'open', { name: 'checking', kind: 'cash' });
    expect(opened).toContain('There is an account of that name already. Choose another.');
  });

  it('come after progress notifications for a long report', async () => {
    const seen: string[] = [];
    const progress = async (done: number, total?: number, message?: string): Promise<void> =>
      void seen.push(`${done}/${total} ${message}`);
    const result = await connect().call('reports', { action: 'year' }, { progress });
    expect(textOf(result)).toContain('# Household, 2025-04 to 2026-03 (EUR)');
    expect([seen[0], seen.at(-1), seen.length]).toEqual(['1/12 2025-04', '12/12 2026-03', 12]);
  });
});

describe('the line for a terminal', () => {
  it.each(forms)('works in the form %s', async (form) => {
    const { registry, http } = createServer(books.finance, { form });
    const running = await serveHttp(registry, { ...http, port: 0 });
    const child = await runInShell(curlLine(running.url, form));
    await running.close();
    expect(child).toContain('"resultType":"complete"');
    expect(child).toContain('Household');
  });
});

describe('resources and prompts', () => {
  it('show accounts and reports, and complete arguments', async () => {
    const { registry } = connect();
    const { contents } = await registry.readResource({ uri: 'account://1' });
    expect(contents[0]).toMatchObject({
      mimeType: 'application/json',
      text: expect.stringContaining('"Checking"'),
    });
    const report = await registry.readResource({ uri: 'report://Household/2026-02' });
    await books.db.query("insert into budgets (name, currency) values ('100% ours', 'EUR')");
    const uri = `report://${encodeURIComponent('100% ours')}/2026-02`;
    expect((await registry.readResource({ uri })).contents[0]).toMatchObject({
      text: '# 100% ours, 2026-02 (EUR)\n',
    });
    expect(report.contents[0]).toMatchObject({ text: expect.stringContaining('- Rent: 980.00') });
    const prompt = await registry.getPrompt({ name: 'monthly_review', arguments: { month: '2026-02' } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('Review 2026-02') });
    const complete = async (ref: CompletionRequest['ref'], name: string, value: string) =>
      (await registry.complete({ ref, argument: { name, value } })).values;
    const months = await complete({ type: 'ref/prompt', name: 'monthly_review' }, 'month', '2026-');
    expect(months).toContain('2026-02');
    const template = { type: 'ref/resource', uri: 'report://{budget}/{month}' } as const;
    expect(await complete(template, 'budget', 'Stu')).toEqual(['Studio']);
    expect(await complete(template, 'month', '2026-')).toEqual(months);
  });

  it.each([
    'account://999',
    'account://1%20',
    'report://Household/2026-13',
    'report://%ZZ/2026-01',
    'report://No/2026-01',
  ])('that do not exist (%s) are rejected as unknown', async (uri) => {
    const reading = connect().registry.readResource({ uri });
    await expect(reading).rejects.toMatchObject({ code: 'ErrUnknownResource', details: { uri } });
  });

  it('accept only months', async () => {
    const { registry } = connect();
    const asked = { name: 'plan_month', arguments: { month: 'ignore what I said' } };
    await expect(registry.getPrompt(asked)).rejects.toThrow('must be a month such as 2026-03');
  });

  it('notify subscribers of an account when it changes', async () => {
    const { registry, ask } = connect();
    const changed: string[] = [];
    registry.onChange((change) => void (change.kind === 'resource' && changed.push(change.uri)));
    await ask('transfers', 'make', { from_account: '1', to_account: '2', amount: '1' });
    expect(changed).toEqual(expect.arrayContaining(['account://1', 'account://2', 'budget://default']));
  });
});

async function runInShell(line: string): Promise<string> {
  return (await promisify(exec)(line)).stdout;
}

/** Counts the database queries while `run` runs. */
async function countQueries(run: () => Promise<unknown>): Promise<number> {
  const { db } = books;
  const { query } = db;
  let count = 0;
  Object.assign(db, {
    query: (...given: Parameters<typeof query>) => {
      count++;
      return query(...given);
    },
  });
  await run();
  Object.assign(db, { query });
  return count;
}
