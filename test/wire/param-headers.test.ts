import { expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { profileNames } from '@toolfold/profiles';
import { createHandler } from 'toolfold/web';
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

it.each(profileNames)(
  'checks the headers of renamed and rewritten arguments through the profile %s',
  async (profile) => {
    const inputSchema = {
      type: 'object',
      properties: {
        'region[id]': { type: 'string', 'x-mcp-header': 'Region' },
        'size[gb]': { type: 'integer', exclusiveMinimum: 3, 'x-mcp-header': 'Size' },
      },
      required: ['region[id]', 'size[gb]'],
    } as const;
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'route',
      description: 'Routes',
      inputSchema,
      handler: ({ input }) => JSON.stringify(input),
    });
    const handler = createHandler(registry, { view: { profile }, requestLimit: false });
    const post = async (method: string, params: Record<string, unknown>, headers = {}) => {
      const request = new Request('http://localhost/mcp', modernRequest(method, params, { headers }));
      const response = await handler.fetch(request);
      return { status: response.status, body: await response.text() };
    };
    const list = JSON.parse((await post('tools/list', {})).body) as {
      result: { tools: { inputSchema: { properties: Record<string, Record<string, unknown>> } }[] };
    };
    const fields = Object.entries(list.result.tools[0]?.inputSchema.properties ?? {});
    expect(fields.map(([, schema]) => schema['x-mcp-header'])).toEqual(['Region', 'Size']);
    const values = ['eu', 5];
    const args = Object.fromEntries(fields.map(([name], at) => [name, values[at]]));
    const call = (headers: object) => post('tools/call', { name: 'route', arguments: args }, headers);
    const right = { 'mcp-param-region': 'eu', 'mcp-param-size': '5' };
    expect((await call(right)).body).toContain(JSON.stringify('{"region[id]":"eu","size[gb]":5}'));
    for (const wrong of [{}, { 'mcp-param-region': 'eu' }, { ...right, 'mcp-param-size': '6' }])
      expect((await call(wrong)).status).toBe(400);
    // The authored names can be sent as well, so they cannot be a way around the check.
    const authored = { 'region[id]': 'us', 'size[gb]': 5 };
    expect((await post('tools/call', { name: 'route', arguments: authored }, right)).status).toBe(400);
    await handler.close();
  },
);

it('rejects JSON text in place of an object with such an argument, because it is read after the check', async () => {
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  const registry = new ToolRegistry({ rateLimiter: false }).register({
    name: 'route',
    description: 'Routes',
    inputSchema: z.object({ opts: z.object({ region }) }),
    handler: ({ input }) => input.opts.region,
  });
  const handler = createHandler(registry, { requestLimit: false });
  const statusOf = async (opts: unknown): Promise<number> => {
    const headers = { 'mcp-param-region': 'eu' };
    const params = { name: 'route', arguments: { opts } };
    const request = new Request('http://localhost/mcp', modernRequest('tools/call', params, { headers }));
    return (await handler.fetch(request)).status;
  };
  expect(await statusOf({ region: 'eu' })).toBe(200);
  expect(await statusOf({ region: 'us' })).toBe(400);
  expect(await statusOf('{"region":"us"}')).toBe(400);
  await handler.close();
});
