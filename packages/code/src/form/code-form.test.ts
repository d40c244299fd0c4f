import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CallToolResult, ErrorReport, ToolRegistryOptions, View, ViewPolicy } from 'toolfold';
import { ErrDuplicateName, ErrInvalidOptions, ErrInvalidPolicy } from 'toolfold/errors';
import { createCodeView, createSearchView } from '../../../toolfold/test/form-views.js';
import type { CodeViewOptions } from '../../../toolfold/test/form-views.js';

const LISTED = ['search_tools', 'describe_tools', 'run_code'];

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const reportOf = ({ _meta }: CallToolResult) => _meta?.['toolfold/error'] as ErrorReport | undefined;
const namesOf = (view: View): string[] => view.listTools().map(({ name }) => name);
const rowsOf = ({ structuredContent }: CallToolResult) =>
  (structuredContent as { tools: Record<string, unknown>[] }).tools;

function createRegistry(options: ToolRegistryOptions<unknown> = {}) {
  const ran = vi.fn<(address: string, input: unknown) => void>();
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false, ...options }).register(
    new GroupedToolBuilder('platform').group('users', 'People', (group) =>
      group
        .action({
          name: 'list',
          description: 'Lists people of a team.',
          readOnly: true,
          inputSchema: z.object({
            team: z.string().describe('Name of the team'),
            limit: z.number().int().max(100).default(20),
          }),
          outputSchema: z.object({ people: z.array(z.object({ id: z.string(), name: z.string() })) }),
          handler: ({ input }) => {
            ran('platform/users.list', input);
            return { people: [{ id: '1', name: 'Ada' }] };
          },
        })
        .action({
          name: 'ban',
          description: 'Bans a person',
          destructive: true,
          scopes: ['users:write'],
          inputSchema: z.object({ id: z.string() }),
          handler: ({ input }) => ran('platform/users.ban', input),
        }),
    ),
    {
      name: 'send_invoice',
      description: 'Sends an invoice to a customer',
      destructive: false,
      inputSchema: z.object({ customer: z.string() }),
      handler: ({ input }) => {
        ran('send_invoice', input);
        return `sent to ${input.customer}`;
      },
    },
  );
  return { registry, ran };
}

function setUp(
  form: CodeViewOptions = {},
  { policy, ...options }: ToolRegistryOptions<unknown> & { readonly policy?: ViewPolicy } = {},
) {
  const { registry, ran } = createRegistry(options);
  const view = createCodeView(registry, registry.view(policy), form);
  const call = (name: string, args: Record<string, unknown> = {}, more: object = {}) =>
    registry.executeTool({ name, arguments: args, ...more }, view);
  return { registry, view, ran, call };
}

// The first search loads the index.
beforeAll(() => import('../../../search/src/index.js'));

describe('the list of the code form', () => {
  it('has exactly three tools, with the same text for any registry and view', () => {
    const { registry, view } = setUp();
    expect(namesOf(view)).toEqual(LISTED);
    expect(view.listPages()).toEqual(setUp().view.listPages());
    const other = new ToolRegistry({ name: 'other' }).register({
      name: 'ping',
      description: 'Pings',
      inputSchema: {},
      handler: () => 'pong',
    });
    expect(createCodeView(other, other.view()).listPages()).toEqual(view.listPages());
    expect(createCodeView(registry, registry.view({ readOnly: true })).listPages()).toEqual(view.listPages());
  });

  it('is the same for all profiles and for old and new clients', () => {
    for (const profile of ['portable', 'openai-strict', 'none'] as const) {
      const { view } = setUp({}, { policy: { profile } });
      expect(namesOf(view)).toEqual(LISTED);
      expect(view.listTools('2025-11-25').map(({ name }) => name)).toEqual(LISTED);
    }
  });

  it('says with its hints and its description what code may do', () => {
    const run = (form: CodeViewOptions) =>
      setUp(form)
        .view.listTools()
        .find(({ name }) => name === 'run_code');
    for (const form of [{}, { code: {} }, { code: { allow: 'read' } }] as const) {
      expect(run(form)?.annotations).toEqual({ readOnlyHint: true, destructiveHint: false });
      expect(run(form)?.description).toContain('Code may call only functions of kind "read".');
    }
    const writes = run({ code: { allow: 'write' } });
    expect(writes?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(writes?.description).toContain('a person confirms each call that may destroy data');
    expect(writes?.inputSchema).toMatchObject({
      properties: { code: { type: 'string' }, dryRun: { type: 'boolean' } },
      required: ['code'],
    });
  });

  it('contains pinned tools and actions after the three tools', () => {
    const { view } = setUp({ pinned: ['send_invoice', 'platform/users.list'] });
    expect(namesOf(view)).toEqual([...LISTED, 'send_invoice', 'platform_users_list']);
  });

  it('rejects pins that do not exist and tools with the names of its own tools', () => {
    expect(() => setUp({ pinned: ['send_invoic'] })).toThrow(ErrInvalidPolicy);
    expect(() => setUp({ pinned: ['send_invoic'] })).toThrow(
      'The code form pins "send_invoic", which does not exist. Did you mean "send_invoice"?',
    );
    const { registry } = createRegistry();
    registry.register({ name: 'run_code', description: 'Other', inputSchema: {}, handler: () => '' });
    expect(() => createCodeView(registry, registry.view(), { pinned: ['run_code'] })).toThrow(
      ErrDuplicateName,
    );
    const found = createCodeView(registry, registry.view());
    expect(namesOf(found)).toEqual(LISTED);
  });

  it('rejects unknown options', () => {
    expect(() => setUp({ code: { alow: 'read' } as object })).toThrow(ErrInvalidOptions);
    expect(() => setUp({ settings: { rankr: 5 } as object })).toThrow(ErrInvalidOptions);
  });
});

describe('the other tools of the search form', () => {
  it('can be called without being listed', async () => {
    for (const profile of ['portable', 'openai-strict', 'none'] as const) {
      const { call, ran, view } = setUp({}, { policy: { profile } });
      expect(
        text(await call('call_write_tool', { address: 'send_invoice', arguments: { customer: 'Ada' } })),
      ).toBe('sent to Ada');
      const read = await call('call_read_tool', {
        address: 'platform/users.list',
        arguments: { team: 'core' },
      });
      expect(read.structuredContent).toEqual({ people: [{ id: '1', name: 'Ada' }] });
      expect(ran.mock.calls.map(([address]) => address)).toEqual(['send_invoice', 'platform/users.list']);
      expect((await call('list_toolsets')).structuredContent).toEqual(
        expect.objectContaining({ toolsets: [], others: 3 }),
      );
      expect([...view.root.childTools].map(({ name }) => name)).toEqual(LISTED);
    }
  });

  it('are listed if they are pinned, and the rest stays callable', async () => {
    const { view, call } = setUp({ pinned: ['call_write_tool', 'send_invoice'] });
    expect(namesOf(view)).toEqual([...LISTED, 'call_write_tool', 'send_invoice']);
    expect(view.listTools().find(({ name }) => name === 'call_write_tool')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
    });
    const result = await call('call_read_tool', { address: 'platform/users.list', arguments: { team: 'a' } });
    expect(result.isError).not.toBe(true);
  });

  it('are not named in the error about an unknown tool', async () => {
    const { call } = setUp();
    const result = await call('send_invoice', { customer: 'Ada' });
    expect(reportOf(result)?.code).toBe('ErrUnknownTool');
    expect(text(result)).toContain('Available: search_tools, describe_tools, run_code');
  });

  it('do not keep startup tools with the name run_code in the list', () => {
    const names = ['run_code', 'search_tools', 'ping'];
    const registry = new ToolRegistry().register(
      names.map((name) => ({ name, description: 'A tool', inputSchema: {}, handler: () => 'done' })),
    );
    const view = { ...registry.view({ profile: 'none' }), groups: [{ key: 'base', tools: names }] };
    const startup = ['base'];
    expect(namesOf(createCodeView(registry, view, { startup }))).toEqual([...LISTED, 'ping']);
    expect(namesOf(createSearchView(registry, view, { startup })).slice(5)).toEqual(['run_code', 'ping']);
  });
});

describe('search_tools in the code form', () => {
  it('returns signatures that can be pasted, without addresses', async () => {
    const { call } = setUp();
    const result = await call('search_tools', { queries: ['list people of a team', 'send an invoice'] });
    expect(rowsOf(result).filter(({ confidence }) => confidence === 'strong')).toEqual([
      {
        query: 1,
        signature:
          'tools.platform.users.list({ team: string, limit?: number/*<=100*/ }): {people: {id: string, name: string}[]}',
        summary: 'Lists people of a team',
        kind: 'read',
        confidence: 'strong',
      },
      {
        query: 2,
        signature: 'tools.send_invoice({ customer: string })',
        summary: 'Sends an invoice to a customer',
        kind: 'write',
        confidence: 'strong',
      },
    ]);
  });

  it('lists tools by address with their names', async () => {
    const { call } = setUp();
    const result = await call('search_tools', { limit: 2 });
    expect(rowsOf(result).map(({ signature }) => signature)).toEqual([
      'tools.platform.users.ban(…)',
      'tools.platform.users.list(…)',
    ]);
    expect(text(result)).toContain('offset: 2 returns the next tools.');
  });

  it('finds no hidden tools', async () => {
    const { call } = setUp({}, { policy: { readOnly: true } });
    expect(rowsOf(await call('search_tools', { query: 'send invoice' }))).toEqual([]);
    expect(rowsOf(await call('search_tools'))).toHaveLength(1);
  });
});

describe('describe_tools in the code form', () => {
  it('returns declarations for the names of search_tools, for addresses and for calls', async () => {
    const expected = text(await setUp().call('describe_tools', { tools: ['platform.users.list'] }));
    expect(expected).toMatchInlineSnapshot(`
      "declare const tools: { platform: { users: {
        /**
         * Lists people of a team.
         * Reads only.
         */
        list(input: {
          /** Name of the team */
          team: string;
          /** Integer. At most 100. Default: 20 */
          limit?: number;
        }): Promise<{ people: { id: string; name: string }[] }>;
      } } };"
    `);
    for (const name of [
      'tools.platform.users.list',
      'platform/users.list',
      'tools.platform.users.list({ team: string })',
      'await tools.platform.users.list(…)',
    ])
      expect(text(await setUp().call('describe_tools', { tools: [name] }))).toBe(expected);
  });

  it('says what a call returns without an output schema, and what the operator allows', async () => {
    const tools = ['send_invoice', 'platform.users.ban'];
    const read = text(await setUp().call('describe_tools', { tools }));
    expect(read).toMatchInlineSnapshot(`
      "// unknown: an object or a list if the tool returns JSON, otherwise its text.
      declare const tools: {
        /**
         * Sends an invoice to a customer
         * May change data: code may not call it.
         */
        send_invoice(input: { customer: string }): Promise<unknown>;
        platform: { users: {
          /**
           * Bans a person
           * May change data: code may not call it.
           * Scopes: users:write.
           */
          ban(input: { id: string }): Promise<unknown>;
        } };
      };"
    `);
    const write = text(await setUp({ code: { allow: 'write' } }).call('describe_tools', { tools }));
    expect(write).toContain('May change data.\n');
    expect(write).toContain('May change data. A person confirms each call.\n');
  });

  it('reports unknown names with suggestions beside the known ones', async () => {
    const { call } = setUp();
    const some = text(
      await call('describe_tools', { tools: ['send_invoice', 'users.list', 'platform.users'] }),
    );
    expect(some.split('\n').slice(-2)).toEqual([
      '// tools.users.list is not a function. Did you mean tools.platform.users.list? Call search_tools to find functions.',
      '// tools.platform.users is a namespace, not a function. Its functions: list, ban.',
    ]);
    const none = await call('describe_tools', { tools: ['send_invoic', 'nothing'] });
    expect(none.isError).toBe(true);
    expect(reportOf(none)).toMatchObject({ code: 'ErrUnknownTool', suggestions: ['send_invoice'] });
  });

  it('lets other work run between two tools that take long', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    let turns = 0;
    const count = (): void => {
      turns++;
      others = setImmediate(count);
    };
    let others = setImmediate(count);
    try {
      const { call } = setUp();
      await call('describe_tools', { tools: ['platform.users.list', 'platform.users.ban', 'send_invoice'] });
      // Each of the three tools takes at least three turns.
      expect(turns).toBeGreaterThanOrEqual(3);
    } finally {
      clearImmediate(others);
      clock.mockRestore();
    }
  });

  it('treats hidden tools as unknown', async () => {
    const { call } = setUp({}, { policy: { readOnly: true } });
    const hidden = text(await call('describe_tools', { tools: ['platform.users.ban'] }));
    const never = text(await call('describe_tools', { tools: ['platform.users.bxn'] }));
    expect(hidden.replaceAll('ban', '')).toBe(never.replaceAll('bxn', ''));
  });
});
