import { describe, expect, it } from 'vitest';
import type { Selection } from '../callers/caller.js';
import { ErrInvalidCatalog, ErrInvalidOptions } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';
import { Exposure } from './exposure.js';
import type { ExposureOptions } from './toolset-config.js';

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});
const toolset = { name: 'Billing', description: 'Invoices and payments' };

function setUp(options: ExposureOptions = {}) {
  const billing = new ToolRegistry({ name: 'billing' }).register(tool('pay'));
  const root = new ToolRegistry({ name: 'root' }).register(tool('ping')) as ToolRegistry;
  root
    .mount('billing', billing, { toolset })
    .mount('crm', new ToolRegistry().register(tool('find')), { toolset });
  root.mount('flat', new ToolRegistry().register(tool('always')));
  const exposure = new Exposure(root, options);
  const names = async (selection?: Selection): Promise<string[]> => [
    ...(await exposure.viewFor({ selection })).tools.keys(),
  ];
  return { billing, root, exposure, names };
}

describe('a registry that is mounted as a toolset', () => {
  it('is active without a configuration of toolsets, and can be selected by its prefix', async () => {
    const { names, root, exposure } = setUp();
    expect(await names()).toEqual(['ping', 'billing_pay', 'crm_find', 'flat_always']);
    expect(await names({ toolsets: ['billing'] })).toEqual(['ping', 'flat_always', 'billing_pay']);
    expect(await names({ toolsets: ['billing'], tools: ['billing_pay'] })).toEqual(['billing_pay']);
    expect(root.view().groups).toEqual([
      { key: 'billing', title: 'Billing', tools: ['billing_pay'] },
      { key: 'crm', title: 'Billing', tools: ['crm_find'] },
    ]);
    const select = async (selection: Selection) => exposure.viewFor({ selection });
    await expect(select({ toolsets: ['flat'] })).rejects.toThrow(
      'Unknown toolset "flat" in the request. Valid: billing, crm.',
    );
    await expect(select({ toolsets: ['crm'], tools: ['billing_pay'] })).rejects.toThrow(
      'Unknown tool "billing_pay" in the selection',
    );
  });

  it('is a toolset beside those of a configuration', async () => {
    const catalog = { docs: { name: 'Docs', description: 'Docs', tools: [tool('read')] } };
    const { names, billing } = setUp({
      toolsets: { catalog, startup: { mode: 'STATIC', toolsets: ['docs', 'billing'] } },
    });
    expect(await names()).toEqual(['ping', 'flat_always', 'read', 'billing_pay']);
    expect(await names({ toolsets: ['docs'] })).toEqual(['ping', 'flat_always', 'read']);
    billing.register(tool('refund'));
    expect(await names({ toolsets: ['billing'] })).toEqual([
      'ping',
      'flat_always',
      'billing_pay',
      'billing_refund',
    ]);
    expect(() =>
      setUp({ toolsets: { catalog: { crm: catalog.docs }, startup: { mode: 'STATIC' } } }),
    ).toThrow(ErrInvalidCatalog);
  });

  it('respects the exposure policy', async () => {
    const { names } = setUp({
      toolsets: {
        catalog: {},
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        exposurePolicy: { denylist: ['crm'] },
      },
    });
    expect(await names()).toEqual(['ping', 'flat_always', 'billing_pay']);
  });

  it('is enabled in a dynamic session', async () => {
    const { root, exposure } = setUp({ toolsets: { catalog: {}, startup: { mode: 'DYNAMIC' } } });
    let current: readonly string[] | undefined;
    const enabledToolsets = {
      get current() {
        return current;
      },
      change: async (derive: (before: readonly string[] | undefined) => unknown) => {
        current = (await derive(current)) as readonly string[];
      },
    };
    const request = { enabledToolsets, protocolVersion: '2025-11-25' } as never;
    const view = await exposure.viewFor(request);
    expect([...view.tools.keys()]).not.toContain('billing_pay');
    const enable = { name: 'enable_toolset', arguments: { toolset: 'billing' }, ...(request as object) };
    expect((await root.executeTool(enable, view)).isError).toBeUndefined();
    expect([...(await exposure.viewFor(request)).tools.keys()]).toContain('billing_pay');
  });

  it('is found by the search form, which runs its tools in their own registry', async () => {
    const { root, exposure } = setUp({ view: { form: 'search' } });
    const view = await exposure.viewFor({});
    const call = async (name: string, args: object) =>
      JSON.stringify(await root.executeTool({ name, arguments: args as never }, view));
    expect(await call('list_toolsets', {})).toContain('Billing');
    expect(await call('search_tools', { query: 'pay' })).toContain('billing:pay');
    expect(await call('list_toolsets', {})).toContain('Invoices and payments');
    expect(await call('call_read_tool', { address: 'billing:pay' })).toContain('"text":"pay"');
  });

  it('cannot be mounted after a server has read its toolsets, because it would stay unknown', () => {
    const { root, exposure } = setUp({ toolsets: { catalog: {}, startup: { mode: 'STATIC' } } });
    const other = new ToolRegistry({ name: 'other' });
    expect(() => root.mount('late', other, { toolset })).toThrow(ErrInvalidOptions);
    expect(() => root.mount('late', other)).not.toThrow();
    exposure.close();
    expect(() => root.mount('later', new ToolRegistry(), { toolset })).not.toThrow();
  });
});
