import { expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from '../../src/index.js';
import { serveHttp } from '../../src/node.js';
import { modernRequest } from './raw-request.js';

it('checks argument headers for plain and for encoded tool names', async () => {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register({
    name: 'route',
    description: 'Routes',
    inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    handler: ({ input }) => input.region,
  });
  const { url, close } = await serveHttp(registry, { port: 0, closeOnSignals: false });
  const statusWith = async (headers: Record<string, string>): Promise<number> => {
    const params = { name: 'route', arguments: { region: 'eu' } };
    return (await fetch(url, modernRequest('tools/call', params, { headers }))).status;
  };
  const encoded = `=?base64?${Buffer.from('route').toString('base64')}?=`;
  for (const name of ['route', encoded]) {
    expect(await statusWith({ 'mcp-name': name })).toBe(400);
    expect(await statusWith({ 'mcp-name': name, 'mcp-param-region': 'us' })).toBe(400);
    expect(await statusWith({ 'mcp-name': name, 'mcp-param-region': 'eu' })).toBe(200);
  }
  await close();
});
