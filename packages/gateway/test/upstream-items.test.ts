import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolRegistry } from 'toolfold';
import { connect, eras, follow, serve, subscribe } from '../../../test/wire/followed-servers.js';

const question = z.object({ answer: z.string() });

/** An upstream server with every kind of item. Its notes count their subscribers. */
function createOrigin() {
  const watched: string[] = [];
  const origin = new ToolRegistry({ name: 'origin', instructions: 'Be kind' });
  const note = {
    name: 'note',
    mimeType: 'text/markdown',
    subscribe: ({ uri }: { uri: string }) => {
      watched.push(`+${uri}`);
      return () => void watched.push(`-${uri}`);
    },
  };
  origin
    .register({
      name: 'echo',
      description: 'Echoes',
      inputSchema: { text: z.string() },
      handler: ({ input }) => input.text,
    })
    .registerPrompt({
      name: 'greet',
      title: 'Greeting',
      description: 'Greets a person',
      inputSchema: { name: z.string().describe('Whom to greet'), tone: z.string().optional() },
      complete: {
        tone: (typed, { arguments: { name } }) =>
          ['warm', 'cold', `like ${name}`].filter((each) => each.startsWith(typed)),
      },
      handler: ({ input: { name, tone } }) => [
        { role: 'user', content: { type: 'text', text: `Greet ${name}, ${tone ?? 'as you like'}` } },
        { role: 'assistant', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
        {
          role: 'user',
          content: { type: 'resource', resource: { uri: 'note://1', text: 'one', mimeType: 'text/plain' } },
        },
        { role: 'user', content: { type: 'resource_link', uri: 'note://2', name: 'two' } },
        { role: 'user', content: { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } },
      ],
    })
    .registerPrompt({
      name: 'color',
      handler: async ({ context }) => {
        const { asked } = await context.requestInput({
          asked: { message: 'Which color?', schema: question },
        });
        return `Paint it ${asked.action === 'accept' ? asked.content.answer : 'black'}`;
      },
    })
    .registerResource({
      ...note,
      uri: 'note://1',
      title: 'The first note',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5 },
      handler: () => 'one',
    })
    .registerResource({ ...note, name: 'bytes', uri: 'bytes://1', handler: () => new Uint8Array([1, 2, 3]) })
    .registerResource({
      ...note,
      name: 'notes',
      uriTemplate: 'notes://{folder}/{id}',
      complete: { id: (typed, { arguments: { folder } }) => [`${typed}${folder}`] },
      handler: ({ uri, variables: { id } }) => {
        if (id === 'none') throw Object.assign(new Error('gone'), { status: 404 });
        return `read ${uri}`;
      },
    })
    .registerResource({
      name: 'asking',
      uri: 'ask://color',
      handler: async ({ context }) => {
        const { asked } = await context.requestInput({
          asked: { message: 'Which color?', schema: question },
        });
        return asked.action === 'accept' ? asked.content.answer : 'black';
      },
    });
  return { origin, watched };
}

describe.each(eras)('the items of a %s server, mounted and read by a %s client', (protocol, era) => {
  const setUp = async () => {
    const { origin, watched } = createOrigin();
    const held = await follow({ url: await serve(origin) }, { protocol });
    return { ...held, origin, watched, client: await connect(await serve(held.gateway), era) };
  };

  it('include prompts with their arguments, contents and completions', async () => {
    const { client } = await setUp();
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([
      {
        name: 'far_greet',
        title: 'Greeting',
        description: 'Greets a person',
        arguments: [
          { name: 'name', description: 'Whom to greet', required: true },
          { name: 'tone', required: false },
        ],
      },
      { name: 'far_color' },
    ]);
    const filled = await client.getPrompt({ name: 'far_greet', arguments: { name: 'Ada', tone: 'warm' } });
    expect(filled.messages.map(({ content }) => content.type)).toEqual([
      'text',
      'image',
      'resource',
      'resource_link',
      'audio',
    ]);
    expect(filled.messages[0]?.content).toMatchObject({ text: 'Greet Ada, warm' });
    const ref = { type: 'ref/prompt' as const, name: 'far_greet' };
    const argument = { name: 'tone', value: 'l' };
    const { completion } = await client.complete({ ref, argument, context: { arguments: { name: 'Ada' } } });
    expect(completion).toMatchObject({ values: ['like Ada'], total: 1, hasMore: false });
    await expect(client.getPrompt({ name: 'far_greet', arguments: {} })).rejects.toThrow('name');
  });

  it('include resources and templates with their contents and completions', async () => {
    const { client } = await setUp();
    expect((await client.listResources()).resources[0]).toMatchObject({
      uri: 'note://1',
      name: 'far_note',
      title: 'The first note',
      mimeType: 'text/markdown',
      size: 3,
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'notes://{folder}/{id}', name: 'far_notes', mimeType: 'text/markdown' },
    ]);
    expect((await client.readResource({ uri: 'note://1' })).contents).toEqual([
      { uri: 'note://1', mimeType: 'text/markdown', text: 'one' },
    ]);
    expect((await client.readResource({ uri: 'bytes://1' })).contents).toMatchObject([{ blob: 'AQID' }]);
    expect((await client.readResource({ uri: 'notes://a/7' })).contents).toMatchObject([
      { text: 'read notes://a/7' },
    ]);
    const ref = { type: 'ref/resource' as const, uri: 'notes://{folder}/{id}' };
    const argument = { name: 'id', value: '1' };
    const { completion } = await client.complete({ ref, argument, context: { arguments: { folder: 'a' } } });
    expect(completion.values).toEqual(['1a']);
    await expect(client.readResource({ uri: 'notes://a/none' })).rejects.toThrow('notes://a/none');
    await expect(client.readResource({ uri: 'unknown://x' })).rejects.toThrow('unknown://x');
  });

  it('can ask the client while a prompt is filled and a resource is read', async () => {
    const { client } = await setUp();
    const { messages } = await client.getPrompt({ name: 'far_color' });
    expect(messages[0]?.content).toMatchObject({ text: 'Paint it blue' });
    expect((await client.readResource({ uri: 'ask://color' })).contents).toMatchObject([{ text: 'blue' }]);
  });

  it('tell subscribers of updates, with one subscription upstream that ends with the last subscriber', async () => {
    const { client, gateway, origin, watched } = await setUp();
    const second = await connect(await serve(gateway), era);
    const subscriptions = [
      await subscribe(client, era, 'notes://a/7'),
      await subscribe(second, era, 'notes://a/7'),
    ];
    await expect.poll(() => watched).toEqual(['+notes://a/7']);
    const [first, last] = subscriptions;
    /** Updates the resource until the client hears of it, because a 2025 client opens the stream of updates when it likes. */
    const update = async ({ updates }: { readonly updates: readonly string[] }): Promise<void> => {
      const before = updates.length;
      origin.notifyResourceUpdated('note://1');
      await expect
        .poll(() => {
          origin.notifyResourceUpdated('notes://a/7');
          return updates.length;
        })
        .toBeGreaterThan(before);
    };
    for (const each of subscriptions) await update(each);
    await first!.unsubscribe();
    await update(last!);
    const { length } = first!.updates;
    await update(last!);
    expect(first!.updates).toHaveLength(length);
    expect(new Set([...first!.updates, ...last!.updates])).toEqual(new Set(['notes://a/7']));
    expect(watched).toEqual(['+notes://a/7']);
    await last!.unsubscribe();
    await expect.poll(() => watched).toEqual(['+notes://a/7', '-notes://a/7']);
  });

  it('end their subscriptions when the client disconnects', async () => {
    const { client, watched } = await setUp();
    await subscribe(client, era, 'note://1');
    await expect.poll(() => watched).toEqual(['+note://1']);
    const { transport } = client;
    if (era === '2025')
      await (transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
    await client.close();
    await expect.poll(() => watched).toEqual(['+note://1', '-note://1']);
  });

  it('follow the changes of the lists', async () => {
    const { client, origin, gateway } = await setUp();
    const changes: string[] = [];
    for (const kind of ['tools', 'prompts', 'resources'] as const)
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void changes.push(kind));
    if (era === '2026')
      await client.listen({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    origin.registerPrompt({ name: 'late', handler: () => 'better than never' });
    await expect.poll(() => changes).toEqual(['prompts']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('far_late');
    origin.registerResource({ name: 'late', uri: 'late://1', handler: () => 'late' });
    await expect.poll(() => changes).toEqual(['prompts', 'resources']);
    expect((await client.readResource({ uri: 'late://1' })).contents).toMatchObject([{ text: 'late' }]);
    origin.register({ name: 'late', description: 'Late', inputSchema: {}, handler: () => 'late' });
    await expect.poll(() => changes).toEqual(['prompts', 'resources', 'tools']);
    expect(gateway.has('far:late')).toBe(true);
  });
});
