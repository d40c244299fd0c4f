import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { Selection } from '../callers/caller.js';
import type { RequestOptions } from '../engine/request.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { View } from '../views/view.js';
import { Exposure } from './exposure.js';
import type { ExposureOptions } from './toolset-config.js';

const users = () =>
  new GroupedToolBuilder('users')
    .description('People')
    .action({ name: 'list', readOnly: true, handler: () => 'listed' })
    .action({
      name: 'ban',
      description: 'Bans a person',
      scopes: ['users:write'],
      inputSchema: z.object({ reason: z.string() }),
      handler: () => 'banned',
    });
const tool = (name: string, scopes: readonly string[] = []) => ({
  name,
  description: `Does ${name}`,
  scopes,
  inputSchema: {},
  handler: () => name,
});
const registry = () =>
  new ToolRegistry({ name: 'acme' }).register(users(), tool('audit', ['audit', 'admin']));
const open = (options: ExposureOptions = {}) => new Exposure(registry(), { scopes: 'hide', ...options });
const as = (scopes?: readonly string[], selection?: Selection): RequestOptions => ({
  caller: scopes ? { auth: { clientId: 'c', scopes } } : {},
  selection,
});
const names = async (exposure: Exposure, request: RequestOptions): Promise<string[]> => [
  ...(await exposure.viewFor(request)).tools.keys(),
];

describe("scopes: 'hide'", () => {
  it('removes actions from the enum and the description, and tools without an allowed action', async () => {
    const exposure = open();
    const list = async (scopes?: readonly string[]) => (await exposure.viewFor(as(scopes))).listTools();
    const [grouped, ...others] = await list();
    expect(others).toEqual([]);
    expect(JSON.stringify(grouped)).not.toMatch(/ban|reason/i);
    expect(grouped?.annotations?.readOnlyHint).toBe(true);
    expect(JSON.stringify(await list(['users:write']))).toMatch(/Bans a person.*reason/s);
    expect(await names(exposure, as(['audit']))).toEqual(['users']);
    expect(await names(exposure, as(['admin', 'audit', 'x']))).toEqual(['users', 'audit']);
  });

  it('answers calls of hidden tools and actions as unknown, without naming them', async () => {
    const acme = registry();
    const exposure = new Exposure(acme, { scopes: 'hide' });
    const call = async (name: string, action?: string) =>
      JSON.stringify(
        await acme.executeTool({ ...as([]), name, arguments: { action } }, await exposure.viewFor(as([]))),
      );
    expect(await call('audit')).toContain('ErrUnknownTool');
    expect(await call('users', 'ban')).toContain('ErrUnknownAction');
    for (const answer of [await call('audi'), await call('users', 'bam'), await call('users')])
      expect(answer).not.toMatch(/audit|"ban"|: ban|, ban/);
  });

  it('rejects a selection of a hidden tool like that of an unknown one', async () => {
    const exposure = open();
    const select = async (tools: string[], scopes: string[] = []) => exposure.viewFor(as(scopes, { tools }));
    await expect(select(['audit'])).rejects.toThrow('Unknown tool "audit" in the selection.');
    await expect(select(['audi'])).rejects.toThrow(/^(?!.*audit)Unknown tool "audi"/);
    await expect(select(['users/ban'])).rejects.toThrow('Unknown tool "users/ban" in the selection.');
    expect([...(await select(['users/ban'], ['users:write'])).tools.keys()]).toEqual(['users']);
  });

  it('hides actions from the search and its index', async () => {
    const acme = registry();
    const exposure = new Exposure(acme, { scopes: 'hide', view: { form: 'search', pinned: ['audit'] } });
    const search = async (scopes: string[]) => {
      const view = await exposure.viewFor(as(scopes));
      const request = { ...as(scopes), name: 'search_tools', arguments: { query: 'ban a person' } };
      return { listed: [...view.tools.keys()], found: JSON.stringify(await acme.executeTool(request, view)) };
    };
    const hidden = await search([]);
    expect(hidden.found).not.toContain('users/ban');
    expect(hidden.listed).not.toContain('audit');
    expect((await search(['users:write'])).found).toContain('users/ban');
    expect((await search(['audit', 'admin'])).listed).toContain('audit');
  });

  it('still throws for a pin that does not exist', () => {
    expect(() => open({ view: { form: 'search', pinned: ['audits'] } })).toThrow('pins "audits"');
  });

  it('hides tools of toolsets, also of those that load late, with any selection', async () => {
    const load = vi.fn<() => Promise<ReturnType<typeof tool>[]>>(async () => [
      tool('refund', ['money']),
      tool('balance'),
    ]);
    const exposure = open({
      toolsets: {
        catalog: {
          billing: { name: 'Billing', description: 'Money', modules: ['billing'] },
          secrets: { name: 'Secrets', description: 'Keys', tools: [tool('rotate', ['admin'])] },
        },
        moduleLoaders: { billing: Object.assign(load, { isShared: true as const }) },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      },
    });
    // The first request loads the module, and its scopes are not known before.
    expect(await names(exposure, as(['money']))).toEqual(['users', 'refund', 'balance']);
    expect(await names(exposure, as([]))).toEqual(['users', 'balance']);
    expect(await names(exposure, as(['admin'], { toolsets: ['secrets'] }))).toEqual(['users', 'rotate']);
    expect(await names(exposure, as([], { toolsets: ['secrets'] }))).toEqual(['users']);
    await expect(names(exposure, as([], { tools: ['refund'] }))).rejects.toThrow('Unknown tool "refund"');
    expect(await names(exposure, as(['money'], { tools: ['refund'] }))).toEqual(['refund']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('hides tools and empty toolsets from the tools that enable toolsets', async () => {
    const acme = registry();
    const exposure = new Exposure(acme, {
      scopes: 'hide',
      toolsets: {
        catalog: {
          secrets: { name: 'Secrets', description: 'Keys', tools: [tool('rotate', ['admin'])] },
          mixed: { name: 'Mixed', description: 'Both', tools: [tool('free'), tool('paid', ['money'])] },
        },
        startup: { mode: 'DYNAMIC' },
      },
    });
    const ask = async (scopes: readonly string[], name: string, args = {}): Promise<string> => {
      const enabledToolsets = { current: ['mixed', 'secrets'], change: async () => {} };
      const request = { ...as(scopes), enabledToolsets, protocolVersion: '2025-11-25' };
      const view = await exposure.viewFor(request);
      return JSON.stringify(await acme.executeTool({ ...request, name, arguments: args }, view));
    };
    expect(await ask([], 'list_toolsets')).not.toContain('secrets');
    expect(await ask(['admin'], 'list_toolsets')).toContain('secrets');
    expect(await ask([], 'describe_toolset', { toolset: 'mixed' })).not.toContain('paid');
    expect(await ask(['money'], 'describe_toolset', { toolset: 'mixed' })).toContain('paid');
    expect(await ask([], 'list_tools')).not.toMatch(/paid|rotate|audit/);
    expect(await ask([], 'rotat')).not.toContain('rotate');
  });

  it('follows later registrations', async () => {
    const acme = registry();
    const exposure = new Exposure(acme, { scopes: 'hide' });
    expect(await names(exposure, as(['new']))).toEqual(['users']);
    acme.register(tool('fresh', ['new']));
    expect(await names(exposure, as(['new']))).toEqual(['users', 'fresh']);
    expect(await names(exposure, as([]))).toEqual(['users']);
  });

  it('compiles one view for all callers whose scopes differ only in those that no action needs', async () => {
    const onViewMade = vi.fn<() => void>();
    const exposure = open({ onViewMade });
    const views = new Set<View>();
    for (let at = 0; at < 1_000; at++) views.add(await exposure.viewFor(as([`random:${at}`, 'audit'])));
    expect(views.size).toBe(1);
    expect(onViewMade).toHaveBeenCalledTimes(1);
  });

  it('ignores scopes that are not a list', async () => {
    expect(await names(open(), { caller: { auth: { scopes: 'audit admin' as never } } })).toEqual(['users']);
  });

  it('shows exactly the actions that a call would not reject for their scopes', async () => {
    const scope = fc.constantFrom('a', 'b', 'c', 'd');
    const scopes = fc.uniqueArray(scope, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(scopes, { minLength: 1, maxLength: 6 }),
        fc.array(scopes),
        async (needs, callers) => {
          const acme = new ToolRegistry();
          const group = new GroupedToolBuilder('all');
          needs.forEach((each, at) => group.action({ name: `a${at}`, scopes: each, handler: () => 'ok' }));
          acme.register(group);
          const exposure = new Exposure(acme, { scopes: 'hide' });
          await Promise.all(
            callers.map(async (held) => {
              const view = await exposure.viewFor(as(held));
              const shown = new Set(view.tools.get('all')?.actions.keys());
              for (const [at] of needs.entries()) {
                const request = { ...as(held), name: 'all', arguments: { action: `a${at}` } };
                const { isError } = await acme.executeTool(request);
                expect(shown.has(`a${at}`)).toBe(isError !== true);
              }
            }),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
