import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { RunningServer } from 'toolfold/node';
import { modernRequest } from '../../../test/wire/raw-request.js';
import { clientsOfBothEras } from '../../../test/wire/clients-of-both-eras.js';

const view = { form: 'search' } as const;

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    new GroupedToolBuilder('platform')
      .description('Users')
      .action({
        name: 'list',
        description: 'Lists people',
        readOnly: true,
        outputSchema: z.object({ people: z.array(z.string()) }),
        handler: async ({ context }) => {
          await context.progress(1, 1, 'done');
          return { people: ['Ada'] };
        },
      })
      .action({
        name: 'ban',
        description: 'Bans a person',
        scopes: ['users:write'],
        inputSchema: z.object({ id: z.string() }),
        handler: ({ input }) => `banned ${input.id}`,
      }),
  );

describe('the search form over HTTP', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await serveHttp(createRegistry(), { port: 0, view });
  });
  afterAll(() => running.close());

  const clients = clientsOfBothEras(() => running.url);

  it.each(clients)('is listed, searched and called by a client %s', async (_era, open) => {
    const client = await open();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tools',
      'call_read_tool',
      'call_write_tool',
      'list_toolsets',
    ]);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect((await call('search_tools', { query: 'show the people' })).structuredContent).toMatchObject({
      tools: [{ address: 'platform/list', kind: 'read' }, { address: 'platform/ban' }],
    });
    const described = await call('describe_tools', { addresses: ['platform/ban'] });
    expect(described.structuredContent).toMatchObject({
      tools: [{ inputSchema: { required: ['id'] }, scopes: ['users:write'] }],
    });
    const listed = await call('call_read_tool', { address: 'platform/list', arguments: {} });
    expect(listed.structuredContent).toEqual({ people: ['Ada'] });
    // An error result that a model can act on, not a protocol error.
    const unknown = await call('call_read_tool', { address: 'platform/lst' });
    expect(unknown.isError).toBe(true);
    expect(JSON.stringify(unknown.content)).toContain('platform/list');
    await client.close();
  });

  it('challenges a caller that lacks the scope of the action', async () => {
    const handler = createHandler(createRegistry(), { view });
    const call = (scopes: string[]) => {
      const params = {
        name: 'call_write_tool',
        arguments: { address: 'platform/ban', arguments: { id: 'u1' } },
      };
      const request = new Request('http://localhost/mcp', modernRequest('tools/call', params));
      const resourceMetadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
      const authInfo = { token: 't', clientId: 'ada', scopes, resourceMetadataUrl };
      return handler.fetch(request, { authInfo });
    };
    const challenged = await call([]);
    expect(challenged.status).toBe(403);
    expect(challenged.headers.get('www-authenticate')).toContain('scope="users:write"');
    expect(await (await call(['users:write'])).json()).toMatchObject({
      result: { content: [{ text: 'banned u1' }] },
    });
    await handler.close();
  });
});
