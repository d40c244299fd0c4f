import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ToolRegistry } from 'toolfold';
import { connect, eras, follow, serve, subscribe } from '../../../test/wire/followed-servers.js';

/** A server that asks the model and for roots, from a tool, a prompt and a resource. */
function createAsking(): ToolRegistry {
  const ask = async (context: {
    requestInput: Parameters<
      Parameters<ToolRegistry['registerPrompt']>[0]['handler']
    >[0]['context']['requestInput'];
  }) => {
    const { model, where } = await context.requestInput({
      model: {
        sampling: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 },
      },
      where: { roots: true },
    });
    return `${JSON.stringify(model.content)} in ${where.roots[0]?.uri}`;
  };
  return new ToolRegistry({ name: 'asking' })
    .register({ name: 'ask', description: 'Asks', inputSchema: {}, handler: ({ context }) => ask(context) })
    .registerPrompt({ name: 'ask', handler: ({ context }) => ask(context) })
    .registerResource({
      name: 'ask',
      uri: 'ask://1',
      handler: ({ context }) => ask(context),
    }) as ToolRegistry;
}

describe.each(eras)('sampling and roots of a %s server', (protocol, era) => {
  it(`reach a ${era} client through follow and mount, from tools, prompts and resources`, async () => {
    const { gateway } = await follow({ url: await serve(createAsking()) }, { protocol, roots: true });
    const client = await connect(await serve(gateway), era);
    const answer = '{"type":"text","text":"said by the model"} in file:///project';
    const { content } = await client.callTool({ name: 'far_ask', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: answer }]);
    const { messages } = await client.getPrompt({ name: 'far_ask' });
    expect(messages[0]?.content).toEqual({ type: 'text', text: answer });
    const { contents } = await client.readResource({ uri: 'ask://1' });
    expect(contents).toMatchObject([{ text: answer }]);
  });
});

describe('a 2026 server of the official SDK', () => {
  it('is followed with its tools, prompts, resources, completions and subscriptions', async () => {
    const create = (): McpServer => {
      const server = new McpServer(
        { name: 'official', version: '1' },
        { capabilities: { resources: { subscribe: true, listChanged: true } } },
      );
      server.registerTool(
        'add',
        { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }) },
        async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
      );
      server.registerPrompt(
        'greet',
        { description: 'Greets', argsSchema: z.object({ name: z.string() }) },
        ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }),
      );
      server.registerResource('note', 'note://1', { mimeType: 'text/plain' }, async (uri) => ({
        contents: [{ uri: uri.href, text: 'one' }],
      }));
      return server;
    };
    const handler = createMcpHandler(create);
    const http = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const controller = new AbortController();
      response.on('close', () => controller.abort());
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          method: request.method ?? 'POST',
          headers: request.headers as Record<string, string>,
          signal: controller.signal,
          ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      try {
        if (answer.body) for await (const chunk of answer.body) response.write(chunk);
      } catch {
        // The client has disconnected.
      }
      response.end();
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(async () => {
      await handler.close();
      http.closeAllConnections();
      http.close();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const { gateway, upstream } = await follow({ url }, { protocol: '2026' });
    expect(upstream.server?.name).toBe('official');
    const client = await connect(await serve(gateway), '2025');
    const { content } = await client.callTool({ name: 'far_add', arguments: { a: 1, b: 2 } });
    expect(content).toEqual([{ type: 'text', text: '3' }]);
    const { messages } = await client.getPrompt({ name: 'far_greet', arguments: { name: 'Ada' } });
    expect(messages[0]?.content).toMatchObject({ text: 'Hello Ada' });
    expect((await client.readResource({ uri: 'note://1' })).contents).toMatchObject([{ text: 'one' }]);
    const { updates } = await subscribe(client, '2025', 'note://1');
    await expect
      .poll(() => {
        handler.notify.resourceUpdated('note://1');
        return updates.length;
      })
      .toBeGreaterThan(0);
  });
});
