import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ModuleLoader, ToolsetConfig } from 'toolfold/web';
import { Exposure } from 'toolfold/web';
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

describe.each(allClients)('a later change that cannot be listed: %s', (_, connect) => {
  it('keeps the last valid list if a module has changed', async () => {
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
        moduleLoaders: { ...base.moduleLoaders, upstream } as Readonly<Record<string, ModuleLoader>>,
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

  it('is rejected at registration, or keeps the last valid list', async () => {
    const server = await start(configOf());
    cleanUps.push(() => server.close());
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    expect(await client.names()).toContain('list_users');
    try {
      server.registry.register(tool('list_users'));
    } catch {
      // The registration may be rejected.
    }
    expect(await client.names()).toContain('list_users');
    expect(await client.call('list_invoices')).toMatchObject({ text: 'list_invoices' });
  });
});

describe('a change of a module', () => {
  it('is announced once, for any number of servers that share the registry', async () => {
    let listeners: (() => void)[] = [];
    const loader = Object.assign(() => [tool('read')], {
      onChange: (listener: () => void) => {
        listeners.push(listener);
        return () => void (listeners = listeners.filter((each) => each !== listener));
      },
    });
    const registry = new ToolRegistry();
    const toolsets: ToolsetConfig = {
      context: {},
      exposurePolicy: {},
      catalog: { up: { name: 'Up', description: 'Up', modules: ['m'] } },
      moduleLoaders: { m: loader },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    };
    const exposures = [new Exposure(registry, { toolsets }), new Exposure(registry, { toolsets })];
    let told = 0;
    registry.onChange(() => void told++);
    for (const listener of listeners) listener();
    await Promise.resolve();
    expect(told).toBe(1);
    for (const exposure of exposures) exposure.close();
  });
});
