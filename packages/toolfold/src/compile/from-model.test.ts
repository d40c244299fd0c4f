import { describe, expect, expectTypeOf, it } from 'vitest';
import { wireNameOf } from '../protocol/wire-name.js';
import { ErrDuplicateName, ErrInvalidModel, ErrInvalidTool } from '@toolfold/schema/errors';
import { fromMCPJSON, McpToolConverter } from '../model/converters/mcp-converters.js';
import { Group } from '../model/group.js';
import { Prompt, PromptArgument, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { ToolAnnotations, Tool } from '../model/tool.js';
import type { ToolInit } from '../model/tool.js';
import { ToolRegistry } from '../registry/tool-registry.js';

const createTool = (more: Partial<ToolInit> = {}): Tool =>
  new Tool({
    name: 'search',
    title: 'Search',
    description: 'Finds people',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for' } },
      required: ['query'],
    },
    outputSchema: { type: 'object', properties: { found: { type: 'array' } }, required: ['found'] },
    annotations: new ToolAnnotations({ title: 'Find', readOnlyHint: true }),
    namespace: 'acme',
    version: '1.2.0',
    tags: ['people'],
    icons: [{ src: 'https://acme.example/icon.png' }],
    meta: { 'acme/team': 'directory' },
    ...more,
  });

describe('a Tool of the model', () => {
  it('is listed as the converter writes it, and says that other fields are rejected [S000-09]', () => {
    const tool = createTool();
    const registry = new ToolRegistry().register(tool, () => ({ found: [] }));
    for (const protocolVersion of ['2025-11-25', '2026-07-28'] as const) {
      const written = new McpToolConverter({ protocolVersion, nameOf: wireNameOf }).convertFrom(tool);
      const inputSchema = { ...written.inputSchema, additionalProperties: false };
      expect(registry.view().authored?.listTools(protocolVersion)).toEqual([{ ...written, inputSchema }]);
    }
    expect(registry.getToolDefinition(tool.toolID())).toMatchObject({ version: '1.2.0', tags: ['people'] });
  });

  it('is validated, run and guarded like a definition', async () => {
    const registry = new ToolRegistry<{ user: string }>({ contextFactory: () => ({ user: 'ada' }) }).register(
      createTool(),
      ({ input, context }) => {
        expectTypeOf(input).toEqualTypeOf<Readonly<Record<string, unknown>>>();
        expectTypeOf(context.app).toEqualTypeOf<{ user: string }>();
        return { found: [input['query'], context.app.user] };
      },
      { scopes: ['people:read'] },
    );
    const call = (args: object, scopes: readonly string[] = ['people:read']) =>
      registry.executeTool({ name: 'acme_search', arguments: { ...args }, caller: { auth: { scopes } } });
    expect((await call({ query: 'x' })).structuredContent).toEqual({ found: ['x', 'ada'] });
    expect(await call({ query: 'x' }, [])).toMatchObject({ isError: true });
    expect(await call({ query: 5 })).toMatchObject({ isError: true });
    expect(await call({ query: 'x', more: 1 })).toMatchObject({ isError: true });
    expect([...registry.view({ readOnly: true, tags: ['people'] }).tools.keys()]).toEqual(['acme_search']);
  });

  it('that was read from MCP JSON is served after it was given a description and a namespace [S002-30]', async () => {
    const tool = fromMCPJSON('{"name":"get_file","description":"Reads","inputSchema":{"type":"object"}}');
    tool.namespace = 'files';
    const registry = new ToolRegistry().register(tool, () => 'read');
    expect(await registry.executeTool({ name: 'files_get_file' })).toMatchObject({
      content: [{ text: 'read' }],
    });
  });

  it('is copied: later changes of the model change nothing', () => {
    const tool = createTool();
    const registry = new ToolRegistry().register(tool, () => 1);
    const before = JSON.stringify(registry.listTools());
    tool.description = 'Something else';
    tool.namespace = 'other';
    (tool.inputSchema as { properties: object }).properties = {};
    tool.annotations!.readOnlyHint = false;
    (tool.meta as Record<string, unknown>)['acme/team'] = 'x';
    registry.register({ name: 'ping', description: 'Pings', inputSchema: {}, handler: () => 1 });
    expect(JSON.stringify(registry.listTools().slice(0, 1))).toBe(before);
  });

  it('without a handler, a valid name or a description is rejected', () => {
    const registry = new ToolRegistry();
    const register = registry.register.bind(registry) as (...items: unknown[]) => unknown;
    expect(() => register(createTool())).toThrow('Tool "search" has no handler');
    expect(() => register(createTool({ name: 'a b' }), () => 1)).toThrow(ErrInvalidTool);
    expect(() => register(createTool({ description: undefined }), () => 1)).toThrow('has no description');
    expect(() => register(createTool({ namespace: 'a:b' }), () => 1)).toThrow('namespace');
    expect(() => register(createTool(), () => 1, { scope: ['a'] })).toThrow('has no option "scope"');
    registry.register(createTool(), () => 1);
    expect(() => register(createTool(), () => 1)).toThrow(ErrDuplicateName);
  });

  it.each([{ tags: ['internal'] }, { destructive: true }, { name: 'other' }])(
    'is rejected with the option %j, which the model would override',
    (options) => {
      const registry = new ToolRegistry();
      expect(() => registry.register(createTool(), () => 1, options as object)).toThrow(
        `"${Object.keys(options)[0]}" is not an option, because the model has it. Set it on the Tool.`,
      );
    },
  );

  it('with task support runs as a task for clients that support tasks', () => {
    const registry = new ToolRegistry().register(
      createTool({ execution: { taskSupport: 'required' } }),
      () => 1,
    );
    expect(registry.view().tools.get('acme_search')?.actions.get('')?.action.task).toEqual({
      required: true,
    });
  });
});

describe('a Prompt of the model', () => {
  const prompt = new Prompt({
    name: 'greet',
    title: 'Greet',
    description: 'Greets somebody',
    promptArguments: [
      new PromptArgument({ name: 'who', title: 'Who', description: 'Whom to greet', required: true }),
      new PromptArgument({ name: 'how' }),
    ],
  });

  it('is listed and filled', async () => {
    const registry = new ToolRegistry().registerPrompt(prompt, ({ input }) => {
      expectTypeOf(input['who']).toEqualTypeOf<string | undefined>();
      return `${input['how'] ?? 'Hello'} ${input['who']}`;
    });
    expect(registry.listPrompts()).toEqual([
      {
        name: 'greet',
        title: 'Greet',
        description: 'Greets somebody',
        arguments: [
          { name: 'who', title: 'Who', description: 'Whom to greet', required: true },
          { name: 'how', required: false },
        ],
      },
    ]);
    expect(await registry.getPrompt({ name: 'greet', arguments: { who: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Hello Ada' } }],
    });
    await expect(registry.getPrompt({ name: 'greet', arguments: {} })).rejects.toThrow('who');
    await expect(registry.getPrompt({ name: 'greet', arguments: { who: 5 } })).rejects.toThrow('who');
  });

  it('without a handler is rejected', () => {
    const registry = new ToolRegistry();
    expect(() => registry.registerPrompt(prompt, undefined as never)).toThrow(ErrInvalidModel);
  });
});

describe('a Resource and a ResourceTemplate of the model', () => {
  it('are listed and read', async () => {
    const note = new Resource({
      name: 'note',
      uri: 'notes://1',
      description: 'A note',
      mimeType: 'text/plain',
      size: 5,
      annotations: { priority: 1 },
    });
    const notes = new ResourceTemplate({
      name: 'notes',
      uriTemplate: 'notes://all/{id}',
      mimeType: 'text/plain',
    });
    const registry = new ToolRegistry()
      .registerResource(note, () => 'Hello')
      .registerResource(notes, ({ variables }) => `Note ${variables['id']}`);
    expect(registry.listResources()).toEqual([
      {
        uri: 'notes://1',
        name: 'note',
        description: 'A note',
        mimeType: 'text/plain',
        size: 5,
        annotations: { priority: 1 },
      },
    ]);
    expect(registry.listResourceTemplates()).toMatchObject([
      { uriTemplate: 'notes://all/{id}', name: 'notes' },
    ]);
    expect(await registry.readResource({ uri: 'notes://1' })).toEqual({
      contents: [{ uri: 'notes://1', mimeType: 'text/plain', text: 'Hello' }],
    });
    expect((await registry.readResource({ uri: 'notes://all/7' })).contents[0]).toMatchObject({
      text: 'Note 7',
    });
    expect(() => registry.registerResource(note, undefined as never)).toThrow(ErrInvalidModel);
  });
});

describe('a Group of the model', () => {
  const createTree = () => {
    const [users, admin] = [new Group({ name: 'users', title: 'People' }), new Group({ name: 'admin' })];
    const [search, ban] = [createTool(), createTool({ name: 'ban', namespace: undefined })];
    users.add(search).add(ban);
    admin
      .add(search)
      .add(new Prompt({ name: 'report' }))
      .add(new Resource({ name: 'log', uri: 'log://all' }));
    return new Group({ name: 'platform' }).add(users).add(admin);
  };

  it('is registered with all of its tools, prompts and resources, and its tree stays', async () => {
    const registry = new ToolRegistry({ name: 'server' }).register(createTree(), {
      tool:
        ({ name }) =>
        ({ input }) => ({ found: [name, input['query']] }),
      prompt: () => () => 'Write a report.',
      resource: () => () => 'all',
    });
    expect(registry.listTools().map(({ name }) => name)).toEqual(['acme_search', 'ban']);
    const { structuredContent } = await registry.executeTool({ name: 'ban', arguments: { query: 'x' } });
    expect(structuredContent).toEqual({ found: ['ban', 'x'] });
    expect((await registry.getPrompt({ name: 'report' })).messages).toHaveLength(1);
    expect((await registry.readResource({ uri: 'log://all' })).contents).toHaveLength(1);

    const [platform] = registry.view().root.childGroups;
    expect(platform?.childGroups.map(({ name, title }) => [name, title])).toEqual([
      ['users', 'People'],
      ['admin', undefined],
    ]);
    const [search, ban] = platform!.childGroups[0]!.childTools;
    expect(search!.getFullyQualifiedNames()).toEqual([
      'server.platform.users.search',
      'server.platform.admin.search',
    ]);
    expect(ban!.getFullyQualifiedName()).toBe('server.platform.users.ban');
  });

  it('is rejected as a whole if one of its tools has no handler or its name is taken', () => {
    const registry = new ToolRegistry();
    const handler = () => ({ found: [] });
    const tool = ({ name }: Tool) => (name === 'ban' ? (undefined as never) : handler);
    expect(() => registry.register(createTree(), { tool })).toThrow('Tool "ban" has no handler.');
    expect(() => registry.register(createTree(), {})).toThrow(ErrInvalidTool);
    registry.register(createTool({ name: 'ban', namespace: undefined }), handler);
    expect(() => registry.register(createTree(), { tool: () => handler })).toThrow(ErrDuplicateName);
    expect(registry.size).toBe(1);
  });
});
