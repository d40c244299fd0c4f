import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as OldTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as NewServer, InMemoryTransport, requireScopes } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod3';
import { ToolRegistry } from '../registry/tool-registry.js';
import { createModuleAdapter } from '../toolsets/module-adapter.js';
import { ToolCollector } from './tool-collector.js';
import { Toolsets } from '../toolsets/toolsets.js';

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

// The compiler does not terminate on the SDK's types with a Zod 3 of another package.
const zod3Shape = { id: z3.z.string().optional() } as unknown as { id: z.ZodOptional<z.ZodString> };

/** Every overload with which the first SDK accepts a tool. */
function registerOldTools(server: McpServer): void {
  server.tool('bare', async () => text('bare'));
  server.tool('described', 'With words', async () => text('described'));
  server.tool('shaped', { id: z.string() }, async ({ id }) => text(id));
  server.tool('annotated', { readOnlyHint: true, title: 'Reads' }, async () => text('annotated'));
  server.tool('described_shaped', 'Takes a count', { count: z.number().default(1) }, async ({ count }) =>
    text(count),
  );
  server.tool('described_annotated', 'Says what it is', { destructiveHint: false }, async () => text('da'));
  server.tool('shaped_annotated', { id: z.string() }, { idempotentHint: true }, async ({ id }) => text(id));
  server.tool('all', 'Has it all', { id: z.string() }, { openWorldHint: false }, async ({ id }) => text(id));
  server.tool('empty', 'Takes an empty shape', {}, async (args) => text(args));
  server.tool('old_zod', 'Zod 3', zod3Shape, async ({ id }) => text(id ?? 'none'));
  // Fields with the name of a hint are still fields.
  server.tool(
    'hinting',
    'Fields like hints',
    { title: z.string(), readOnlyHint: z.boolean() },
    async (args) => text(args),
  );
  server.registerTool(
    'configured',
    {
      title: 'Configured',
      description: 'By a configuration',
      inputSchema: { id: z.string() },
      outputSchema: { id: z.string() },
      annotations: { readOnlyHint: true },
      _meta: { 'acme/x': 1 },
    },
    async ({ id }) => ({ ...text({ id }), structuredContent: { id } }),
  );
  server.registerTool('whole', { inputSchema: z.object({ id: z.string() }) }, async ({ id }) => text(id));
  server.registerTool('silent', {}, async ({ signal }) => text(signal.aborted));
}

/** Every overload with which the second SDK accepts a tool. */
function registerNewTools(server: NewServer): void {
  server.registerTool(
    'object',
    {
      title: 'Object',
      description: 'Takes an object',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ id: z.string() }),
      annotations: { readOnlyHint: true, title: 'Not this one' },
      icons: [{ src: 'https://acme.example/icon.png' }],
      _meta: { 'acme/x': 1 },
    },
    async ({ id }, { mcpReq }) => ({
      ...text({ id: `${id} ${mcpReq.signal.aborted}` }),
      structuredContent: { id },
    }),
  );
  server.registerTool('shape', { inputSchema: { id: z.string() } }, async ({ id }) => text(id));
  server.registerTool('nothing', { description: 'Takes nothing' }, async ({ mcpReq }) => text(mcpReq.method));
}

async function listOf(register: (server: never) => void) {
  const toolsets = new Toolsets(new ToolRegistry({ name: 'test' }), {
    catalog: { all: { name: 'All', description: 'All of them', modules: ['all'] } },
    moduleLoaders: { all: createModuleAdapter('all', register) },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: {},
    exposurePolicy: {},
  });
  const view = await toolsets.view(toolsets.startup, { context: {}, hash: '' });
  return view.listTools();
}

describe('ToolCollector', () => {
  it('[S003-01] [S003-04] accepts every registration of the first SDK with the same meaning, and serves nothing', async () => {
    const server = new McpServer({ name: 'old', version: '1.0.0' });
    registerOldTools(server);
    const client = new OldClient({ name: 'test', version: '1.0.0' });
    const [here, there] = OldTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    const { tools: theirs } = await client.listTools();
    await client.close();

    const ours = await listOf(registerOldTools as (server: never) => void);
    expect(ours.map(({ name }) => name)).toEqual(theirs.map(({ name }) => name));
    for (const [index, tool] of ours.entries()) {
      const their = theirs[index]!;
      expect(Object.keys(tool.inputSchema['properties'] ?? {}), tool.name).toEqual(
        Object.keys(their.inputSchema.properties ?? {}),
      );
      expect(tool.inputSchema['required'] ?? [], tool.name).toEqual(their.inputSchema.required ?? []);
      const { title: theirTitle, ...hints } = their.annotations ?? {};
      const { title, ...ourHints } = tool.annotations ?? {};
      expect(ourHints, tool.name).toMatchObject(hints);
      expect(tool.title ?? title, tool.name).toBe(their.title ?? theirTitle);
      if (their.description !== undefined) expect(tool.description).toBe(their.description);
    }
  });

  it('[S003-01] accepts every registration of the second SDK with the same meaning', async () => {
    const server = new NewServer({ name: 'new', version: '1.0.0' });
    registerNewTools(server);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(there), client.connect(here)]);
    const { tools: theirs } = await client.listTools();
    await client.close();

    const ours = await listOf(registerNewTools as (server: never) => void);
    expect(ours.map(({ name, title }) => [name, title])).toEqual(
      theirs.map(({ name, title }) => [name, title]),
    );
    expect(ours[0]).toMatchObject({
      icons: theirs[0]!.icons,
      _meta: theirs[0]!._meta,
      annotations: { readOnlyHint: true },
      inputSchema: { properties: theirs[0]!.inputSchema.properties },
      outputSchema: { properties: theirs[0]!.outputSchema!['properties'] },
    });
  });

  it('[S003-05] [S003-06] captures name, description, converted schema, handler and annotations', () => {
    const collector = new ToolCollector();
    collector.tool('get', 'Gets', { id: z.string().describe('Which') }, { readOnlyHint: true }, () => 'got');
    expect(collector.getToolDefinitions()).toEqual([
      {
        name: 'get',
        description: 'Gets',
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'string', description: 'Which' } },
          required: ['id'],
        },
        inputSource: { id: expect.anything() },
        annotations: { readOnlyHint: true },
        handler: expect.any(Function),
      },
    ]);
  });

  it.each([
    ['Zod 4 shape', { id: z.string() }],
    ['Zod 4 object', z.object({ id: z.string() })],
    ['Zod 3 shape', { id: z3.z.string() }],
    ['Zod 3 object', z3.z.object({ id: z3.z.string() })],
    ['JSON Schema', { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
  ])('[S003-06] converts a %s', (_, schema) => {
    const collector = new ToolCollector();
    collector.registerTool('a', { inputSchema: schema }, () => '');
    collector.tool('b', 'B', schema, () => '');
    for (const { inputSchema } of collector.getToolDefinitions()) {
      expect(inputSchema).toMatchObject({
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
      });
    }
  });

  it('treats JSON Schema with only a type as a schema, and hints of later revisions as hints', () => {
    const collector = new ToolCollector();
    collector.tool('schema', 'S', { type: 'object', title: 'Arguments' }, (args: unknown) => args);
    collector.tool('hints', 'H', { readOnlyHint: true, laterHint: 'x' }, () => '');
    const [schema, hints] = collector.getToolDefinitions();
    expect([schema?.annotations, schema?.title]).toEqual([{}, undefined]);
    expect(hints?.annotations).toEqual({ readOnlyHint: true, laterHint: 'x' });
  });

  it('[S003-07] runs a captured handler with the arguments, or with only the extra if there is no schema', async () => {
    const collector = new ToolCollector();
    collector.tool('with', 'W', { id: z.string() }, (...args: unknown[]) => args);
    collector.tool('without', 'W', (...args: unknown[]) => args);
    collector.tool('failing', 'W', () => {
      throw new Error('at once');
    });
    const [given, bare, failing] = collector.getToolDefinitions();
    const pending = given!.handler({ id: '1' }, 'extra');
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toEqual([{ id: '1' }, 'extra']);
    expect(await bare!.handler({}, 'extra')).toEqual(['extra']);
    await expect(failing!.handler({})).rejects.toThrow('at once');
  });

  it('[S003-09] [S003-10] [S003-11] [S003-12] counts tools, keeps their order, and can be cleared', () => {
    const collector = new ToolCollector();
    const names = ['z', 'a', 'toString', '10', '9'];
    for (const name of names) expect(collector.tool(name, 'Is one', {}, () => '')).toBeUndefined();
    expect(collector.getToolCount()).toBe(5);
    expect(collector.getToolDefinitions().map(({ name }) => name)).toEqual(names);
    collector.clear();
    expect([collector.getToolCount(), collector.getToolDefinitions()]).toEqual([0, []]);
    collector.tool('z', 'Again', {}, () => '');
    expect(collector.getToolCount()).toBe(1);
  });

  it('uses the title or name as description if a tool has none', () => {
    const collector = new ToolCollector();
    collector.tool('first', '', {}, () => '');
    collector.registerTool('second', { title: 'Second' }, () => '');
    expect(collector.getToolDefinitions().map(({ description }) => description)).toEqual(['first', 'Second']);
  });

  it('rejects a duplicate name, a missing name, a missing handler, and a scope check that would never run', () => {
    const collector = new ToolCollector();
    collector.tool('a', () => '');
    expect(() => collector.tool('a', () => '')).toThrow('"a" is already registered');
    expect(() => collector.tool('', () => '')).toThrow('without a name');
    expect(() => collector.tool('b', 'No handler' as never)).toThrow('has no handler');
    expect(() =>
      collector.registerTool('c', { scopeChallenge: requireScopes('write') } as never, () => ''),
    ).toThrow('scopeChallenge');
    expect(collector.getToolCount()).toBe(1);
  });

  it('runs handlers of both SDKs without an SDK server', async () => {
    const registry = new ToolRegistry({ name: 'test' });
    const toolsets = new Toolsets(registry, {
      catalog: { all: { name: 'All', description: 'All', modules: ['old', 'new'] } },
      moduleLoaders: {
        old: createModuleAdapter('old', registerOldTools),
        new: createModuleAdapter('new', registerNewTools),
      },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
    });
    const view = await toolsets.view(toolsets.startup, { context: {}, hash: '' });
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      registry.executeTool({ name, arguments: args }, view);
    expect(await call('described_shaped')).toMatchObject({ content: [{ text: '1' }] });
    expect(await call('silent')).toMatchObject({ content: [{ text: 'false' }] });
    expect(await call('nothing')).toMatchObject({ content: [{ text: '"tools/call"' }] });
    expect(await call('object', { id: 'x' })).toMatchObject({ structuredContent: { id: 'x' } });
    expect(await call('object', { id: 1 })).toMatchObject({ isError: true });
  });
});
