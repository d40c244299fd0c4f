import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDemo } from '../../../test/page/demo-registry.js';
import { createTestSource, openTestPage } from '../../../test/page/page-client.js';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { runAtOnce } from '../../../../search/src/index/slices.js';
import type { ToolsetConfig } from 'toolfold/web';
import { Exposure } from 'toolfold/web';
import type { Perspective, ViewReport } from '../../page-api.js';
import { Snapshots } from '../snapshot.js';
import { explainHidden, look } from './view-report.js';
import { TokenThread } from '../../tokens/token-thread.js';

const { registry, toolsets } = createDemo();
const demo: LoadedModule = { registry, found: 'registry', config: toolsets };
const open = (loaded: LoadedModule = demo) => openTestPage(createTestSource(loaded));

async function reasonsFor(
  address: string,
  perspective: Perspective,
  loaded: LoadedModule = demo,
): Promise<readonly string[] | undefined> {
  const page = await open(loaded);
  const { hidden } = await page.post<ViewReport>('/api/view', perspective);
  return hidden.find((each) => each.address === address)?.reasons;
}

describe('/api/view', () => {
  it('shows the tools of the server to a caller with all scopes', async () => {
    const report = await (await open()).post<ViewReport>('/api/view', {});
    expect(report).toMatchObject({ form: 'grouped', profile: 'standard', challenged: [] });
    expect(report.tools.find(({ name }) => name === 'shop')?.addresses).toContain('shop/orders.list');
    expect(report.tokens).toBe(report.tools.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(report.hidden).toEqual([
      { address: 'rotate_keys', reasons: ['The exposure policy denies its toolset "internal".'] },
    ]);
  });

  it('challenges callers that lack a scope, or hides the action', async () => {
    const caller = { scopes: ['money'] };
    const report = await (await open()).post<ViewReport>('/api/view', { caller });
    expect(report.challenged).toContainEqual({ address: 'shop/orders.cancel', scopes: ['orders:write'] });
    expect(await reasonsFor('shop/orders.cancel', { caller, hidesScopes: true })).toEqual([
      'The caller lacks the scope "orders:write".',
    ]);
    expect(await reasonsFor('shop/orders.cancel', { caller }, { ...demo, scopes: 'hide' })).toEqual([
      'The caller lacks the scope "orders:write".',
    ]);
  });

  it('names every reason, in the order in which the rules apply', async () => {
    const loaded = { ...demo, view: { readOnly: true, excludeTags: ['dangerous'] } };
    expect(
      await reasonsFor('shop/customers.forget', { hidesScopes: true, caller: { scopes: [] } }, loaded),
    ).toEqual([
      'The view of the server excludes the tag "dangerous".',
      'The view of the server is read-only, and the action is not declared read-only.',
      'The caller lacks the scope "customers:delete".',
    ]);
  });

  it('explains toolsets that are not allowed, not active, not granted or not selected', async () => {
    const config: ToolsetConfig = {
      ...toolsets,
      startup: { mode: 'STATIC', toolsets: ['support'] },
      exposurePolicy: { allowlist: ['support', 'billing'] },
    };
    expect(await reasonsFor('rotate_keys', {}, { ...demo, config })).toEqual([
      'The allowlist of the exposure policy lacks its toolset "internal".',
    ]);
    expect(await reasonsFor('refund', {}, { ...demo, config })).toEqual([
      'Its toolset "billing" is not active: startup.toolsets does not name it.',
    ]);
    const select: ToolsetConfig = { ...toolsets, select: () => ({ toolsets: ['support'], readOnly: true }) };
    expect(await reasonsFor('refund', {}, { ...demo, config: select })).toEqual([
      'select limits this caller to read-only actions, and the action is not declared read-only.',
      'select does not give this caller its toolset "billing".',
    ]);
    expect(await reasonsFor('refund', { toolsets: ['support'] })).toEqual([
      'The request selects other toolsets than "billing".',
    ]);
  });

  it('explains the selection of a request', async () => {
    const selection = { tools: ['shop'], excludeTools: ['shop/orders.list'] };
    expect(await reasonsFor('notes/add', selection)).toEqual(['The request selects other tools.']);
    expect(await reasonsFor('shop/orders.list', selection)).toEqual(['The request excludes it.']);
    expect(await reasonsFor('shop/orders.create', selection)).toBeUndefined();
    expect(await reasonsFor('shop/orders.create', { readOnly: true })).toEqual([
      'The request wants read-only actions, and the action is not declared read-only.',
    ]);
    const failed = await (
      await open()
    ).fail('/api/view', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"tools":["shopp"]}',
    });
    expect(failed).toMatchObject({
      status: 422,
      message: expect.stringContaining('Did you mean "shop"') as unknown,
    });
  });

  it('lets the client decide about form and profile if the server does, and says why', async () => {
    const page = await open({ ...demo, view: { form: 'auto', profile: 'client' } });
    const cursor = await page.post<ViewReport>('/api/view', { client: { name: 'cursor-vscode' } });
    expect(cursor).toMatchObject({ profile: 'cursor', form: 'grouped' });
    expect(cursor.reason).toBe('The row "cursor*" of the table of clients fits: 22 of at most 40 tools.');
    const codex = await page.post<ViewReport>('/api/view', { client: { name: 'codex' } });
    expect(codex).toMatchObject({ profile: 'codex', form: 'flat' });
    const fixed = await open({ ...demo, view: { form: 'search', profile: 'none' } });
    expect(await fixed.post('/api/view', { client: { name: 'codex' } })).toMatchObject({
      form: 'search',
      profile: 'none',
      reason:
        "All clients get the search form and the profile none. With profile: 'client', this one would get codex.",
    });
  });

  it('gives a client what the server gives it, also if the table of clients knows a better profile', async () => {
    for (const view of [undefined, { form: 'auto' }, { profile: 'client' }, { profile: 'gemini' }] as const) {
      const loaded: LoadedModule = { ...demo, config: undefined, view };
      const page = await open(loaded);
      const exposure = new Exposure(registry, { view });
      for (const name of ['cursor', 'codex', 'gemini-cli', 'nobody']) {
        const caller = { client: { name, version: '1' } };
        const real = await exposure.viewFor({ caller, protocolVersion: '2026-07-28' });
        const report = await page.post<ViewReport>('/api/view', { client: caller.client });
        expect(report.profile, name).toBe(real.policy.profile ?? 'standard');
        expect(report.tools.map((tool) => tool.name)).toEqual(real.listTools().map((tool) => tool.name));
      }
      exposure.close();
    }
  });

  it('reads the scopes of a caller once, not once for each action', async () => {
    let reads = 0;
    const scopes = Object.assign(['money'], {
      [Symbol.iterator]: () => {
        reads++;
        return ['money'].values();
      },
    });
    const snapshots = new Snapshots(createTestSource(demo), new TokenThread());
    const seen = await look(
      snapshots.current,
      { caller: { scopes }, hidesScopes: true },
      new AbortController().signal,
    );
    const hidden = runAtOnce(explainHidden(seen));
    snapshots.close();
    expect(hidden.filter(({ causes }) => causes.includes('scopes')).length).toBeGreaterThan(5);
    // Once for the view, and once for the reasons.
    expect(reads).toBeLessThanOrEqual(2);
  });

  it('refuses callers with more scopes than a call of the page may have', async () => {
    const scopes = Array.from({ length: 1_001 }, (_, index) => `scope:${index}`);
    const page = await open();
    await expect(page.post('/api/view', { caller: { scopes } })).rejects.toThrow(
      '400: The caller has more than 1,000 scopes.',
    );
  });

  it('refuses a form and a profile that an exported Exposure does not give', async () => {
    const exposure = new Exposure(registry, { view: { form: 'flat', profile: 'gemini' } });
    const page = await open({ registry, found: 'exposure', exposure });
    for (const perspective of [{ form: 'grouped' }, { profile: 'portable' }])
      await expect(page.post('/api/view', perspective)).rejects.toThrow(
        /^409: The server exports an Exposure, which sets the (?:form to flat|profile to gemini)\.$/,
      );
    for (const profile of ['gemini', 'none'])
      expect(await page.post('/api/view', { form: 'flat', profile })).toMatchObject({
        form: 'flat',
        profile,
      });
    exposure.close();
  });

  it('answers with the error of select, without credentials', async () => {
    const select = (): never => {
      throw new Error('no tenant at postgres://admin:hunter2secret@db/x');
    };
    const page = await open({ ...demo, config: { ...toolsets, select } });
    const failed = page.post('/api/view', {});
    await expect(failed).rejects.toThrow(
      /^422: select of the configuration of toolsets failed: no tenant at/,
    );
    await expect(failed).rejects.not.toThrow('hunter2secret');
    expect(page.errors).toEqual([]);
  });

  it('refuses empty lists, as the server does in headers', async () => {
    const page = await open();
    for (const name of ['toolsets', 'tools', 'excludeTools'])
      await expect(page.post('/api/view', { [name]: [] })).rejects.toThrow(`400: ${name} names nothing.`);
  });

  it('shows the actions behind the tools of the search form', async () => {
    const report = await (await open()).post<ViewReport>('/api/view', { form: 'search', readOnly: true });
    expect(report.form).toBe('search');
    const find = (name: string) => report.tools.find((tool) => tool.name === name)?.addresses;
    expect(find('call_read_tool')).toContain('shop/orders.list');
    expect(find('call_write_tool')).toEqual([]);
    expect(report.hidden.some(({ address }) => address === 'shop/orders.create')).toBe(true);
  });

  it('explains an exported Exposure', async () => {
    const exposure = new Exposure(registry, { view: { exclude: ['notes'] }, scopes: 'hide' });
    const loaded = { registry, found: 'exposure', exposure };
    expect(await reasonsFor('notes/add', {}, loaded)).toEqual(['The view of the server excludes it.']);
    expect(await reasonsFor('shop/orders.list', { caller: { scopes: [] } }, loaded)).toEqual([
      'The caller lacks the scope "orders:read".',
    ]);
    exposure.close();
  });
});

const scopes = ['orders:read', 'orders:write', 'money', 'customers:read', 'billing', 'tickets'];
const keys = ['support', 'billing', 'internal'];
const addresses = ['shop', 'shop/orders.list', 'notes/add', 'acme:travel', 'list_tickets', 'refund', 'store'];
const some = <T>(values: readonly T[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
const maybe = fc.option(fc.boolean(), { nil: undefined });

const settings = fc.record({
  readOnly: maybe,
  tags: some(['people']),
  excludeTags: some(['dangerous']),
  policyReadOnly: maybe,
  allowlist: some(keys),
  denylist: some(keys),
  isDynamic: fc.boolean(),
  ceiling: fc.option(
    fc.record({
      toolsets: some(keys),
      tools: some(addresses),
      excludeTools: some(addresses),
      readOnly: maybe,
    }),
    { nil: undefined },
  ),
  hidesScopes: fc.boolean(),
  held: fc.subarray(scopes),
  request: fc.record({ excludeTools: some(['shop/orders.list', 'notes']), readOnly: maybe }),
  form: fc.constantFrom('grouped' as const, 'flat' as const, 'search' as const),
});
type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

const given = <T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never;

async function explain({ allowlist, denylist = [], ...rest }: Settings) {
  const { readOnly, tags, excludeTags, policyReadOnly, isDynamic, ceiling, hidesScopes, held } = rest;
  const config: ToolsetConfig = {
    ...toolsets,
    startup: isDynamic ? { mode: 'DYNAMIC' } : { mode: 'STATIC', toolsets: 'ALL' },
    exposurePolicy: given({ allowlist, denylist, readOnly: policyReadOnly }) as object,
    ...(ceiling ? { select: () => given(ceiling) as object } : {}),
  };
  const loaded: LoadedModule = {
    ...demo,
    config,
    view: given({ readOnly, tags, excludeTags }) as object,
  };
  const snapshots = new Snapshots(createTestSource(loaded), new TokenThread());
  const seen = await look(
    snapshots.current,
    { form: rest.form, hidesScopes, caller: { scopes: held }, ...(given(rest.request) as Perspective) },
    new AbortController().signal,
  );
  const hidden = runAtOnce(explainHidden(seen));
  snapshots.close();
  return { hidden, count: seen.actions.size };
}

/** The settings without one cause. */
const removals: Readonly<Record<string, (all: Settings) => Settings>> = {
  'view.readOnly': (all) => ({ ...all, readOnly: undefined }),
  'view.tags': (all) => ({ ...all, tags: undefined }),
  'view.excludeTags': (all) => ({ ...all, excludeTags: undefined }),
  'exposurePolicy.readOnly': (all) => ({ ...all, policyReadOnly: undefined }),
  'select.readOnly': (all) => ({ ...all, ceiling: all.ceiling && { ...all.ceiling, readOnly: undefined } }),
  'select.actions': (all) => ({ ...all, ceiling: all.ceiling && { ...all.ceiling, tools: undefined } }),
  'select.exclude': (all) => ({
    ...all,
    ceiling: all.ceiling && { ...all.ceiling, excludeTools: undefined },
  }),
  'request.readOnly': (all) => ({ ...all, request: { ...all.request, readOnly: undefined } }),
  'request.exclude': (all) => ({ ...all, request: { ...all.request, excludeTools: undefined } }),
  scopes: (all) => ({ ...all, hidesScopes: false }),
  toolsets: (all) => ({
    ...all,
    allowlist: undefined,
    denylist: undefined,
    ceiling: all.ceiling && { ...all.ceiling, toolsets: undefined },
  }),
};

describe('The reasons of hidden actions', () => {
  it('exist for every hidden action, and without their causes the action is shown', async () => {
    let explained = 0;
    await fc.assert(
      fc.asyncProperty(settings, fc.nat(), async (drawn, seed) => {
        // A request can exclude only names that it could see. Without names it is always valid.
        const isValid = await explain(drawn).then(
          () => true,
          () => false,
        );
        const all = isValid ? drawn : { ...drawn, request: { ...drawn.request, excludeTools: undefined } };
        const { hidden } = await explain(all);
        for (const { address, causes, reasons } of hidden) {
          expect(reasons.length, address).toBeGreaterThan(0);
          expect(reasons.every((reason) => reason !== '')).toBe(true);
          for (const cause of causes) expect(Object.keys(removals)).toContain(cause);
        }
        const chosen = hidden[seed % Math.max(1, hidden.length)];
        if (!chosen) return;
        explained++;
        let freed = all;
        for (const cause of chosen.causes) freed = removals[cause]?.(freed) ?? freed;
        const after = await explain(freed);
        expect(after.hidden.map(({ address }) => address)).not.toContain(chosen.address);
        // Each cause alone hides the action.
        for (const cause of chosen.causes) {
          let kept = all;
          for (const other of chosen.causes) if (other !== cause) kept = removals[other]?.(kept) ?? kept;
          const still = await explain(kept).catch(() => undefined);
          if (still)
            expect(still.hidden.find(({ address }) => address === chosen.address)?.causes).toEqual([cause]);
        }
      }),
      { numRuns: 50 },
    );
    expect(explained).toBeGreaterThan(30);
  });
});
