import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { speedUpTime } from '../../../../test/fast-clock.js';
import { createDemo, createHugeDemo } from '../../test/page/demo-registry.js';
import { createTestSource, openTestPage } from '../../test/page/page-client.js';
import { profileNames } from '@toolfold/profiles';
import type { TestPage } from '../../test/page/page-client.js';
import { openLoaded, readSurface, writeLockfile } from '@toolfold/analysis/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { ToolRegistry } from 'toolfold';
import { Exposure, Toolsets } from 'toolfold/web';
import type {
  CodeDeclarations,
  CostNode,
  CostReport,
  DiffReport,
  Finding,
  ItemDetail,
  Listing,
  Others,
  SearchReport,
  ServerInfo,
  SurfaceCosts,
  Tree,
  TreeFindings,
  TreeTokens,
  ViewReport,
} from '../page-api.js';
import { TokenThread } from '../tokens/token-thread.js';

const ping = { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' };

function demo(): LoadedModule {
  const { registry, toolsets } = createDemo();
  return { registry, found: 'registry', config: toolsets };
}

const open = (loaded: LoadedModule = demo(), others = {}): Promise<TestPage> =>
  openTestPage(createTestSource(loaded, others));

describe('/api/server', () => {
  it('tells what the page can show', async () => {
    const page = await open();
    const server = await page.get<ServerInfo>('/api/server');
    expect(server).toMatchObject({
      name: 'demo',
      version: '1.4.0',
      target: 'server.ts',
      canCall: true,
      isForwarded: false,
      form: 'grouped',
      profile: 'standard',
      forms: [{ form: 'grouped' }, { form: 'flat' }, { form: 'search' }, { form: 'code' }],
      code: { allow: 'read' },
      revision: 1,
    });
    expect(server.toolsets.map(({ key }) => key)).toEqual(['support', 'billing']);
    expect(server.scopes).toContain('orders:write');
    expect(server.counts).toMatchObject({ prompts: 2, resources: 3, templates: 1 });
    expect(server.profiles[0]).toBe('none');
  });

  it('tells that calls are forwarded, so that the messages of the page are not those of the target', async () => {
    const page = await open(demo(), { isForwarded: true });
    expect(await page.get<ServerInfo>('/api/server')).toMatchObject({ isForwarded: true });
  });

  it('follows changes of the tools', async () => {
    const registry = new ToolRegistry({ name: 'team', version: '1' });
    const page = await open({ registry, found: 'registry' });
    expect(await page.get('/api/server')).toMatchObject({ revision: 1, counts: { tools: 0 } });
    registry.register(ping);
    expect(await page.get('/api/server')).toMatchObject({ revision: 2, counts: { tools: 1 } });
    expect((await page.get<Tree>('/api/tree')).revision).toBe(2);
  });

  it('says why a form is not possible', async () => {
    const { registry } = createDemo();
    registry.register({ ...ping, name: 'shop_orders_list' });
    const page = await open({ registry, found: 'registry' });
    const { forms } = await page.get<ServerInfo>('/api/server');
    expect(forms.find(({ form }) => form === 'flat')?.problem).toContain('shop_orders_list');
    expect(forms.find(({ form }) => form === 'grouped')?.problem).toBeUndefined();
    const failed = await page.fail('/api/cost?form=flat&profile=none');
    expect(failed).toMatchObject({ status: 422 });
    const listing = await page.get<Listing>('/api/listing', {
      address: 'notes/add',
      form: 'flat',
      profile: 'none',
    });
    expect(listing).toMatchObject({ problem: expect.stringContaining('shop_orders_list') as unknown });
  });

  it('shows the one form of an exported Exposure or of exported Toolsets', async () => {
    const { registry, toolsets: config } = createDemo();
    const exposure = new Exposure(registry, { view: { form: 'search' }, toolsets: config });
    onTestFinished(() => exposure.close());
    const page = await open({ registry, found: 'exposure', exposure });
    const server = await page.get<ServerInfo>('/api/server');
    expect(server).toMatchObject({ form: 'search', profiles: ['none', 'standard'] });
    expect(server.forms.find(({ form }) => form === 'flat')?.problem).toBe(
      'server.ts exports an Exposure, which sets the form to search.',
    );
    const { nodes } = await page.get<Tree>('/api/tree');
    expect(nodes.some(({ address }) => address === 'shop/orders.list')).toBe(true);
    const { rows } = await page.get<SurfaceCosts>('/api/surfaces');
    expect(rows.find(({ form, profile }) => form === 'search' && profile === 'none')).toMatchObject({
      tools: 5,
    });
    const other = new Toolsets(registry, config);
    onTestFinished(() => other.close());
    const second = await open({ registry, found: 'toolsets', toolsets: other });
    expect(await second.get('/api/server')).toMatchObject({ form: 'grouped' });
    expect((await second.get<Tree>('/api/tree')).nodes.length).toBeGreaterThan(20);
  });
});

describe('The page of a server with a toolset that cannot be loaded', () => {
  const openBroken = (load: () => Promise<never>) => {
    const registry = new ToolRegistry({ name: 'team' }).register(ping);
    const config = {
      startup: { mode: 'DYNAMIC' as const },
      catalog: {
        bad: { name: 'Bad', description: 'Fails', modules: ['broken'] },
        good: { name: 'Good', description: 'Works', tools: [{ ...ping, name: 'pong', scopes: ['play'] }] },
      },
      moduleLoaders: { broken: load },
    };
    return open({ registry, found: 'registry', config }, { loadingMs: 100 });
  };

  it.each<[string, () => Promise<never>, string]>([
    ['fails', () => Promise.reject(new TypeError('boom')), 'boom'],
    ['never ends', () => new Promise(() => {}), 'not loaded within 0.1 s'],
  ])('shows the other tools, and the reason, if its loader %s', async (_what, load, reason) => {
    speedUpTime();
    const page = await openBroken(load);
    const { nodes } = await page.get<Tree>('/api/tree');
    expect(nodes.map(({ id }) => id)).toEqual(['toolset:good', 'toolset:good/tool:pong', 'tool:ping']);
    const { toolsets, scopes } = await page.get<ServerInfo>('/api/server');
    expect(toolsets).toMatchObject([
      { key: 'good', tools: 1 },
      { key: 'bad', tools: 0, problem: expect.stringContaining(reason) as unknown },
    ]);
    expect(scopes).toEqual(['play']);
    const { ofList } = await page.get<TreeFindings>('/api/tree/findings');
    expect(ofList).toContainEqual(expect.objectContaining({ rule: 'toolset-not-loaded', severity: 'error' }));
    const query = { address: 'pong', form: 'flat', profile: 'none' };
    expect(await page.get<Listing>('/api/listing', query)).toMatchObject({ tool: { name: 'pong' } });
    expect(await page.get<SearchReport>('/api/search', { query: 'pong' })).toMatchObject({ searched: 2 });
    expect((await page.post<ViewReport>('/api/view', {})).tools.length).toBeGreaterThan(0);
    const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const headers = { 'x-toolfold-token': page.token };
    const url = new URL('/mcp/flat/none', page.origin);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect((await page.get<SurfaceCosts>('/api/surfaces')).rows.length).toBeGreaterThan(0);
    expect(page.errors).toEqual([]);
  });
});

describe('The page of two toolsets that have a tool with the same name', () => {
  const tool = (name: string, text: string) => ({ ...ping, name, description: text, handler: () => text });
  const shared = tool('shared', 'both');
  const config = {
    catalog: {
      books: { name: 'Books', description: 'Books', tools: [tool('find', 'a book'), shared] },
      films: { name: 'Films', description: 'Films', tools: [tool('find', 'a film')] },
      music: { name: 'Music', description: 'Music', tools: [tool('play', 'a song'), shared] },
    },
    startup: { mode: 'DYNAMIC' as const },
  };

  it.each(['ToolsetConfig', 'Toolsets', 'Exposure'] as const)(
    'shows the first of them, and says why the other is left out: %s',
    async (kind) => {
      const registry = new ToolRegistry({ name: 'team', version: '1' });
      const exports = {
        ToolsetConfig: () => ({ config }),
        Toolsets: () => ({ toolsets: new Toolsets(registry, config) }),
        Exposure: () => ({ exposure: new Exposure(registry, { toolsets: config }) }),
      };
      const exported = exports[kind]();
      onTestFinished(() => Object.values(exported).forEach((each) => 'close' in each && each.close()));
      const page = await open({ registry, found: 'registry', ...exported });
      const { nodes } = await page.get<Tree>('/api/tree');
      expect(nodes.map(({ id }) => id)).toEqual([
        'toolset:books',
        'toolset:books/tool:find',
        'toolset:books/tool:shared',
        'toolset:music',
        'toolset:music/tool:shared',
        'toolset:music/tool:play',
      ]);
      const server = await page.get<ServerInfo>('/api/server');
      expect(server.toolsets.find(({ key }) => key === 'films')).toMatchObject({
        problem: expect.stringContaining('Two tools would both be called "find"') as unknown,
      });
      const { ofList } = await page.get<TreeFindings>('/api/tree/findings');
      expect(ofList).toContainEqual(
        expect.objectContaining({ rule: 'toolset-not-loaded', severity: 'error' }),
      );
      expect(page.errors).toEqual([]);
    },
  );
});

describe('The page of a list of another server', () => {
  const schema = { type: 'object' as const, properties: { id: { type: 'string' } } };
  const original = {
    name: 'bad tool name!',
    description: '',
    inputSchema: schema,
    annotations: { readOnlyHint: true, destructiveHint: true },
  };
  /** The same tool as a registry that forwards to the server has it. */
  const registered = {
    name: 'bad_tool_name_',
    description: 'The tool "bad tool name!" of the server "tools.json".',
    inputSchema: { ...schema, additionalProperties: true },
    handler: () => 'done',
  };
  const openForeign = () => {
    const registry = new ToolRegistry({ name: 'foreign' }).register(registered);
    return open(
      { registry, found: 'registry', view: { form: 'flat', profile: 'none' } },
      {
        upstream: () => ({
          kind: 'saved',
          tools: new Map([[registered.name, original]]),
          leftOut: new Map(),
        }),
      },
    );
  };
  const address = registered.name;

  it.each(['flat', 'grouped'])(
    'shows its tools as they are in the %s form without a profile',
    async (form) => {
      const page = await openForeign();
      const listing = await page.get<Listing>('/api/listing', { address, form, profile: 'none' });
      expect(listing).toMatchObject({ call: { name: address } });
      expect('tool' in listing && listing.tool).toEqual(original);
    },
  );

  it('has no description that the server does not have', async () => {
    const page = await openForeign();
    const { nodes } = await page.get<Tree>('/api/tree');
    expect(nodes).toMatchObject([{ name: original.name, address }]);
    expect(nodes[0]?.description).toBeUndefined();
    const item = await page.get<ItemDetail>('/api/item', { address });
    expect(item).toMatchObject({ address, description: '', inputSchema: schema });
    const view = await page.post<ViewReport>('/api/view', {});
    expect(view.tools).toMatchObject([{ name: original.name, description: '', addresses: [address] }]);
  });

  it('counts the tokens of the tools that it shows', async () => {
    const page = await openForeign();
    const query = { form: 'flat', profile: 'none' };
    const listing = await page.get<Listing>('/api/listing', { address, ...query });
    const tokens = 'tokens' in listing ? listing.tokens : 0;
    const thread = new TokenThread();
    onTestFinished(() => thread.close());
    const counter = thread.createCounter(new AbortController().signal);
    expect(await counter.count([original])).toEqual([tokens]);
    const cost = await page.get<CostReport>('/api/cost', query);
    expect(cost.tokens).toBe(tokens);
    expect(cost.nodes[0]?.children).toMatchObject([{ name: original.name, address, tokens }]);
    expect((await page.get<TreeTokens>('/api/tree/tokens')).total).toBe(tokens);
    expect((await page.post<ViewReport>('/api/view', {})).tokens).toBe(tokens);
    const { rows } = await page.get<SurfaceCosts>('/api/surfaces');
    expect(rows).toContainEqual({ ...query, tools: 1, tokens });
  });

  it('shows the portable tool for a profile', async () => {
    const page = await openForeign();
    const listing = await page.get<Listing>('/api/listing', { address, form: 'flat', profile: 'openai' });
    expect(listing).toMatchObject({ tool: { name: registered.name, description: registered.description } });
  });
});

describe('/api/tree and /api/item', () => {
  it('lists toolsets, tools, groups and actions in order, with sizes that fit', async () => {
    const page = await open();
    const { nodes } = await page.get<Tree>('/api/tree');
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
    for (const [at, { size, depth }] of nodes.entries()) {
      const below = nodes.slice(at + 1, at + 1 + size);
      expect(below.every((node) => node.depth > depth)).toBe(true);
      expect(nodes[at + 1 + size]?.depth ?? 0).toBeLessThanOrEqual(depth);
    }
    const shop = nodes.findIndex(({ id }) => id === 'tool:shop');
    expect(nodes.slice(shop, shop + 3)).toMatchObject([
      { kind: 'tool', address: 'shop' },
      { kind: 'group', name: 'orders', description: 'What customers bought', size: 3 },
      { kind: 'action', address: 'shop/orders.list', scopes: ['orders:read'], hints: { readOnly: true } },
    ]);
    expect(nodes[0]).toMatchObject({ id: 'toolset:support', kind: 'toolset', name: 'Support', size: 2 });
  });

  it('counts findings at the item and above it, and shows them with the item', async () => {
    const page = await open();
    const { nodes } = await page.get<Tree>('/api/tree');
    const { byNode } = await page.get<TreeFindings>('/api/tree/findings');
    const stuff = await page.get<Finding[]>('/api/item/findings', { address: 'doStuff' });
    expect(stuff.length).toBeGreaterThan(1);
    const tool = nodes.find(({ address }) => address === 'doStuff');
    expect(byNode[tool?.id ?? '']?.error).toBe(stuff.filter(({ severity }) => severity === 'error').length);
    for (const { id, address } of nodes) {
      if (address === undefined) continue;
      const found = await page.get<Finding[]>('/api/item/findings', { address });
      const { error, warning, note } = byNode[id] ?? { error: 0, warning: 0, note: 0 };
      expect(found.length, id).toBe(error + warning + note);
    }
  });

  it('counts the same tokens as the section Cost, a tool of two toolsets once', async () => {
    const page = await open();
    const { nodes } = await page.get<Tree>('/api/tree');
    const { total, byNode } = await page.get<TreeTokens>('/api/tree/tokens');
    const cost = await page.get<CostReport>('/api/cost', { form: 'grouped', profile: 'standard' });
    expect(total).toBe(cost.tokens);
    const costs = new Map(cost.nodes.flatMap(({ children }) => children).map((each) => [each.address, each]));
    const tools = nodes.filter(({ kind }) => kind === 'tool');
    expect(tools.length).toBeGreaterThan(5);
    for (const { id, address } of tools) expect(byNode[id], id).toBe(costs.get(address)?.tokens);
    const below = nodes.filter(({ id, kind }) => kind === 'tool' && id.startsWith('toolset:support/'));
    expect(byNode['toolset:support']).toBe(below.reduce((sum, { id }) => sum + (byNode[id] ?? 0), 0));
  });

  it('shows the tools also if the configuration of the linter is broken, and what is wrong with it', async () => {
    const page = await open(demo(), { lintConfig: '/nonexistent/toolfold.lint.json' });
    expect((await page.get<Tree>('/api/tree')).nodes.length).toBeGreaterThan(20);
    const { ofList } = await page.get<TreeFindings>('/api/tree/findings');
    expect(ofList[0]).toMatchObject({
      rule: 'configuration',
      severity: 'error',
      reason: expect.stringContaining('does not exist') as unknown,
    });
  });

  it('describes actions as their authors wrote them', async () => {
    const page = await open();
    expect(await page.get('/api/item', { address: 'acme:travel/trips.plan' })).toMatchObject({
      kind: 'action',
      name: 'trips.plan',
      title: 'Plan a trip',
      tool: 'acme:travel',
      version: '2.1.0',
      group: 'trips',
      discriminator: 'action',
      inputSchema: { required: expect.arrayContaining(['traveller', 'from']) as unknown },
    });
    expect(await page.get('/api/item', { address: 'close_ticket' })).toMatchObject({
      kind: 'tool',
      toolsets: ['support'],
      scopes: ['tickets'],
    });
    expect(await page.get('/api/item', { address: 'shop' })).toMatchObject({
      aliases: ['store'],
      actions: expect.arrayContaining(['shop/orders.cancel']) as unknown,
    });
  });

  it('shows mounted registries that are toolsets', async () => {
    const other = new ToolRegistry({ name: 'other', version: '1' }).register(ping);
    const registry = new ToolRegistry({ name: 'team', version: '1' }).register({ ...ping, name: 'own' });
    registry.mount('other', other, { toolset: { name: 'Other', description: 'Another server' } });
    const page = await open({ registry, found: 'registry' });
    expect((await page.get<Tree>('/api/tree')).nodes).toMatchObject([
      { kind: 'toolset', name: 'Other', description: 'Another server' },
      { kind: 'tool', name: 'other_ping' },
      { kind: 'tool', name: 'own' },
    ]);
    expect(await page.get('/api/server')).toMatchObject({ toolsets: [{ key: 'other', tools: 1 }] });
  });

  it('answers for 10,000 tools, and other requests meanwhile', async () => {
    const { registry } = createHugeDemo(10_000);
    const page = await open({ registry, found: 'registry' });
    const tree = page.get<Tree>('/api/tree');
    expect((await page.get<Others>('/api/others')).prompts).toEqual([]);
    expect((await tree).nodes).toHaveLength(10_000);
  });
});

describe('/api/listing', () => {
  const list = (page: TestPage, address: string, form: string, profile: string): Promise<Listing> =>
    page.get<Listing>('/api/listing', { address, form, profile });

  it('shows the tool of each form, and how it is called', async () => {
    const page = await open();
    expect(await list(page, 'shop/orders.list', 'grouped', 'portable')).toMatchObject({
      tool: { name: 'shop' },
      call: { name: 'shop', arguments: { action: 'orders.list' } },
    });
    expect(await list(page, 'shop/orders.list', 'flat', 'portable')).toMatchObject({
      tool: { name: 'shop_orders_list' },
      call: { name: 'shop_orders_list', arguments: {} },
    });
    expect(await list(page, 'shop/orders.cancel', 'search', 'portable')).toMatchObject({
      tool: { name: 'call_write_tool' },
      call: { name: 'call_write_tool', arguments: { address: 'shop/orders.cancel' } },
      described: expect.stringContaining('Cancels an order') as unknown,
    });
    expect(await list(page, 'shop/orders.list', 'code', 'none')).toMatchObject({
      tool: { name: 'run_code' },
      call: { arguments: { code: 'return await tools.shop.orders.list({});' } },
      described: expect.stringContaining('list(input?: {') as unknown,
    });
    expect(await list(page, 'shop', 'flat', 'none')).toMatchObject({
      problem: 'In the flat form, each action of "shop" is a tool.',
    });
  });

  it('shows what a profile rewrites, and nothing for tools as they were written', async () => {
    const page = await open();
    const rewritten = await list(page, 'shop/orders.create', 'flat', 'openai-strict');
    expect('changes' in rewritten && rewritten.changes.length).toBeGreaterThan(2);
    expect(await list(page, 'shop/orders.create', 'flat', 'none')).toMatchObject({ changes: [] });
  });

  it('answers for every item in every form and profile', async () => {
    const page = await open();
    const { nodes } = await page.get<Tree>('/api/tree');
    const { forms, profiles } = await page.get<ServerInfo>('/api/server');
    const addresses = nodes.flatMap(({ address }) => address ?? []);
    for (const [at, address] of addresses.entries())
      for (const { form } of forms) {
        const listing = await list(page, address, form, profiles[at % profiles.length] ?? 'none');
        if ('problem' in listing) expect(listing.problem).toMatch(/^In the (?:flat|search|code) form/);
        else expect(listing.tokens).toBeGreaterThan(10);
      }
    expect(page.errors).toEqual([]);
  });
});

describe('/api/cost and /api/surfaces', () => {
  const sum = (nodes: readonly CostNode[]): number => nodes.reduce((total, { tokens }) => total + tokens, 0);

  it('splits the tokens by toolset, tool, group and action', async () => {
    const page = await open();
    for (const form of ['grouped', 'flat', 'search', 'code']) {
      const cost = await page.get<CostReport>('/api/cost', { form, profile: 'portable' });
      expect(sum(cost.nodes)).toBe(cost.tokens);
      for (const node of cost.nodes) expect(sum(node.children)).toBe(node.tokens);
      const { name, description, fields, schema } = cost.parts;
      expect(name + description + fields + schema).toBe(cost.tokens);
    }
    const { nodes } = await page.get<CostReport>('/api/cost', { form: 'flat', profile: 'none' });
    const shop = nodes.flatMap(({ children }) => children).find(({ name }) => name === 'shop');
    expect(shop?.children[0]).toMatchObject({ kind: 'group', children: [{ kind: 'action' }, {}, {}] });
  });

  it('agrees with the costs of all forms and profiles', async () => {
    const page = await open();
    const { rows } = await page.get<SurfaceCosts>('/api/surfaces');
    expect(rows).toHaveLength(4 * (profileNames.length + 1));
    for (const { form, profile } of rows.slice(0, 8)) {
      const { tokens } = await page.get<CostReport>('/api/cost', { form, profile });
      expect(rows.find((row) => row.form === form && row.profile === profile)).toMatchObject({ tokens });
    }
  });
});

describe('/api/search, /api/declarations and /api/others', () => {
  it('explains the hits of a question, and a tool that is not found', async () => {
    const page = await open();
    const report = await page.get<SearchReport>('/api/search', {
      query: 'give money back',
      limit: '2',
      tool: 'notes/add',
    });
    expect(report.tools[0]).toMatchObject({ address: 'shop/orders.cancel', place: 1, isFound: true });
    expect(report.tools.some(({ address, isFound }) => address === 'notes/add' && !isFound)).toBe(true);
    expect(report.descriptions?.['shop/orders.cancel']).toContain('Cancels an order');
  });

  it('declares the functions that code may call', async () => {
    const { registry } = createDemo();
    const read = await (
      await open({ registry, found: 'registry' })
    ).get<CodeDeclarations>('/api/declarations');
    expect(read.allow).toBe('read');
    expect(read.functions.some(({ address }) => address === 'shop/orders.create')).toBe(false);
    const list = read.functions.find(({ path }) => path === 'shop.orders.list');
    expect(list?.signature).toContain('tools.shop.orders.list(');
    expect(list?.fields[0]).toMatchObject({
      name: 'state',
      type: "'open'|'paid'|'shipped'",
      isRequired: false,
    });
    const page = await open({
      registry,
      found: 'registry',
      view: { form: 'code', code: { allow: 'write' } },
    });
    const write = await page.get<CodeDeclarations>('/api/declarations');
    expect(write.functions.some(({ address }) => address === 'shop/orders.create')).toBe(true);
    expect(await page.get('/api/server')).toMatchObject({ form: 'code', code: { allow: 'write' } });
  });

  it('lists prompts and resources', async () => {
    const others = await (await open()).get<Others>('/api/others');
    expect(others.prompts.map(({ name }) => name)).toEqual(['welcome', 'review_photo']);
    expect(others.templates).toMatchObject([{ uriTemplate: 'demo://orders/{id}' }]);
  });
});

describe('/api/diff', () => {
  const folder = (): string => {
    const created = mkdtempSync(join(tmpdir(), 'toolfold-page-'));
    onTestFinished(() => rmSync(created, { recursive: true }));
    return created;
  };

  it('says how to write a lockfile if there is none', async () => {
    expect(await (await open()).get<DiffReport>('/api/diff')).toEqual({
      lockfile: '/nonexistent/toolfold.lock.json',
      command: 'npx toolfold lock server.ts',
    });
  });

  it('compares with the lockfile, and reads it again when it has changed', async () => {
    const lockfile = join(folder(), 'toolfold.lock.json');
    const registry = new ToolRegistry({ name: 'team', version: '1' }).register(ping);
    const loaded = { registry, found: 'registry' };
    const lock = async (): Promise<void> =>
      writeFileSync(lockfile, writeLockfile(readSurface(await openLoaded('server.ts', loaded, {}))));
    await lock();
    const page = await open(loaded, { lockfile });
    expect((await page.get<DiffReport>('/api/diff')).comparison?.changes).toEqual([]);
    registry.register({ ...ping, name: 'pong', description: 'Answers too' });
    const { comparison } = await page.get<DiffReport>('/api/diff');
    expect(comparison?.changes).toMatchObject([{ kind: 'tool-added', address: 'pong' }]);
    await lock();
    expect((await page.get<DiffReport>('/api/diff')).comparison?.changes).toEqual([]);
    expect(await page.get('/api/server')).toMatchObject({ lockfile });
  });

  it.each([
    ['{"toolfoldLock":', 'is not valid JSON'],
    ['<<<<<<< ours\n{}', 'conflict markers'],
    ['{}', 'is not a lockfile'],
    ['{"toolfoldLock":99}', 'has version 99'],
    ['{"toolfoldLock":1,"source":"registry","tools":[{}]}', 'is damaged'],
  ])('explains the damaged lockfile %j', async (text, message) => {
    const lockfile = join(folder(), 'toolfold.lock.json');
    writeFileSync(lockfile, text);
    const failed = await (await open(demo(), { lockfile })).fail('/api/diff');
    expect(failed).toMatchObject({
      status: 422,
      message: expect.stringContaining(message) as unknown,
      hint: 'Write it again: npx toolfold lock server.ts',
    });
  });
});
