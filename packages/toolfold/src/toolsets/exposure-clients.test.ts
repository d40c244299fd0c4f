import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultClients, GroupedToolBuilder, ToolRegistry } from '../index.js';
import { Exposure } from '../web.js';
import type { OfferedView } from '../web.js';
import type { View } from '../views/view.js';

const names = (view: View): string[] => view.listTools().map(({ name }) => name);

/** A registry with so many grouped tools, each with so many actions. */
function create(groups: number, actions: number): ToolRegistry {
  const registry = new ToolRegistry();
  for (let group = 0; group < groups; group++) {
    const builder = new GroupedToolBuilder(`group${group}`).description('A group');
    for (let action = 0; action < actions; action++)
      builder.action({ name: `act${action}`, description: 'Acts', inputSchema: {}, handler: () => 'done' });
    registry.register(builder);
  }
  return registry;
}

function expose(registry: ToolRegistry, view: OfferedView) {
  const errors: Error[] = [];
  const exposure = new Exposure(registry, { view, onError: (error) => errors.push(error as Error) });
  const viewOf = async (name?: string, version = '9.0.0'): Promise<View> =>
    exposure.viewFor({ caller: name === undefined ? {} : { client: { name, version } } });
  return { exposure, viewOf, errors };
}

describe("form: 'auto'", () => {
  it('lists flat tools for clients that search tools themselves', async () => {
    const { viewOf } = expose(create(2, 3), { form: 'auto' });
    expect(names(await viewOf('claude-code'))).toHaveLength(6);
    expect(names(await viewOf('claude-code', '2.0.0'))).toEqual(['group0', 'group1']);
    expect(names(await viewOf('codex-mcp-client'))).toHaveLength(6);
  });

  it('lists grouped tools for clients with a limit that they fit, and the search form for others', async () => {
    const { viewOf, errors } = expose(create(41, 4), { form: 'auto' });
    expect(names(await viewOf('cursor-vscode'))).toContain('search_tools');
    expect(names(await viewOf('Visual Studio Code'))).toHaveLength(41);
    expect(names(await viewOf())).toContain('search_tools');
    expect(names(await viewOf('claude-ai'))).toHaveLength(41);
    expect(errors).toEqual([]);
  });

  it('lists grouped tools whose descriptions are too long for the client, because the action argument describes the rest', async () => {
    const description = `A desk. ${'It has many drawers that hold things. '.repeat(60)}`;
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('desk', { maxDescriptionLength: 4_000 })
        .description(description)
        .action({ name: 'open', description: 'Opens it', inputSchema: {}, handler: () => 'open' })
        .action({ name: 'close', description: 'Closes it', inputSchema: {}, handler: () => 'closed' }),
    );
    const { viewOf } = expose(registry, { form: 'auto' });
    const [desk] = (await viewOf('chatgpt')).listTools();
    expect(desk?.name).toBe('desk');
    expect(desk?.description).toMatch(/^A desk\..*\n- `open`: Opens it\n- `close`: Closes it$/s);
    expect(JSON.stringify(desk?.inputSchema['properties'])).toContain('It has many drawers');
  });

  it('can be set for a client by the operator', async () => {
    const view: OfferedView = {
      form: 'auto',
      clients: [{ name: 'My-Agent', profile: 'portable', form: 'search' }],
    };
    const { viewOf } = expose(create(1, 2), view);
    expect(names(await viewOf('my-agent'))).toContain('search_tools');
    expect(names(await viewOf('my-agent-2'))).toEqual(['group0']);
  });

  it('rejects names that clash in the flat form when the server starts', () => {
    const registry = new ToolRegistry()
      .register(
        new GroupedToolBuilder('a').description('A').action({ name: 'b', inputSchema: {}, handler: () => 1 }),
      )
      .register({ name: 'a_b', description: 'AB', inputSchema: {}, handler: () => 1 });
    expect(() => new Exposure(registry, { view: { form: 'auto' } })).toThrow('a_b');
  });
});

describe("profile: 'client'", () => {
  it('gives all clients of one profile and form the same view, however they call themselves', async () => {
    const { viewOf } = expose(create(2, 2), { profile: 'client' });
    expect(await viewOf('cursor-vscode')).toBe(await viewOf('Cursor', '0.1'));
    expect((await viewOf('cursor-vscode')).policy.profile).toBe('cursor');
    expect(await viewOf()).toBe(await viewOf('unheard-of'));
    expect((await viewOf()).policy.profile).toBeUndefined();
    const hostile = Array.from({ length: 1_000 }, (_, at) => viewOf(`hostile ${at} ${'x'.repeat(at)}`));
    expect(new Set(await Promise.all(hostile)).size).toBe(1);
  });

  it('tells the operator once that a client gets more tools than it takes', async () => {
    const { viewOf, errors } = expose(create(41, 1), { profile: 'client' });
    for (let at = 0; at < 3; at++) {
      await viewOf('cursor-vscode');
      await viewOf('Visual Studio Code');
    }
    expect(errors.map(({ message }) => message)).toEqual([
      'A client of the profile "cursor" gets 41 tools, and it offers 40 to a model. Write form: \'auto\', or offer fewer tools.',
    ]);
  });

  it('makes a list private only if two clients may get different tools', () => {
    const registry = create(1, 1);
    const varies = (view: OfferedView): boolean => expose(registry, view).exposure.variesByClient;
    expect(varies({})).toBe(true);
    expect(varies({ profile: 'standard' })).toBe(false);
    expect(varies({ profile: 'gemini', form: 'search' })).toBe(false);
    expect(varies({ profile: 'client' })).toBe(true);
    expect(varies({ form: 'auto' })).toBe(true);
    expect(varies({ profile: 'client', clients: [{ name: '*', profile: 'gemini' }] })).toBe(false);
  });

  it('keeps no long names of clients, because anybody can send names of a megabyte', async () => {
    const { viewOf } = expose(create(1, 1), {});
    const set = vi.spyOn(LRUCache.prototype, 'set');
    onTestFinished(() => set.mockRestore());
    const usual = await viewOf('cursor');
    expect(await viewOf(`cursor${'x'.repeat(1_000_000)}`)).toBe(usual);
    expect(await viewOf('cursor', '9'.repeat(1_000_000))).toBe(usual);
    const keys = set.mock.calls.map(([key]) => String(key));
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(1_000);
  });

  it('never shows a caller the tools of another client, whatever order their requests come in', async () => {
    const registry = create(3, 2);
    const clients = [
      'cursor-vscode',
      'claude-code',
      'Visual Studio Code',
      'gemini-cli',
      'codex',
      'x',
      undefined,
    ];
    const selections = [
      undefined,
      { tools: ['group0'] },
      { excludeTools: ['group1_act0'] },
      { readOnly: true },
    ];
    const alone = async (client: string | undefined, selection: (typeof selections)[number]) => {
      const exposure = new Exposure(create(3, 2), { view: { profile: 'client', form: 'auto' } });
      return JSON.stringify((await exposure.viewFor(requestOf(client, selection))).listTools());
    };
    const expected = new Map<string, string>();
    const shared = new Exposure(registry, { view: { profile: 'client', form: 'auto' } });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...clients), fc.constantFrom(...selections)), { maxLength: 12 }),
        async (requests) => {
          const listed = await Promise.all(
            requests.map(async ([client, selection]) =>
              (await shared.viewFor(requestOf(client, selection))).listTools(),
            ),
          );
          for (const [at, [client, selection]] of requests.entries()) {
            const key = JSON.stringify([client, selection]);
            if (!expected.has(key)) expected.set(key, await alone(client, selection));
            expect(JSON.stringify(listed[at])).toBe(expected.get(key));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('keeps its rules with toolsets that are loaded', async () => {
    const exposure = new Exposure(new ToolRegistry(), {
      view: { profile: 'client', form: 'auto' },
      toolsets: {
        catalog: { desk: { name: 'Desk', description: 'A desk', modules: ['desk'] } },
        moduleLoaders: {
          desk: async () => [
            new GroupedToolBuilder('desk')
              .description('A desk')
              .action({ name: 'open', inputSchema: {}, handler: () => 'open' })
              .action({ name: 'close', inputSchema: {}, handler: () => 'closed' }),
          ],
        },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      },
    });
    const viewOf = async (name: string): Promise<View> =>
      exposure.viewFor({ caller: { client: { name, version: '9' } } });
    expect(names(await viewOf('claude-code'))).toEqual(['desk_open', 'desk_close']);
    expect(names(await viewOf('cursor'))).toEqual(['desk']);
    expect(await viewOf('cursor')).toBe(await viewOf('Cursor 2'));
    exposure.close();
  });
});

describe('a fixed profile', () => {
  const message = (error: Error): string => error.message;

  it('tells the operator once that its clients get more tools than they take', async () => {
    const { viewOf, errors } = expose(create(41, 1), { profile: 'cursor' });
    expect(errors.map(message)).toEqual([
      'A client of the profile "cursor" gets 41 tools, and it offers 40 to a model. Write form: \'auto\', or offer fewer tools.',
    ]);
    for (let at = 0; at < 3; at++) await viewOf('cursor-vscode');
    expect(errors).toHaveLength(1);
  });

  it('tells the operator after a registration that exceeds the limit, and not before', async () => {
    const registry = create(40, 1);
    const { viewOf, errors } = expose(registry, { profile: 'cursor' });
    await viewOf();
    expect(errors).toEqual([]);
    registry.register({ name: 'one_more', description: 'One more', inputSchema: {}, handler: () => 1 });
    await viewOf();
    await viewOf();
    expect(errors.map(message)).toEqual([expect.stringContaining('gets 41 tools')]);
  });

  it('tells the operator nothing if its form fits, if it has no limit, or if the client is unknown', async () => {
    for (const view of [
      { profile: 'cursor', form: 'search' },
      { profile: 'vscode' },
      { profile: 'anthropic', form: 'flat' },
      { profile: 'none', form: 'flat' },
      { profile: 'portable', form: 'flat' },
      {},
    ] satisfies OfferedView[]) {
      const { viewOf, errors } = expose(create(41, 4), view);
      await viewOf('unheard-of');
      expect(errors, JSON.stringify(view)).toEqual([]);
    }
  });

  it('tells the operator about toolsets that are loaded', async () => {
    const errors: Error[] = [];
    const tools = Array.from({ length: 41 }, (_, at) => ({
      name: `tool${at}`,
      description: 'A tool',
      inputSchema: {},
      handler: () => at,
    }));
    const exposure = new Exposure(new ToolRegistry(), {
      view: { profile: 'cursor' },
      toolsets: {
        catalog: { desk: { name: 'Desk', description: 'A desk', modules: ['desk'] } },
        moduleLoaders: { desk: async () => tools },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      },
      onError: (error) => errors.push(error as Error),
    });
    for (let at = 0; at < 3; at++) await exposure.viewFor({});
    expect(errors.map(message)).toEqual([expect.stringContaining('gets 41 tools')]);
    exposure.close();
  });
});

describe('toolsets', () => {
  const toolsets = (mode: 'STATIC' | 'DYNAMIC') => ({
    catalog: { desk: { name: 'Desk', description: 'A desk', modules: ['desk'] } },
    moduleLoaders: {
      desk: async () => [
        new GroupedToolBuilder('desk')
          .description('A desk')
          .action({ name: 'open', inputSchema: {}, handler: () => 'open' })
          .action({ name: 'close', inputSchema: {}, handler: () => 'closed' }),
        { name: 'lamp.on', description: 'Switches the lamp on', inputSchema: {}, handler: () => 'on' },
      ],
    },
    startup: { mode, toolsets: ['desk'] },
  });

  it('are grouped for a client whose row says so, even if all other clients get flat tools', async () => {
    const exposure = new Exposure(new ToolRegistry({ wireNames: 'any' }), {
      view: {
        form: 'auto',
        clients: [
          { name: 'cursor*', profile: 'cursor', form: 'grouped' },
          { name: '*', profile: 'portable', form: 'flat' },
        ],
      },
      toolsets: toolsets('STATIC'),
    });
    const namesFor = async (name: string): Promise<string[]> =>
      names(await exposure.viewFor({ caller: { client: { name, version: '9' } } }));
    for (let round = 0; round < 2; round++) {
      expect(await namesFor('cursor')).toEqual(['desk', 'lamp_on']);
      expect(await namesFor('x')).toEqual(['desk_open', 'desk_close', 'lamp_on']);
    }
    exposure.close();
  });

  it.each([
    ['lamp_on', 'the name that a profile gives'],
    ['light_on', 'the former name that a profile gave'],
    ['light.on', 'the former name of the author'],
    ['room_old', 'the former name with the namespace'],
    ['desk_shut', 'the former name of an action in the flat form'],
    ['table_close', 'the former name of its tool in the flat form'],
  ])('hide %s from a caller whose ceiling excludes it: %s', async (name) => {
    const handler = (): string => 'done';
    const tool = { description: 'A tool', inputSchema: {}, handler };
    const tools = [
      { ...tool, name: 'lamp.on', aliases: ['light.on'] },
      { ...tool, name: 'new', namespace: 'room', aliases: ['old'] },
      new GroupedToolBuilder('desk', { aliases: ['table'] })
        .description('A desk')
        .action({ name: 'close', aliases: ['shut'], inputSchema: {}, handler }),
      { ...tool, name: 'kept' },
    ];
    const sees = async (selection: object, request: object = {}): Promise<string[]> => {
      const exposure = new Exposure(new ToolRegistry({ wireNames: 'any' }), {
        view: { profile: 'client' },
        toolsets: {
          catalog: { home: { name: 'Home', description: 'A home', tools } },
          startup: { mode: 'STATIC', toolsets: 'ALL' },
          select: () => selection,
        },
      });
      const listed = names(await exposure.viewFor({ caller: {}, ...request }));
      exposure.close();
      return listed;
    };
    expect(await sees({})).toHaveLength(4);
    const left = await sees({ excludeTools: [name] });
    expect(left).toHaveLength(3);
    expect(left).toContain('kept');
    // A request selects and excludes the same tool by this name.
    expect(await sees({}, { selection: { excludeTools: [name] } })).toEqual(left);
    expect(await sees({}, { selection: { tools: [name, 'kept'] } })).toHaveLength(2);
  });

  it('that are active from the start stay listed beside the search, also if a profile renames their tools', async () => {
    const exposure = new Exposure(new ToolRegistry({ wireNames: 'any' }), { toolsets: toolsets('DYNAMIC') });
    const view = await exposure.viewFor({ protocolVersion: '2026-07-28' });
    expect(names(view)).toEqual(expect.arrayContaining(['search_tools', 'desk', 'lamp_on']));
    exposure.close();
  });
});

it('exports the table, so that an operator can look it up and copy rows', () => {
  expect(defaultClients.find(({ name }) => name === 'cursor*')?.maxTools).toBe(40);
});

function requestOf(name: string | undefined, selection: object | undefined) {
  return {
    caller: name === undefined ? {} : { client: { name, version: '9' } },
    ...(selection ? { selection } : {}),
  };
}
