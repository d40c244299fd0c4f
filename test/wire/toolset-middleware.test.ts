import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { allClients } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

describe('middleware that narrows a request', () => {
  it.each(allClients)('narrows calls and lists alike: %s', async (_, connect) => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    registry.use((request, next) =>
      next({ ...request, selection: { ...request.selection, readOnly: true } }),
    );
    const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets: configOf() });
    cleanUps.push(() => server.close());
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    expect(await client.names()).not.toContain('add_user');
    expect(await client.call('add_user')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Unknown tool "add_user"'),
    });
  });
});
