import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from '../../src/index.js';
import type { ToolsetConfig } from '../../src/index.js';
import { serveHttp } from '../../src/serve/node.js';
import type { ServeHttpOptions } from '../../src/serve/node.js';
import { allClients, legacyClients, modern } from './toolset-clients.js';
import type { Connect } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps, setUp, postModern } from './toolset-setup.js';

const within = async <T>(promise: Promise<T>, ms: number): Promise<T | 'still waiting'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'still waiting'>((resolve) => {
    timer = setTimeout(() => resolve('still waiting'), ms);
  });
  promise.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

describe('a loader that never ends', () => {
  const hanging = () => {
    const base = configOf();
    return {
      startup: { mode: 'DYNAMIC' },
      moduleLoaders: { ...base.moduleLoaders, broken: () => new Promise(() => {}) },
    } as Partial<ToolsetConfig>;
  };
  it.each(legacyClients)(
    'does not keep other toolsets from the session: %s',
    async (_, connect) => {
      const { open } = await setUp(hanging());
      const client = await open(connect);
      void client.call('enable_toolset', { toolset: 'broken' }).catch(() => undefined);
      const enabled = await within(client.call('enable_toolset', { toolset: 'users' }), 3_000);
      expect(enabled).toMatchObject({ isError: false });
    },
    10_000,
  );

  it('does not keep those from searching who need nothing of it', async () => {
    const { server } = await setUp(hanging());
    expect(await within(postModern(server.url, 'tools/list'), 3_000)).toMatchObject({ status: 200 });
  }, 10_000);
});

describe('names that are listed', () => {
  const platform = () =>
    new GroupedToolBuilder('platform')
      .description('P')
      .action({ name: 'list', readOnly: true, inputSchema: {}, handler: () => 'list' })
      .action({ name: 'drop', destructive: true, inputSchema: {}, handler: () => 'drop' });
  const serve = async (config: Partial<ToolsetConfig>, options: ServeHttpOptions) => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    const toolsets = {
      ...configOf(),
      catalog: { p: { name: 'P', description: 'P', tools: [platform()] } },
      moduleLoaders: {},
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      ...config,
    } as ToolsetConfig;
    const { loads: _, ...rest } = toolsets as ToolsetConfig & { loads: unknown };
    const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets: rest, ...options });
    cleanUps.push(() => server.close());
    return server;
  };

  it('can be selected where a tool is split by risk', async () => {
    const server = await serve({}, { view: { split: 'risk' } });
    const { text } = await postModern(server.url, 'tools/list', { 'x-mcp-tools': 'platform_read' });
    expect(text).toContain('"name":"platform_read"');
    expect(text).not.toContain('platform_write');
  });

  it('are excluded by what a token grants where a tool is split by risk', async () => {
    const server = await serve(
      { select: () => ({ excludeTools: ['platform_write'] }) },
      { view: { split: 'risk' } },
    );
    const { text } = await postModern(server.url, 'tools/list');
    expect(text).toContain('"name":"platform_read"');
    expect(text).not.toContain('platform_write');
  });

  it('grant no action of another tool that would be called so in another form', async () => {
    const server = await serve(
      {
        catalog: {
          p: {
            name: 'P',
            description: 'P',
            tools: [
              platform(),
              {
                name: 'platform_drop',
                description: 'x',
                inputSchema: { type: 'object' },
                handler: () => 'safe',
              } as never,
            ],
          },
        },
        select: () => ({ tools: ['platform_drop'] }),
      },
      {},
    );
    const { text } = await postModern(server.url, 'tools/list');
    const names = (JSON.parse(text).result.tools as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['platform_drop']);
  });
});

describe('middleware that narrows a request', () => {
  it.each(allClients)('narrows calls as it narrows lists: %s', async (_, connect) => {
    const { server, open } = await (async () => {
      const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
      registry.use((request, next) =>
        next({ ...request, selection: { ...request.selection, readOnly: true } }),
      );
      const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets: configOf() });
      cleanUps.push(() => server.close());
      const open = async (via: Connect) => {
        const client = await via(server.url);
        cleanUps.push(() => client.close());
        return client;
      };
      return { server, open };
    })();
    expect(server.url).toBeDefined();
    const client = await open(connect);
    expect(await client.names()).not.toContain('add_user');
    expect(await client.call('add_user')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Unknown tool "add_user"'),
    });
  });
});

describe('mistakes of the operator', () => {
  it('a tool with the name of one that enables toolsets is refused before anything is served', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    registry.register({
      name: 'list_tools',
      description: 'x',
      inputSchema: { type: 'object' },
      handler: () => 'x',
    } as never);
    const started = serveHttp(registry, {
      port: 0,
      closeOnSignals: false,
      toolsets: configOf({ startup: { mode: 'DYNAMIC' } }),
    });
    started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
    await expect(started).rejects.toThrow('list_tools');
  });

  it('a pin that leads nowhere is refused before anything is served', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    registry.register({
      name: 'ping',
      description: 'x',
      inputSchema: { type: 'object' },
      handler: () => 'x',
    } as never);
    const started = serveHttp(registry, {
      port: 0,
      closeOnSignals: false,
      view: { form: 'search', pinned: ['pign'] },
    });
    started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
    await expect(started).rejects.toThrow('pign');
  });

  it('a configuration with a slip in it is refused', async () => {
    for (const slip of [{ selects: () => ({}) }, { select: {} }, { exposurePolicies: { readOnly: true } }]) {
      const { loads: _, ...config } = configOf();
      const toolsets = { ...config, ...slip } as never;
      const started = serveHttp(new ToolRegistry({ name: 'acme' }), {
        port: 0,
        closeOnSignals: false,
        toolsets,
      });
      started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
      await expect(started.then(() => Object.keys(slip)[0])).rejects.toThrow();
    }
  });
});

describe('a session whose record names what is gone', () => {
  it('goes on with the rest', async () => {
    const records = new Map<string, object>();
    const store = {
      create: (session: { readonly id: string }) => void records.set(session.id, session),
      get: (id: string) => records.get(id) as never,
      update: (session: { readonly id: string }) => void records.set(session.id, session),
      delete: (id: string) => void records.delete(id),
    };
    const { open } = await setUp(
      { startup: { mode: 'DYNAMIC' }, exposurePolicy: { maxActiveToolsets: 1 } },
      { sessions: { store } },
    );
    const [, connect] = legacyClients[0]!;
    const client = await open(connect);
    const [id] = records.keys();
    records.set(id!, { ...records.get(id!), toolsets: ['removed'] });
    expect(await client.names()).toContain('enable_toolset');
    const enabled = await client.call('enable_toolset', { toolset: 'users' });
    expect(enabled.text).not.toContain('removed');
    expect(enabled.isError).toBe(false);
  });
});

describe('the tools that call tools', () => {
  it('reach neither each other nor what is of the other kind', async () => {
    const { open } = await setUp({ startup: { mode: 'DYNAMIC' } });
    const client = await open(modern);
    for (const address of ['search_tools', 'call_read_tool', 'call_write_tool', '__proto__', 'constructor'])
      for (const name of ['call_read_tool', 'call_write_tool'])
        expect(await client.call(name, { address, arguments: {} })).toMatchObject({ isError: true });
    expect(await client.call('call_read_tool', { address: 'add_user' })).toMatchObject({ isError: true });
  });
});
