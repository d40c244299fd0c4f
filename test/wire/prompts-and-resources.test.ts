import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrDuplicateName, ErrInvalidModel } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';

const languages = ['english', 'estonian', 'spanish'];
const registry = () =>
  new ToolRegistry({ name: 'acme', contextFactory: ({ accessToken }) => ({ token: accessToken }) })
    .registerPrompt({
      name: 'greet',
      title: 'Greeting',
      description: 'Greets somebody',
      inputSchema: z.object({ who: z.string().describe('Whom'), language: z.string().optional() }),
      complete: {
        language: (typed, { arguments: others }) =>
          others['who'] === 'nobody' ? [] : languages.filter((name) => name.startsWith(typed)),
      },
      handler: ({ input }) => `Say hello to ${input.who}${input.language ? ` in ${input.language}` : ''}`,
    })
    .registerPrompt({
      name: 'dialogue',
      handler: () => [
        { role: 'user', content: { type: 'text', text: 'Q' } },
        { role: 'assistant', content: { type: 'text', text: 'A' } },
      ],
    })
    .registerResource({
      name: 'readme',
      uri: 'file:///readme.md',
      mimeType: 'text/markdown',
      size: 2,
      handler: () => '# Hi',
    })
    .registerResource({
      name: 'logo',
      uri: 'file:///logo.png',
      mimeType: 'image/png',
      handler: () => new Uint8Array([1, 2, 3]),
    })
    .registerResource({
      name: 'user',
      uriTemplate: 'users://{id}/profile',
      complete: { id: (typed) => Array.from({ length: 150 }, (_, index) => `${typed}${index}`) },
      handler: ({ uri, variables, context }) => JSON.stringify({ uri, variables, app: context.app }),
    });

async function connectV2(tools = registry()) {
  const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
  const detach = tools.attachToServer(server);
  const client = new Client({ name: 'c', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return { client, detach };
}

async function connectV1(tools = registry()) {
  const server = new ServerV1({ name: 'a', version: '1' }, { capabilities: {} });
  const detach = tools.attachToServer(server);
  const client = new ClientV1({ name: 'c', version: '1' });
  const [near, far] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return { client, detach };
}

describe.each([
  ['first', connectV1],
  ['second', connectV2],
] as const)('through a server of the %s SDK', (_which, connectTo) => {
  const connect = connectTo as typeof connectV2;

  it('prompts are listed with their arguments and filled', async () => {
    const { client } = await connect();
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([
      {
        name: 'greet',
        title: 'Greeting',
        description: 'Greets somebody',
        arguments: [
          { name: 'who', description: 'Whom', required: true },
          { name: 'language', required: false },
        ],
      },
      { name: 'dialogue', arguments: [] },
    ]);
    expect(
      await client.getPrompt({ name: 'greet', arguments: { who: 'Ada', language: 'spanish' } }),
    ).toMatchObject({
      description: 'Greets somebody',
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hello to Ada in spanish' } }],
    });
    expect((await client.getPrompt({ name: 'dialogue' })).messages).toHaveLength(2);
    await client.close();
  });

  it('unknown prompts and missing prompt arguments are protocol errors', async () => {
    const { client } = await connect();
    await expect(client.getPrompt({ name: 'great' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Did you mean "greet"?') as string,
    });
    await expect(client.getPrompt({ name: 'greet', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('who') as string,
    });
    await client.close();
  });

  it('resources are listed and read, as text, as bytes and from a template', async () => {
    const { client } = await connect();
    expect((await client.listResources()).resources).toEqual([
      { uri: 'file:///readme.md', name: 'readme', mimeType: 'text/markdown', size: 2 },
      { uri: 'file:///logo.png', name: 'logo', mimeType: 'image/png' },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'users://{id}/profile', name: 'user' },
    ]);
    expect((await client.readResource({ uri: 'file:///readme.md' })).contents).toEqual([
      { uri: 'file:///readme.md', mimeType: 'text/markdown', text: '# Hi' },
    ]);
    expect((await client.readResource({ uri: 'file:///logo.png' })).contents).toEqual([
      { uri: 'file:///logo.png', mimeType: 'image/png', blob: 'AQID' },
    ]);
    const [profile] = (await client.readResource({ uri: 'users://a%20b/profile' })).contents;
    expect(JSON.parse((profile as { text: string }).text)).toEqual({
      uri: 'users://a%20b/profile',
      variables: { id: 'a b' },
      app: {},
    });
    await expect(client.readResource({ uri: 'users://a/b/profile' })).rejects.toMatchObject({
      code: -32_602,
    });
    await client.close();
  });

  it('arguments and variables are completed, at most a hundred', async () => {
    const { client } = await connect();
    const prompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'language', value: 'e' },
    });
    expect(prompt.completion).toEqual({ values: ['english', 'estonian'], total: 2, hasMore: false });
    const dependent = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'language', value: 'e' },
      context: { arguments: { who: 'nobody' } },
    });
    expect(dependent.completion.values).toEqual([]);
    const template = await client.complete({
      ref: { type: 'ref/resource', uri: 'users://{id}/profile' },
      argument: { name: 'id', value: 'u' },
    });
    expect(template.completion).toMatchObject({ total: 150, hasMore: true });
    expect(template.completion.values).toHaveLength(100);
    await client.close();
  });

  it('only subscribed clients are notified of a change', async () => {
    const tools = registry();
    const { client } = await connect(tools);
    const heard = vi.fn<(uri: string) => void>();
    const listen = client.setNotificationHandler.bind(client) as unknown as (
      key: unknown,
      handler: (notification: { params: { uri: string } }) => void,
    ) => void;
    const method = 'notifications/resources/updated';
    const isV1 = client instanceof ClientV1;
    listen(
      isV1 ? z.object({ method: z.literal(method), params: z.object({ uri: z.string() }) }) : method,
      ({ params }) => heard(params.uri),
    );
    await client.subscribeResource({ uri: 'file:///readme.md' });
    tools.notifyResourceUpdated('file:///logo.png');
    tools.notifyResourceUpdated('file:///readme.md');
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith('file:///readme.md'));
    await client.unsubscribeResource({ uri: 'file:///readme.md' });
    tools.notifyResourceUpdated('file:///readme.md');
    await client.listResources();
    expect(heard).toHaveBeenCalledTimes(1);
    await client.close();
  });

  it('a server without prompts and resources does not declare them', async () => {
    const { client } = await connect(
      new ToolRegistry().register({
        name: 'ping',
        description: 'Does something',
        inputSchema: {},
        handler: () => 'pong',
      }) as never,
    );
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, logging: {} });
    await client.close();
  });
});

describe('registering', () => {
  it('rejects invalid items', () => {
    const tools = registry();
    expect(() => tools.registerPrompt({ name: 'greet', handler: () => '' })).toThrow(ErrDuplicateName);
    expect(() => tools.registerPrompt({ name: '', handler: () => '' })).toThrow(ErrInvalidModel);
    expect(() => tools.registerPrompt({ name: 'x', complete: { y: () => [] }, handler: () => '' })).toThrow(
      'completes "y"',
    );
    expect(() => tools.registerResource({ name: 'x', handler: () => '' } as never)).toThrow(
      'either a uri or a uriTemplate',
    );
    expect(() => tools.registerResource({ name: 'x', uri: 'file:///readme.md', handler: () => '' })).toThrow(
      ErrDuplicateName,
    );
    expect(() => tools.registerResource({ name: 'x', uriTemplate: 'a://{?q}', handler: () => '' })).toThrow(
      'not supported',
    );
    expect(() =>
      tools.registerResource({
        name: 'x',
        uriTemplate: 'a://{b}',
        complete: { c: () => [] },
        handler: () => '',
      }),
    ).toThrow('completes "c"');
  });

  it('matches slashes with a plus, and stops at a slash without', async () => {
    const tools = new ToolRegistry().registerResource({
      name: 'file',
      uriTemplate: 'file:///{+path}',
      handler: ({ variables }) => variables['path'] ?? '',
    });
    expect((await tools.readResource({ uri: 'file:///a/b.c?d' })).contents).toMatchObject([
      { text: 'a/b.c?d' },
    ]);
  });
});
