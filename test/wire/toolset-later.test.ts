import { describe, expect, it } from 'vitest';
import type { ToolsetConfig } from '../../src/index.js';
import { allClients } from './toolset-clients.js';
import { configOf, start } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const tool = (name: string) =>
  ({
    name,
    description: name,
    readOnly: true,
    inputSchema: { type: 'object' },
    handler: () => name,
  }) as never;

describe.each(allClients)('what comes later and cannot be listed: %s', (_, connect) => {
  it('leaves the last good list in place where a module has changed', async () => {
    const base = configOf();
    let more: string[] = [];
    let changed = (): void => {};
    const upstream = Object.assign(() => ['look', ...more].map(tool), {
      onChange: (listener: () => void) => {
        changed = listener;
        return () => {};
      },
    });
    const server = await start(
      configOf({
        catalog: { ...base.catalog, upstream: { name: 'U', description: 'U', modules: ['upstream'] } },
        moduleLoaders: { ...base.moduleLoaders, upstream } as ToolsetConfig['moduleLoaders'],
        startup: { mode: 'STATIC', toolsets: ['users', 'upstream'] },
      }),
    );
    cleanUps.push(() => server.close());
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    expect(await client.names()).toContain('look');
    more = ['ping'];
    changed();
    expect(await client.names()).toContain('list_users');
    expect(await client.call('list_users')).toMatchObject({ text: 'list_users' });
  });

  it('is refused where it is registered, or leaves the last good list in place', async () => {
    const server = await start(configOf());
    cleanUps.push(() => server.close());
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    expect(await client.names()).toContain('list_users');
    try {
      server.registry.register(tool('list_users'));
    } catch {
      // It may be refused.
    }
    expect(await client.names()).toContain('list_users');
    expect(await client.call('list_invoices')).toMatchObject({ text: 'list_invoices' });
  });
});
