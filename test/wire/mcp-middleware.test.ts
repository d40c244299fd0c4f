import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';

const registry = () =>
  new ToolRegistry()
    .register(
      { name: 'ping', description: 'Does something', inputSchema: {}, handler: () => 'pong' },
      { name: 'pang', description: 'Does something', inputSchema: {}, handler: () => 'pung' },
    )
    .registerPrompt({ name: 'p', handler: () => 'text' })
    .registerResource({ name: 'r', uri: 'r:r', handler: () => 'text' });

async function connect(tools: ToolRegistry) {
  const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
  tools.attachToServer(server);
  const client = new Client({ name: 'c', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

describe('middleware of the registry', () => {
  it('sees every request once, including lists, prompts and resources', async () => {
    const seen: string[] = [];
    const tools = registry().use((request, next) => {
      seen.push(request.method);
      return next();
    });
    const client = await connect(tools);
    await client.listTools();
    await client.callTool({ name: 'ping' });
    await client.listPrompts();
    await client.getPrompt({ name: 'p' });
    await client.listResources();
    await client.readResource({ uri: 'r:r' });
    expect(seen).toEqual([
      'tools/list',
      'tools/call',
      'prompts/list',
      'prompts/get',
      'resources/list',
      'resources/read',
    ]);
    await client.close();
  });

  it('may change requests and results, in the order of registration', async () => {
    const tools = registry()
      .use(async (request, next) => {
        const result = (await next()) as { tools?: { name: string }[] };
        return request.method === 'tools/list'
          ? { tools: result.tools?.filter(({ name }) => name !== 'pang') }
          : result;
      })
      .use((request, next) =>
        next(
          request.method === 'tools/call'
            ? { ...request, params: { ...request.params, name: 'pang' } }
            : request,
        ),
      );
    const client = await connect(tools);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ping']);
    expect(await client.callTool({ name: 'ping' })).toMatchObject({ content: [{ text: 'pung' }] });
    await client.close();
  });

  it('sees calls outside of a server too, and its errors become results', async () => {
    const tools = registry().use((request, next) => {
      if (request.accessToken !== 'good') throw new Error('not today');
      return next();
    });
    expect(await tools.executeTool({ name: 'ping' })).toMatchObject({
      isError: true,
      content: [{ text: 'not today' }],
    });
    expect(await tools.executeTool({ name: 'ping', accessToken: 'good' })).toEqual({
      content: [{ type: 'text', text: 'pong' }],
    });
  });

  it('runs no handler twice if it calls next() twice', async () => {
    const ran = vi.fn<() => void>();
    const tools = new ToolRegistry()
      .register({ name: 'once', description: 'Does something', inputSchema: {}, handler: () => ran() })
      .use(async (_request, next) => {
        await next();
        return next();
      });
    expect(await tools.executeTool({ name: 'once' })).toMatchObject({ isError: true });
    expect(ran).toHaveBeenCalledTimes(1);
  });
});
