import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from '../../src/index.js';
import type { ToolsetConfig } from '../../src/index.js';
import { serveHttp } from '../../src/serve/node.js';
import { legacyClients } from './toolset-clients.js';
import { configOf, start } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const tool = (more: object = {}) =>
  ({ name: 'a', description: 'A', inputSchema: { type: 'object' }, handler: () => 'a', ...more }) as never;

async function isServed(started: Promise<{ close(): Promise<unknown> }>): Promise<void> {
  const server = await started;
  cleanUps.push(() => server.close());
}

describe('what a toolset holds without loading', () => {
  const builder = new GroupedToolBuilder('platform').action({ name: 'list', handler: () => 'list' });
  const STATIC = { mode: 'STATIC', toolsets: 'ALL' } as const;
  const slips: Readonly<Record<string, readonly [tools: readonly unknown[], more: Partial<ToolsetConfig>]>> =
    {
      'without a handler': [[tool({ handler: undefined })], {}],
      'with a name that clients refuse': [[tool({ name: 'a.b' })], {}],
      'twice by one name': [[tool(), tool()], {}],
      'with the name of a registered tool': [[tool({ name: 'ping' })], {}],
      'a builder that cannot be renamed': [[builder], { exposurePolicy: { namespaceToolsWithSetKey: true } }],
      'with the name of one that enables toolsets': [
        [tool({ name: 'enable_toolset' })],
        { startup: { mode: 'DYNAMIC' } },
      ],
    };
  it.each(Object.keys(slips))('is refused before anything is served: %s', async (name) => {
    const [tools, more] = slips[name]!;
    const catalog = { t: { name: 'T', description: 'T', tools: tools as never } };
    const served = isServed(start(configOf({ catalog, moduleLoaders: {}, startup: STATIC, ...more })));
    await expect(served).rejects.toThrow();
  });

  it('is refused where two toolsets that are there from the start have tools of one name', async () => {
    const one = (name: string) => ({ name, description: name, tools: [tool()] });
    const config = { catalog: { one: one('One'), two: one('Two') }, moduleLoaders: {} };
    await expect(isServed(start(configOf({ ...config, startup: STATIC })))).rejects.toThrow('"a"');
    const startup = { mode: 'STATIC', toolsets: ['two'] } as const;
    await expect(isServed(start(configOf({ ...config, startup })))).resolves.toBeUndefined();
  });
});

describe('a registered tool with the name of one that enables toolsets', () => {
  it('is refused before anything is served, where clients enable toolsets', async () => {
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

describe('toolsets of which the policy shows nothing', () => {
  it.each(legacyClients)('are not listed where that is known without loading: %s', async (_, connect) => {
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
