import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { Exposure } from 'toolfold/web';
import { legacyClients } from './toolset-clients.js';
import { configOf, start } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const tool = (more: object = {}) =>
  ({ name: 'a', description: 'A', inputSchema: { type: 'object' }, handler: () => 'a', ...more }) as never;

async function isServed(started: Promise<{ close(): Promise<unknown> }>): Promise<void> {
  const server = await started;
  cleanUps.push(() => server.close());
}

describe('a static tool of a toolset', () => {
  const builder = new GroupedToolBuilder('platform').action({ name: 'list', handler: () => 'list' });
  const STATIC = { mode: 'STATIC', toolsets: 'ALL' } as const;
  const slips: Readonly<Record<string, readonly [tools: readonly unknown[], more: Partial<ToolsetConfig>]>> =
    {
      'without a handler': [[tool({ handler: undefined })], {}],
      'with a name that clients reject': [[tool({ name: 'a.b' })], {}],
      'twice with the same name': [[tool(), tool()], {}],
      'with the name of a registered tool': [[tool({ name: 'ping' })], {}],
      'a builder that cannot be renamed': [[builder], { exposurePolicy: { namespaceToolsWithSetKey: true } }],
      'with the name of a meta-tool': [[tool({ name: 'enable_toolset' })], { startup: { mode: 'DYNAMIC' } }],
    };
  it.each(Object.keys(slips))('is rejected before anything is served: %s', async (name) => {
    const [tools, more] = slips[name]!;
    const catalog = { t: { name: 'T', description: 'T', tools: tools as never } };
    const served = isServed(start(configOf({ catalog, moduleLoaders: {}, startup: STATIC, ...more })));
    await expect(served).rejects.toThrow();
  });

  it('is rejected if two initial toolsets have tools with the same name', async () => {
    const one = (name: string) => ({ name, description: name, tools: [tool()] });
    const config = { catalog: { one: one('One'), two: one('Two') }, moduleLoaders: {} };
    await expect(isServed(start(configOf({ ...config, startup: STATIC })))).rejects.toThrow('"a"');
    const startup = { mode: 'STATIC', toolsets: ['two'] } as const;
    await expect(isServed(start(configOf({ ...config, startup })))).resolves.toBeUndefined();
  });
});

describe('a registered tool with the name of a meta-tool', () => {
  it('is rejected before anything is served, if clients enable toolsets', async () => {
    const serve = (startup: ToolsetConfig['startup']) => {
      const registry = new ToolRegistry({ name: 'acme' }).register(tool({ name: 'list_tools' }));
      return isServed(
        serveHttp(registry, { port: 0, closeOnSignals: false, toolsets: configOf({ startup }) }),
      );
    };
    await expect(serve({ mode: 'DYNAMIC' })).rejects.toThrow('list_tools');
    await expect(serve({ mode: 'STATIC', toolsets: ['users'] })).resolves.toBeUndefined();
  });
});

describe('toolsets of which the policy shows no tool', () => {
  it.each(legacyClients)('are not listed if that is known without loading: %s', async (_, connect) => {
    const server = await start(
      configOf({
        startup: { mode: 'DYNAMIC' },
        catalog: {
          safe: { name: 'Safe', description: 'Reads', tools: [tool({ readOnly: true })] },
          buying: { name: 'Buying', description: 'Buys', tools: [tool({ name: 'buy' })] },
        },
        moduleLoaders: {},
        exposurePolicy: { readOnly: true },
      }),
    );
    cleanUps.push(() => server.close());
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    const { text } = await client.call('list_toolsets');
    expect(text).toContain('safe');
    expect(text).not.toContain('buying');
  });
});

describe('mistakes of the operator', () => {
  it('a pin of an unknown tool is rejected before anything is served', async () => {
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

  it('a configuration with a misspelled option is rejected', async () => {
    for (const slip of [{ selects: () => ({}) }, { select: {} }, { exposurePolicies: { readOnly: true } }]) {
      const config = configOf();
      const toolsets = { ...config, ...slip } as never;
      const started = serveHttp(new ToolRegistry({ name: 'acme' }), {
        port: 0,
        closeOnSignals: false,
        toolsets,
      });
      started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
      await expect(started.then(() => Object.keys(slip)[0])).rejects.toThrow(ErrInvalidOptions);
    }
  });

  it('a view policy with an unknown option is rejected before anything is served', async () => {
    const started = serveHttp(new ToolRegistry({ name: 'acme' }), { port: 0, view: { tag: ['x'] } as never });
    started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
    await expect(started).rejects.toThrow(ErrInvalidOptions);
  });
});

describe('an error in the configuration', () => {
  const base = { moduleLoaders: {}, context: {}, exposurePolicy: {} };
  const catalog = {
    users: { name: 'Users', description: 'People', tools: [tool({ name: 'list_users' })] },
  };

  const whole: ToolsetConfig = { ...base, catalog, startup: { mode: 'STATIC', toolsets: 'ALL' } };
  const exposed = (toolsets: object) => () =>
    new Exposure(new ToolRegistry(), { toolsets: toolsets as never });

  it.each(['startup', 'catalog'] as const)('is reported: a configuration without %s', (left) => {
    const { [left]: _, ...rest } = whole;
    expect(exposed(rest)).toThrow(ErrInvalidOptions);
    expect(exposed(rest)).toThrow(new RegExp(left));
  });

  it.each(['exposurePolicy', 'context', 'startup', 'moduleLoaders', 'catalog'] as const)(
    'is reported: a configuration whose %s is undefined',
    (missed) => {
      expect(exposed({ ...whole, [missed]: undefined })).toThrow(ErrInvalidOptions);
      expect(exposed({ ...whole, [missed]: undefined })).toThrow(new RegExp(missed));
    },
  );

  it.each(['exposurePolicy', 'context', 'moduleLoaders'] as const)('is not the omission of %s', (left) => {
    const { [left]: _, ...rest } = whole;
    expect(exposed(rest)).not.toThrow();
  });

  it('is reported: an option that an exposure does not have', () => {
    const options = { toolset: { ...base, catalog, startup: { mode: 'STATIC', toolsets: 'ALL' } } };
    expect(() => new Exposure(new ToolRegistry(), options as never)).toThrow(/"toolset"/);
  });
});
