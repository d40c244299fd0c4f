import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type {
  CallToolResult,
  ErrorReport,
  ToolContext,
  ToolRegistryOptions,
  View,
  ViewPolicy,
} from 'toolfold';
import { ErrDuplicateName, ErrInvalidOptions, ErrInvalidPolicy } from 'toolfold/errors';
import { internalsOf, TASKS_EXTENSION } from 'toolfold/internal';
import type { Ranker } from '../index/tool-search.js';
import { createSearchView } from '../../../toolfold/test/form-views.js';
import type { CreateRanker } from './search-settings.js';
import type { SearchViewOptions } from '../../../toolfold/test/form-views.js';
import { Exposure, Toolsets } from 'toolfold/web';

const META = ['search_tools', 'describe_tools', 'call_read_tool', 'call_write_tool', 'list_toolsets'];

interface Row {
  readonly address: string;
  readonly summary: string;
  readonly kind: string;
  readonly toolset?: string;
}

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const reportOf = ({ _meta }: CallToolResult) => _meta?.['toolfold/error'] as ErrorReport | undefined;
const dataOf = <T>({ structuredContent }: CallToolResult): T => structuredContent as T;
const rowsOf = (result: CallToolResult): readonly Row[] => dataOf<{ tools: Row[] }>(result).tools;
const namesOf = (view: View): string[] => view.listTools().map(({ name }) => name);

function createRegistry(options: ToolRegistryOptions<unknown> = {}) {
  const ran = vi.fn<(address: string, input: unknown, context: ToolContext) => void>();
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false, ...options }).register(
    new GroupedToolBuilder('platform')
      .description('Users and billing')
      .commonSchema(z.object({ workspace_id: z.string().describe('Workspace') }))
      .group('users', 'People', (group) =>
        group
          .action({
            name: 'list',
            description: 'Lists people, e.g. all of a team. Sorted by name.',
            readOnly: true,
            inputSchema: z.object({ limit: z.number().optional() }),
            outputSchema: z.object({ people: z.array(z.string()) }),
            handler: ({ input, context }) => {
              ran('platform/users.list', input, context);
              return { people: ['Ada'] };
            },
          })
          .action({
            name: 'ban',
            title: 'Ban',
            description: 'Bans a person',
            destructive: true,
            scopes: ['users:write'],
            inputSchema: z.object({ id: z.string() }),
            handler: ({ input, context }) => ran('platform/users.ban', input, context),
          }),
      ),
    {
      name: 'send_invoice',
      description: 'Sends an invoice to a customer',
      inputSchema: z.object({ customer: z.string() }),
      handler: ({ input, context }) => {
        ran('send_invoice', input, context);
        return `sent to ${input.customer}`;
      },
    },
    {
      name: 'report',
      description: 'Writes a report',
      readOnly: true,
      task: true,
      inputSchema: {},
      handler: async ({ context }) => {
        const answers = await context.requestInput({
          name: { message: 'Whose?', schema: z.object({ value: z.string() }) },
        });
        await context.progress(1, 2, 'half');
        return answers;
      },
    },
  );
  return { registry, ran };
}

function setUp(
  form: SearchViewOptions = {},
  { policy, ...options }: ToolRegistryOptions<unknown> & { readonly policy?: ViewPolicy } = {},
) {
  const { registry, ran } = createRegistry(options);
  const view = createSearchView(registry, registry.view(policy), form);
  const call = (name: string, args: Record<string, unknown> = {}, more: object = {}) =>
    registry.executeTool({ name, arguments: args, ...more }, view);
  return { registry, view, ran, call };
}

// The first search loads the index.
beforeAll(() => import('../index.js'));

describe('the list of the search form', () => {
  it('has five tools with risk hints', () => {
    const { view } = setUp();
    expect(namesOf(view)).toEqual(META);
    const hints = Object.fromEntries(
      view.listTools().map(({ name, annotations }) => [name, annotations] as const),
    );
    for (const name of META.filter((each) => each !== 'call_write_tool'))
      expect(hints[name]).toMatchObject({ readOnlyHint: true });
    expect(hints['call_read_tool']).not.toHaveProperty('openWorldHint');
    expect(hints['call_write_tool']).toEqual({ readOnlyHint: false, destructiveHint: true });
  });

  it('is the same text for any registry and view', () => {
    const { registry } = createRegistry();
    const toolsets = [{ key: 'a', name: 'A', description: 'Anything' }];
    const views = [
      createSearchView(registry, registry.view()),
      createSearchView(registry, registry.view({ readOnly: true }), { toolsets }),
      createSearchView(new ToolRegistry({ name: 'other' }), new ToolRegistry().view()),
    ];
    for (const protocolVersion of ['2026-07-28', '2025-11-25'] as const)
      expect(new Set(views.map((view) => view.listPages({ protocolVersion })[0])).size).toBe(1);
  });

  it('is frozen, and has a tree of model objects', () => {
    const { view, registry } = setUp({ pinned: ['send_invoice'] });
    expect(Object.isFrozen(view) && Object.isFrozen(view.root)).toBe(true);
    expect(view.root.name).toBe(registry.name);
    expect(view.root.childTools.map(({ name }) => name)).toEqual([...META, 'send_invoice']);
  });
});

describe('pinned tools', () => {
  it('stay listed and callable: a tool by its name, an action as a separate tool', async () => {
    const { view, call } = setUp({
      pinned: ['platform', 'send_invoice', 'platform/users.list', 'send_invoice'],
    });
    expect(namesOf(view)).toEqual([...META, 'platform', 'send_invoice', 'platform_users_list']);
    expect(text(await call('send_invoice', { customer: 'Ada' }))).toBe('sent to Ada');
    expect(dataOf(await call('platform_users_list', { workspace_id: 'w' }))).toEqual({ people: ['Ada'] });
    const action = { action: 'users.list', workspace_id: 'w' };
    expect(dataOf(await call('platform', action))).toEqual({ people: ['Ada'] });
    expect(rowsOf(await call('search_tools', { query: 'send an invoice' }))[0]?.address).toBe('send_invoice');
  });

  it('are the same tools in a flat view', () => {
    const { view } = setUp(
      { pinned: ['platform/users.list', 'platform_users_list'] },
      { policy: { form: 'flat' } },
    );
    expect(namesOf(view)).toEqual([...META, 'platform_users_list']);
  });

  it('that do not exist are rejected with the nearest name', () => {
    expect(() => setUp({ pinned: ['send_invoise'] })).toThrow(ErrInvalidPolicy);
    expect(() => setUp({ pinned: ['send_invoise'] })).toThrow('Did you mean "send_invoice"?');
    expect(() => setUp({ pinned: ['platform/users.lst'] })).toThrow('Did you mean "platform/users.list"?');
    expect(() => setUp({ pinned: ['platform/users.ban'] }, { policy: { readOnly: true } })).toThrow(
      ErrInvalidPolicy,
    );
  });

  it.each([
    [{ pined: ['report'] }, 'Did you mean "pinned"?'],
    [{ pinned: 'report' }, 'must be a list'],
    [{ pinned: [7] }, 'must be a list'],
  ])('and other options are validated: %j', (options, message) => {
    const { registry } = createRegistry();
    const expose = () => new Exposure(registry, { view: { form: 'search', ...(options as object) } });
    expect(expose).toThrow(ErrInvalidOptions);
    expect(expose).toThrow(message);
    expect(() => setUp({ settings: { ranker: {} } as object })).toThrow('must be a function');
  });

  it('that exist but are hidden are omitted', () => {
    const { registry } = createRegistry();
    const pinned = ['platform', 'platform/users.ban', 'send_invoice', 'report'];
    const view = createSearchView(registry, registry.view({ readOnly: true }), {
      pinned,
      mayMissPins: true,
    });
    expect(namesOf(view)).toEqual([...META, 'platform', 'report']);
    expect(JSON.stringify(view.listTools())).not.toContain('ban');
  });

  it('must not have the name of another listed tool', async () => {
    const { registry } = createRegistry();
    registry.register({ name: 'search_tools', description: 'Mine', inputSchema: {}, handler: () => 'mine' });
    expect(() => createSearchView(registry, registry.view(), { pinned: ['search_tools'] })).toThrow(
      ErrDuplicateName,
    );
    const view = createSearchView(registry, registry.view());
    const call = { name: 'call_write_tool', arguments: { address: 'search_tools' } };
    expect(text(await registry.executeTool(call, view))).toBe('mine');
  });
});

describe('search_tools', () => {
  it('returns addresses, signatures, a summary, the kind and the confidence, and no schema', async () => {
    const { call } = setUp();
    const result = await call('search_tools', { query: 'show the people of a team' });
    expect(rowsOf(result)[0]).toEqual({
      address: 'platform/users.list',
      signature: '(workspace_id: string, limit?: number)',
      summary: 'Lists people, e.g. all of a team',
      kind: 'read',
      confidence: expect.stringMatching(/^(strong|likely|weak)$/) as string,
    });
    expect(text(result)).toContain(
      'platform/users.list,"(workspace_id: string, limit?: number)","Lists people, e.g. all of a team",read',
    );
    expect(text(result)).not.toContain('properties');
  });

  it('finds tools by words of arguments, of the enclosing tool, and of toolsets', async () => {
    const { call } = setUp();
    const first = async (query: string) => rowsOf(await call('search_tools', { query }))[0]?.address;
    expect(await first('customer')).toBe('send_invoice');
    expect(await first('platform/users.ban')).toBe('platform/users.ban');
    expect(await first('users.ban')).toBe('platform/users.ban');
  });

  it('filters by kind and returns at most the requested number', async () => {
    const { call } = setUp();
    const query = 'people and their invoices';
    const kinds = async (kind: string) =>
      new Set(rowsOf(await call('search_tools', { query, kind })).map((row) => row.kind));
    expect(await kinds('read')).toEqual(new Set(['read']));
    expect(await kinds('write')).toEqual(new Set(['write']));
    expect(rowsOf(await call('search_tools', { query, limit: 1 }))).toHaveLength(1);
    for (const limit of [0, 51, 1.5])
      expect((await call('search_tools', { query, limit })).isError).toBe(true);
  });

  it('says that no tool matches, and how to list tools', async () => {
    const { call } = setUp();
    const nothing = await call('search_tools', { query: 'qzxqzx' });
    expect(nothing.isError).toBeUndefined();
    const { tools, next } = dataOf<{ tools: Row[]; next: string }>(nothing);
    expect(tools).toEqual([]);
    expect(next).toMatch(/^No tool matches\. .*leave out the query to list all tools\.$/);
    expect((await call('search_tools', { query: 'x'.repeat(2_001) })).isError).toBe(true);
  });

  it('lists all tools by address without a query', async () => {
    const { call } = setUp();
    const all = ['platform/users.ban', 'platform/users.list', 'report', 'send_invoice'];
    for (const args of [{}, { query: '' }, { query: ' \n' }, { queries: [] }, { queries: ['', ' '] }]) {
      const result = await call('search_tools', args);
      expect(rowsOf(result).map(({ address }) => address)).toEqual(all);
      expect(Object.keys(dataOf(result))).toEqual(['tools']);
    }
    const read = rowsOf(await call('search_tools', { kind: 'read', toolset: '' }));
    expect(read.map(({ address }) => address)).toEqual(['platform/users.list', 'report']);
  });

  it('truncates summaries at a word boundary', async () => {
    const { registry } = createRegistry();
    const description = `Says ${'a great deal '.repeat(40)}`;
    registry.register({ name: 'talk', description, inputSchema: {}, handler: () => 'mine' });
    const view = createSearchView(registry, registry.view());
    const result = await registry.executeTool({ name: 'search_tools', arguments: { query: 'talk' } }, view);
    const summary = rowsOf(result)[0]?.summary ?? '';
    expect(summary).toMatch(/^Says a great deal .*(great|deal|a)…$/);
    expect(summary.length).toBeLessThanOrEqual(141);
  });
});

describe('describe_tools', () => {
  it('returns the exact schema of one action and how to call it', async () => {
    const { call } = setUp();
    const addresses = ['platform/users.ban', 'platform/users.list'];
    const { tools } = dataOf<{ tools: object[] }>(await call('describe_tools', { addresses }));
    expect(tools[0]).toEqual({
      address: 'platform/users.ban',
      title: 'Ban',
      description: 'Bans a person',
      kind: 'write',
      callWith: 'call_write_tool',
      scopes: ['users:write'],
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: {
        type: 'object',
        properties: { workspace_id: { type: 'string', description: 'Workspace' }, id: { type: 'string' } },
        required: ['workspace_id', 'id'],
        additionalProperties: false,
      },
    });
    expect(tools[1]).toMatchObject({
      description: 'Lists people, e.g. all of a team. Sorted by name.',
      callWith: 'call_read_tool',
      outputSchema: { properties: { people: { type: 'array' } } },
    });
  });

  it('describes an action like the flat form, in any form', async () => {
    const { registry } = createRegistry();
    const flat = new Map(
      registry
        .view({ form: 'flat' })
        .authored!.listTools()
        .map((tool) => [tool.name, tool] as const),
    );
    const addresses = ['platform/users.list', 'platform/users.ban', 'send_invoice', 'report'];
    for (const policy of [{}, { form: 'flat' }, { split: 'risk' }] as const) {
      const view = createSearchView(registry, registry.view(policy));
      const result = await registry.executeTool({ name: 'describe_tools', arguments: { addresses } }, view);
      for (const each of dataOf<{ tools: (Row & Record<string, unknown>)[] }>(result).tools) {
        const { description, inputSchema, outputSchema, annotations } = each;
        const listed = flat.get(each.address.replaceAll(/[/.]/g, '_'));
        expect({ description, inputSchema, outputSchema, annotations }).toEqual({
          description: listed?.description,
          inputSchema: listed?.inputSchema,
          outputSchema: listed?.outputSchema,
          annotations: listed?.annotations,
        });
      }
    }
  });

  it('describes known addresses, and suggests corrections for the others', async () => {
    const { call } = setUp();
    const some = await call('describe_tools', {
      addresses: ['send_invoise', 'report', 'report', 'platform'],
    });
    expect(some.isError).toBeUndefined();
    const { tools, problems } = dataOf<{ tools: Row[]; problems: string[] }>(some);
    expect(tools.map(({ address }) => address)).toEqual(['report']);
    expect(problems).toEqual([
      expect.stringContaining('Did you mean "send_invoice"?'),
      expect.stringContaining('platform/users.list, platform/users.ban'),
    ]);
    const none = await call('describe_tools', { addresses: ['send_invoise'] });
    expect(reportOf(none)).toMatchObject({ code: 'ErrUnknownTool', suggestions: ['send_invoice'] });
  });

  it('accepts at least one and at most twenty addresses', async () => {
    const { call } = setUp();
    for (const addresses of [[], Array.from({ length: 21 }, () => 'report'), 'report', undefined])
      expect(reportOf(await call('describe_tools', { addresses }))?.code).toBe('ErrValidationFailed');
  });
});

describe('call_read_tool and call_write_tool', () => {
  const arguments_ = { workspace_id: 'w' };

  it('run the named action with its arguments', async () => {
    const { call, ran } = setUp();
    const args = { address: 'platform/users.list', arguments: arguments_ };
    expect(dataOf(await call('call_read_tool', args))).toEqual({ people: ['Ada'] });
    expect(ran.mock.lastCall?.[1]).toEqual(arguments_);
    expect(ran.mock.lastCall?.[2]).toMatchObject({
      action: 'users.list',
      rawArguments: arguments_,
    });
    await call('call_read_tool', { ...args, minify: true });
    expect(ran.mock.lastCall?.[2]?.rawArguments).toEqual(arguments_);
    const invoice = { address: 'send_invoice', arguments: { customer: 'Ada' } };
    expect(text(await call('call_write_tool', invoice))).toBe('sent to Ada');
  });

  it('accept arguments as JSON text, no arguments, and format hints', async () => {
    const { call, ran } = setUp();
    const address = 'platform/users.list';
    for (const args of [
      { address, arguments: JSON.stringify(arguments_) },
      { address, arguments: arguments_, _minify: false },
      { address, arguments: { action: 'users.list', ...arguments_ } },
    ])
      expect(dataOf(await call('call_read_tool', args))).toEqual({ people: ['Ada'] });
    expect(ran.mock.calls.map(([, input]) => input)).toEqual([arguments_, arguments_, arguments_]);
    const missing = await call('call_read_tool', { address });
    expect(text(missing)).toContain('workspace_id');
  });

  it('reject the other kind and name the tool for it', async () => {
    const { call, ran } = setUp();
    const caller = { auth: { scopes: ['users:write'] } };
    const ban = { address: 'platform/users.ban', arguments: { ...arguments_, id: 'u' } };
    const write = await call('call_read_tool', ban, { caller });
    expect(write.isError).toBe(true);
    expect(text(write)).toContain('call_write_tool');
    const read = await call('call_write_tool', { address: 'platform/users.list', arguments: arguments_ });
    expect(read.isError).toBe(true);
    expect(text(read)).toContain('call_read_tool');
    expect(ran).not.toHaveBeenCalled();
    expect((await call('call_write_tool', ban, { caller })).isError).toBeUndefined();
    expect(ran).toHaveBeenCalledTimes(1);
  });

  it('explain where arguments belong if they are in the wrong place', async () => {
    const { call, ran } = setUp();
    const beside = await call('call_read_tool', { address: 'platform/users.list', ...arguments_ });
    expect(text(beside)).toBe(
      'Validation failed: workspace_id: put the arguments of "platform/users.list" into "arguments".',
    );
    for (const args of [
      {},
      { address: 7 },
      { address: 'platform/users.list', arguments: [] },
      { address: 'platform/users.list', arguments: 'w' },
      { address: 'platform/users.list', arguments: { action: 'users.ban', ...arguments_ } },
    ])
      expect(reportOf(await call('call_read_tool', args))?.code).toBe('ErrValidationFailed');
    expect(ran).not.toHaveBeenCalled();
  });

  it('treat hidden tools as unknown', async () => {
    const { call } = setUp({}, { policy: { readOnly: true } });
    for (const name of ['call_read_tool', 'call_write_tool']) {
      const hidden = await call(name, { address: 'platform/users.ban' });
      expect(hidden.isError).toBe(true);
      expect(reportOf(hidden)).toMatchObject({
        code: 'ErrUnknownTool',
        suggestions: ['platform/users.list'],
      });
      const near = await call(name, { address: 'platform/users.bans' });
      expect(text(near)).not.toContain('users.ban"');
    }
    for (const address of ['__proto__', 'constructor', 'toString'])
      expect(reportOf(await call('call_read_tool', { address }))?.code).toBe('ErrUnknownTool');
    const whole = await call('call_read_tool', { address: 'platform' });
    expect(text(whole)).toContain('Addresses in this tool: platform/users.list');
    expect(text(whole)).not.toContain('ban');
  });

  it('ask questions, report progress and become tasks like the action itself', async () => {
    const { registry, view } = setUp();
    const params = { name: 'call_read_tool', arguments: { address: 'report' } };
    const capabilities = { elicitation: { form: {} } };
    const request = { ...params, protocolVersion: '2026-07-28', caller: { capabilities } };
    const ask = (round: object) =>
      internalsOf(registry).askInRounds({ method: 'tools/call', params, ...round }, request);
    const first = await internalsOf(registry).callOrStartTask({ ...request, ask: ask({}) }, view);
    expect(first.resultType).toBe('input_required');
    const progress = vi.fn<() => Promise<void>>(async () => {});
    const inputResponses = { name: { action: 'accept', content: { value: 'Ada' } } };
    const { requestState } = first;
    const second = await internalsOf(registry).callOrStartTask(
      { ...request, progress, ask: ask({ inputResponses, requestState }) },
      view,
    );
    expect(text(second)).toContain('Ada');
    expect(progress).toHaveBeenCalledWith(1, 2, 'half');
    const extensions = { [TASKS_EXTENSION]: {} };
    const task = await internalsOf(registry).callOrStartTask(
      { ...request, caller: { capabilities: { ...capabilities, extensions } }, ask: ask({}) },
      view,
    );
    expect(task.resultType).toBe('task');
  });
});

describe('list_toolsets', () => {
  const open = async (selection = {}) => {
    const { registry } = createRegistry();
    const tool = (name: string, readOnly: boolean) => ({
      name,
      description: `Does ${name}`,
      inputSchema: {},
      readOnly,
      handler: () => name,
    });
    const shared = tool('quote', true);
    const toolsets = new Toolsets(registry, {
      catalog: {
        market: {
          name: 'Market',
          description: 'Prices of shares',
          decisionCriteria: 'For anything about stocks',
          tools: [shared, tool('chart', true)],
        },
        trade: { name: 'Trade', description: 'Buying', tools: [tool('buy', false)] },
        research: { name: 'Research', description: 'Companies', tools: [shared] },
      },
      moduleLoaders: {},
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
    } as never);
    const inner = await toolsets.view(toolsets.startup, { context: {}, hash: '' }, selection);
    const view = createSearchView(registry, inner, { toolsets: toolsets.describe([]) });
    return (name: string, args = {}) => registry.executeTool({ name, arguments: args }, view);
  };

  it('describes each toolset and counts its tools', async () => {
    const call = await open();
    expect(dataOf(await call('list_toolsets'))).toEqual({
      toolsets: [
        {
          key: 'market',
          name: 'Market',
          description: 'Prices of shares',
          decisionCriteria: 'For anything about stocks',
          tools: 2,
        },
        { key: 'trade', name: 'Trade', description: 'Buying', decisionCriteria: '', tools: 1 },
        { key: 'research', name: 'Research', description: 'Companies', decisionCriteria: '', tools: 1 },
      ],
      others: 4,
      next: expect.stringContaining('search_tools') as string,
    });
  });

  it('works with search_tools, which lists a toolset and searches in it', async () => {
    const call = await open();
    expect(rowsOf(await call('search_tools', { toolset: 'market' }))).toEqual([
      { address: 'chart', signature: '()', summary: 'Does chart', kind: 'read', toolset: 'market' },
      { address: 'quote', signature: '()', summary: 'Does quote', kind: 'read', toolset: 'market' },
    ]);
    const cut = await call('search_tools', { toolset: 'market', limit: 1 });
    expect(dataOf(cut)).toMatchObject({ tools: [{ address: 'chart' }], more: 1 });
    const addresses = async (args: object) =>
      rowsOf(await call('search_tools', args)).map(({ address }) => address);
    expect(await addresses({ query: 'stocks' })).toEqual(expect.arrayContaining(['chart', 'quote']));
    expect(await addresses({ query: 'quote', toolset: 'research' })).toEqual(['quote']);
    const unknown = await call('search_tools', { query: 'quote', toolset: 'markt' });
    expect(reportOf(unknown)?.code).toBe('ErrUnknownToolset');
    expect(text(unknown)).toContain('Did you mean "market"?');
    const described = await call('describe_tools', { addresses: ['quote'] });
    expect(dataOf(described)).toMatchObject({ tools: [{ toolsets: ['market', 'research'] }] });
  });

  it('omits toolsets of which the view shows no tool', async () => {
    const call = await open({ readOnly: true });
    const listed = dataOf<{ toolsets: { key: string }[] }>(await call('list_toolsets'));
    expect(listed.toolsets.map(({ key }) => key)).toEqual(['market', 'research']);
    expect(text(await call('search_tools', { toolset: 'trade' }))).toContain('Toolsets: market, research.');
  });

  it('counts the tools outside of toolsets if there are no toolsets', async () => {
    const { call } = setUp();
    expect(dataOf(await call('list_toolsets'))).toMatchObject({ toolsets: [], others: 4 });
  });
});

describe('a custom ranker', () => {
  it('is created once, from the tools of the view only, and ranks beside the search', async () => {
    const created = vi.fn<(addresses: string[]) => void>();
    const ranker: CreateRanker = async (tools) => {
      created(tools.map(({ address }) => address).toSorted());
      // This ranker returns a tool that shares no word with the query, and an unknown one.
      return { rank: async () => ['hidden', 'send_invoice'] };
    };
    const { call } = setUp({ settings: { ranker } }, { policy: { exclude: ['report'] } });
    const first = rowsOf(await call('search_tools', { query: 'qzxqzx' }));
    expect(first.map(({ address }) => address)).toEqual(['send_invoice']);
    expect(rowsOf(await call('search_tools', { query: 'ban' })).map(({ address }) => address)).toEqual(
      expect.arrayContaining(['platform/users.ban', 'send_invoice']),
    );
    expect(created.mock.calls).toEqual([[['platform/users.ban', 'platform/users.list', 'send_invoice']]]);
  });

  it('is created again for the next query if creating it failed', async () => {
    let tries = 0;
    const ranker: CreateRanker = () => {
      if (tries++ === 0) throw new Error('The model is not there yet');
      return { rank: () => [] };
    };
    const { call } = setUp({ settings: { ranker } });
    expect(text(await call('search_tools', { query: 'ban' }))).toContain('The model is not there yet');
    expect(rowsOf(await call('search_tools', { query: 'ban' }))[0]?.address).toBe('platform/users.ban');
    expect(tries).toBe(2);
  });
});

it('lets no query wait for the index or the ranker of another on Cloudflare Workers', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  try {
    // The request that creates the first ranker is cancelled, so its promise never settles.
    const ranker = vi
      .fn<() => Promise<Ranker>>()
      .mockReturnValueOnce(new Promise(() => {}))
      .mockResolvedValue({ rank: () => [] });
    const { registry } = createRegistry();
    const view = createSearchView(registry, registry.view(), { settings: { ranker } });
    const search = () => registry.executeTool({ name: 'search_tools', arguments: { query: 'people' } }, view);
    void search();
    await vi.waitFor(() => expect(ranker).toHaveBeenCalledTimes(1));
    expect(rowsOf(await search()).map(({ address }) => address)).toContain('platform/users.list');
  } finally {
    vi.unstubAllGlobals();
  }
});
