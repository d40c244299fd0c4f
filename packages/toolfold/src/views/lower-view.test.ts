import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createCaller, GroupedToolBuilder, ToolRegistry } from '../index.js';
import type { LoweredTool, McpTool } from '@toolfold/profiles';

/** A lowering that is easy to follow: names lose their dots, and the key `a[b]` becomes `a_b`. */
const fake = vi.hoisted(() => ({
  lowerTool: vi.fn<(tool: McpTool, profile: string) => LoweredTool>((tool, profile) => {
    const { properties = {} } = tool.inputSchema as { properties?: Record<string, unknown> };
    const isKeyed = Object.hasOwn(properties, 'a[b]');
    const name = tool.name.replaceAll('.', '_');
    const isShort = tool.description === undefined || tool.description.length < 20;
    if (name === tool.name && !isKeyed && isShort && profile !== 'openai-strict')
      return { tool, changes: [] };
    const { 'a[b]': field, ...others } = properties;
    return {
      tool: {
        ...tool,
        name,
        description: isShort ? tool.description : 'short',
        inputSchema: { ...tool.inputSchema, properties: isKeyed ? { ...others, a_b: field } : properties },
      } as McpTool,
      changes: [],
      ...(isKeyed
        ? { decode: ({ a_b: value, ...rest }: Record<string, unknown>) => ({ ...rest, 'a[b]': value }) }
        : {}),
      ...(profile === 'openai-strict'
        ? {
            decode: (args: object) =>
              Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
          }
        : {}),
    };
  }),
}));
vi.mock('../../../profiles/src/lower-tool.js', () => fake);

const echo = ({ input }: { readonly input: unknown }): string => JSON.stringify(input);
const keyed = {
  type: 'object',
  properties: { 'a[b]': { type: 'string', 'x-mcp-header': 'Ab' } },
  required: ['a[b]'],
} as const;

const textOf = ({ content }: { content: readonly unknown[] }): unknown =>
  (content[0] as { text?: unknown } | undefined)?.text;

function create(): ToolRegistry {
  return new ToolRegistry({ name: 'r', wireNames: 'any' })
    .register({
      name: 'plain',
      description: 'A plain tool',
      inputSchema: z.object({ x: z.string() }),
      handler: echo,
    })
    .register({ name: 'dotted.name', description: 'Dots', inputSchema: { type: 'object' }, handler: echo })
    .register({ name: 'keyed', description: 'Keys', inputSchema: keyed, handler: echo })
    .register({
      name: 'long',
      description: 'A description that is too long for the fake profile',
      inputSchema: { type: 'object', properties: { y: { type: 'string' } } },
      handler: echo,
    });
}

describe('a view', () => {
  it('lists lowered tools, and forwards their calls with the names and arguments of the author', async () => {
    const registry = create();
    const view = registry.view({ profile: 'portable' });
    const listed = view.listTools();
    expect(listed.map(({ name }) => name)).toEqual(['plain', 'dotted_name', 'keyed', 'long']);
    expect(listed[1]?._meta).toEqual({ 'toolfold/name': 'dotted.name' });
    expect(Object.keys(listed[2]?.inputSchema['properties'] ?? {})).toEqual(['a_b']);
    expect(listed[3]?.description).toBe('short');
    const result = await registry.executeTool(
      { name: 'keyed', arguments: { a_b: 'v' }, asListed: true },
      view,
    );
    expect(textOf(result)).toBe('{"a[b]":"v"}');
    expect((await registry.executeTool({ name: 'dotted_name' }, view)).isError).toBeUndefined();
  });

  it('forwards no calls of a tool that the profile accepts, or of which it changes only the list', () => {
    const registry = create();
    const { tools } = registry.view({ profile: 'portable' });
    for (const name of ['plain', 'long']) expect(tools.get(name)?.forward).toBeUndefined();
    expect(tools.get('keyed')?.forward).toBeTypeOf('function');
  });

  it('lowers a tool with an ordinary name when it is first listed or called, and not before', async () => {
    fake.lowerTool.mockClear();
    const registry = new ToolRegistry({ name: 'r' });
    for (const name of ['one', 'two'])
      registry.register({
        name,
        description: 'D',
        inputSchema: { type: 'object', properties: {} },
        handler: echo,
      });
    const view = registry.view({ profile: 'portable' });
    expect(fake.lowerTool).not.toHaveBeenCalled();
    await registry.executeTool({ name: 'one' }, view);
    await registry.executeTool({ name: 'one' }, view);
    expect(fake.lowerTool.mock.calls.map(([{ name }]) => name)).toEqual(['one']);
    view.listTools();
    expect(fake.lowerTool.mock.calls.map(([{ name }]) => name)).toEqual(['one', 'two']);
  });

  it('lists the tools of the author in its authored view', () => {
    const { authored } = create().view({ profile: 'portable' });
    expect(authored?.listTools().map(({ name }) => name)).toEqual(['plain', 'dotted.name', 'keyed', 'long']);
    expect(authored?.authored).toBeUndefined();
  });

  it('accepts the authored name of a tool that it lists under another name', async () => {
    const registry = create();
    const view = registry.view({ profile: 'portable' });
    const result = await registry.executeTool({ name: 'dotted.name' }, view);
    expect(result.isError).toBeUndefined();
    expect([...view.tools.keys()]).not.toContain('dotted.name');
  });

  it('reads the headers of arguments from the lowered schema, and those of authored names, which can be sent too', () => {
    const { tools } = create().view({ profile: 'portable' });
    expect(tools.get('keyed')?.paramHeaders).toEqual([
      { path: ['a_b'], header: 'Mcp-Param-Ab', isNumber: false },
      { path: ['a[b]'], header: 'Mcp-Param-Ab', isNumber: false },
    ]);
  });

  it('gives tools distinct names if the profile gives them the same one', async () => {
    const registry = new ToolRegistry({ wireNames: 'any' });
    for (const name of ['a.b', 'a_b', 'a_.b', 'a__b'])
      registry.register({ name, description: 'D', inputSchema: { type: 'object' }, handler: () => name });
    const view = registry.view({ profile: 'portable' });
    const names = view.listTools().map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
    expect(names[1]).toBe('a_b');
    expect(names[0]).toMatch(/^a_b_[0-9a-f]{8}$/);
    for (const [at, authored] of ['a.b', 'a_b', 'a_.b', 'a__b'].entries())
      expect(textOf(await registry.executeTool({ name: names[at] as string }, view))).toBe(authored);
  });

  it('never lets a tool take the name of another one, whatever the authors chose', () => {
    const registry = new ToolRegistry({ wireNames: 'any' });
    const names = ['a.b', 'a_b'];
    for (const name of names)
      registry.register({ name, description: 'D', inputSchema: {}, handler: () => name });
    const [taken = ''] = registry
      .view({ profile: 'portable' })
      .listTools()
      .map(({ name }) => name);
    registry.register({ name: taken, description: 'D', inputSchema: {}, handler: () => taken });
    const view = registry.view({ profile: 'portable' });
    expect(view.listTools()).toHaveLength(3);
    expect(new Set(view.tools.keys()).size).toBe(3);
    expect(view.tools.get(taken)?.tool.name).toBe(taken);
  });

  it('shares one lowering among the views that hold a tool', () => {
    const registry = create();
    registry.view({ profile: 'gemini' }).listTools();
    fake.lowerTool.mockClear();
    registry.view({ profile: 'gemini', exclude: ['keyed'] }).listTools('2025-11-25');
    expect(fake.lowerTool).not.toHaveBeenCalled();
  });

  it('is one view for the default profile, whether or not the policy names it', () => {
    const registry = create();
    expect(registry.view({ profile: 'standard' })).toBe(registry.view());
    expect(registry.view({ profile: 'gemini' })).not.toBe(registry.view());
  });

  it('is refused for an unknown profile', () => {
    expect(() => create().view({ profile: 'gemni' as never })).toThrow('"profile" of the view policy');
  });
});

describe('a call of a lowered tool', () => {
  it('reaches middleware and observers with the name and the arguments of the author', async () => {
    const seen: unknown[] = [];
    const records: unknown[] = [];
    const registry = new ToolRegistry({
      observe: async ({ record }, run) => {
        await run();
        records.push({ tool: record.tool, address: record.address });
      },
    }).register({ name: 'keyed', description: 'Keys', inputSchema: keyed, handler: echo });
    registry.use((request, next) => {
      seen.push(request.params);
      return next();
    });
    await registry.executeTool(
      { name: 'keyed', arguments: { a_b: 'v' }, asListed: true },
      registry.view({ profile: 'portable' }),
    );
    expect(seen).toEqual([{ name: 'keyed', arguments: { 'a[b]': 'v' } }]);
    expect(records).toEqual([{ tool: 'keyed', address: 'keyed' }]);
  });

  it('reaches the registry that is mounted, also with an unknown action', async () => {
    const inner = new ToolRegistry({ name: 'inner' }).register(
      new GroupedToolBuilder('desk')
        .description('A desk with a long description')
        .action({ name: 'open', inputSchema: keyed, handler: echo }),
    );
    const registry = new ToolRegistry({ name: 'outer' }).mount('m', inner);
    const view = registry.view({ profile: 'portable' });
    const call = (args: Record<string, unknown>) =>
      registry.executeTool({ name: 'm_desk', arguments: args, asListed: true }, view);
    expect(textOf(await call({ action: 'open', a_b: 'v' }))).toBe('{"a[b]":"v"}');
    expect(textOf(await call({ action: 'opne', a_b: 'v' }))).toContain('Unknown action');
  });

  it.each(['executeTool', 'routeCall', 'createCaller'])(
    'is not translated if it comes from %s, whose callers read no list',
    async (way) => {
      const registry = create();
      const args = { 'a[b]': 'v', a_b: 'w' };
      const open = { type: 'object', properties: keyed.properties } as const;
      registry.register({
        name: 'open',
        description: 'Open',
        inputSchema: { ...open, additionalProperties: true },
        handler: echo,
      });
      const view = registry.view({ profile: 'portable' });
      const caller = createCaller(registry, { view }) as unknown as Record<
        string,
        (input: object) => Promise<{ readonly content: readonly unknown[] }>
      >;
      const result =
        way === 'executeTool'
          ? await registry.executeTool({ name: 'open', arguments: args }, view)
          : way === 'routeCall'
            ? await registry.routeCall('open', args)
            : await caller['open']?.(args);
      expect(textOf(result ?? { content: [] })).toBe(JSON.stringify(args));
    },
  );

  it('is not needed by typed callers, which have the types of the author', async () => {
    const registry = create();
    const caller = createCaller(registry) as unknown as Record<string, (input: object) => Promise<unknown>>;
    expect(await caller['keyed']?.({ 'a[b]': 'v' })).toMatchObject({ content: [{ text: '{"a[b]":"v"}' }] });
  });
});
