import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import type { ServeHttpOptions } from 'toolfold/node';
import { modern } from './toolset-clients.js';
import { cleanUps } from './toolset-setup.js';

const platform = () =>
  new GroupedToolBuilder('platform')
    .description('P')
    .action({ name: 'list', readOnly: true, inputSchema: {}, handler: () => 'list' })
    .action({ name: 'drop', destructive: true, inputSchema: {}, handler: () => 'drop' });

const safe = {
  name: 'platform_drop',
  description: 'x',
  inputSchema: { type: 'object' },
  handler: () => 'safe',
} as never;

async function listed(
  config: Partial<ToolsetConfig>,
  options: ServeHttpOptions = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const toolsets: ToolsetConfig = {
    catalog: {
      p: { name: 'P', description: 'P', tools: [platform()] },
      q: { name: 'Q', description: 'Q', tools: [safe] },
    },
    moduleLoaders: {},
    startup: { mode: 'STATIC', toolsets: ['p'] },
    context: {},
    exposurePolicy: {},
    ...config,
  };
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets, ...options });
  cleanUps.push(() => server.close());
  const client = await modern(server.url, headers);
  cleanUps.push(() => client.close());
  return client.names();
}

describe('listed names', () => {
  const split = { view: { split: 'risk' } } as const;
  const all = { startup: { mode: 'STATIC', toolsets: 'ALL' } } as const;

  it('can be selected if a tool is split by risk', async () => {
    expect(await listed({}, split)).toEqual(['platform_read', 'platform_write']);
    expect(await listed({}, split, { 'x-mcp-tools': 'platform_read' })).toEqual(['platform_read']);
    expect(await listed({}, split, { 'x-mcp-exclude-tools': 'platform_read' })).toEqual(['platform_write']);
  });

  it('are excluded by the grant of a token if a tool is split by risk', async () => {
    const select = () => ({ excludeTools: ['platform_write'] });
    expect(await listed({ select }, split)).toEqual(['platform_read']);
  });

  it.each([
    [{}, 'crm_users'],
    [{ form: 'flat' }, 'crm_users_list'],
    [{ split: 'risk' }, 'crm_users_read'],
  ] as const)('are excluded in the form %j by the name of the tool in any form', async (view, left) => {
    const users = new GroupedToolBuilder('users', { namespace: 'crm' })
      .description('U')
      .action({ name: 'list', readOnly: true, inputSchema: {}, handler: () => 'list' })
      .action({ name: 'drop', destructive: true, inputSchema: {}, handler: () => 'drop' });
    const catalog = { p: { name: 'P', description: 'P', tools: [users] } };
    const without = (name: string): Promise<string[]> =>
      listed({ select: () => ({ excludeTools: [name] }), ...all, catalog }, { view });
    for (const name of ['crm_users', 'crm:users']) expect(await without(name)).toEqual([]);
    for (const name of ['crm_users_write', 'crm_users_drop', 'crm:users/drop'])
      expect(await without(name)).toEqual([left]);
  });

  it('grant no action of another tool with the same name in another form', async () => {
    const select = () => ({ tools: ['platform_drop'] });
    expect(await listed({ select, ...all })).toEqual(['platform_drop']);
    const catalog = { p: { name: 'P', description: 'P', tools: [platform(), safe] } };
    expect(await listed({ select, ...all, catalog })).toEqual(['platform_drop']);
  });

  it('grant no such action if a request omits the toolset of the granted tool either', async () => {
    const select = () => ({ tools: ['platform_drop'] });
    expect(await listed({ select, ...all }, {}, { 'x-mcp-toolsets': 'p' })).toEqual([]);
  });
});
