import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { Exposure } from '../../toolsets/exposure.js';
import type { AnsweredSearch, Learner, SearchLearning } from '../../stores/search-learning.js';
import { MemorySearchLearning } from '../learn/memory-search-learning.js';

const refund = {
  name: 'refund',
  description: 'Pays the price of an order back.',
  inputSchema: {},
  handler: () => 'refunded',
};
const track = {
  name: 'track',
  description: 'Says where a parcel is.',
  readOnly: true,
  inputSchema: {},
  handler: () => 'on its way',
};
const broken = {
  name: 'broken',
  description: 'Breaks an order.',
  inputSchema: {},
  handler: () => ({ content: [{ type: 'text' as const, text: 'no' }], isError: true }),
};
const shop = (): ToolRegistry => {
  const registry = new ToolRegistry({ name: 'shop' });
  registry.register(refund, track, broken);
  return registry;
};
const caller = (sub: string) => ({ auth: { extra: { iss: 'https://id.example', sub } } });

/** A store that records what it is asked. */
class Recorder implements SearchLearning {
  readonly recalled: { learner: Learner; words: readonly string[]; visible: readonly string[] }[] = [];
  readonly searches: (readonly AnsweredSearch[])[] = [];
  readonly calls: { learner: Learner; address: string }[] = [];
  strengths = new Map<string, number>();

  async recall(learner: Learner, words: readonly string[], isVisible: (address: string) => boolean) {
    const visible = ['refund', 'track', 'broken', 'a:refund', 'old_refund', 'unknown'].filter(isVisible);
    this.recalled.push({ learner, words, visible });
    return this.strengths;
  }

  async noteSearch(_: Learner, searches: readonly AnsweredSearch[]): Promise<void> {
    this.searches.push(searches);
  }

  async noteCall(learner: Learner, address: string): Promise<void> {
    this.calls.push({ learner, address });
  }

  inspect = async () => ({ links: 0, tenants: [], tools: [] });
  erase = async () => 0;
}

async function serve(registry: ToolRegistry, learn: SearchLearning) {
  const exposure = new Exposure(registry, { view: { form: 'search', search: { learn } } });
  const call = async (name: string, args: Record<string, unknown>, request: object = {}) => {
    const view = await exposure.viewFor(request);
    return registry.executeTool({ ...request, name, arguments: args }, view, () => view);
  };
  return {
    exposure,
    call,
    search: (query: string, request?: object) => call('search_tools', { query }, request),
    write: (address: string, request?: object) => call('call_write_tool', { address }, request),
    read: (address: string, request?: object) => call('call_read_tool', { address }, request),
  };
}

const addressesOf = (result: { structuredContent?: unknown }): string[] =>
  (result.structuredContent as { tools: { address: string }[] }).tools.map(({ address }) => address);

describe('a search form that learns', () => {
  it('passes on the stems of each question, the tools that its answer lists, and successful calls', async () => {
    const learn = new Recorder();
    const { call, write, read } = await serve(shop(), learn);
    await call('search_tools', { queries: ['give back the price of an order', 'where is my parcel'] });
    expect(learn.recalled.map(({ words }) => words)).toEqual([
      ['give', 'back', 'price', 'order'],
      ['parcel'],
    ]);
    await vi.waitFor(() => expect(learn.searches).toHaveLength(1));
    expect(learn.searches[0]?.map(({ words }) => words)).toEqual(learn.recalled.map(({ words }) => words));
    expect(learn.searches[0]?.map(({ shown }) => shown[0])).toEqual(['refund', 'track']);
    await write('refund');
    await write('broken');
    await write('unknown');
    await read('refund');
    await read('track');
    await vi.waitFor(() => expect(learn.calls.map(({ address }) => address)).toEqual(['refund', 'track']));
  });

  it('notes nothing for lists of tools and for calls of listed tools', async () => {
    const learn = new Recorder();
    const registry = shop();
    const exposure = new Exposure(registry, {
      view: { form: 'search', pinned: ['track'], search: { learn } },
    });
    const view = await exposure.viewFor({});
    await registry.executeTool({ name: 'track', arguments: {} }, view);
    await registry.executeTool({ name: 'call_write_tool', arguments: { address: 'refund' } }, view);
    await vi.waitFor(() => expect(learn.calls.map(({ address }) => address)).toEqual(['refund']));
  });

  it('notes calls through middleware, mounted registries and former names by their current address', async () => {
    const learn = new Recorder();
    const inner = new ToolRegistry({ name: 'inner' });
    inner.register({ ...refund, aliases: ['old_refund'] });
    inner.use((_, next) => next());
    const registry = new ToolRegistry({ name: 'hub' });
    registry.mount('a', inner);
    registry.use((_, next) => next());
    const { write, search } = await serve(registry, learn);
    await search('money');
    await write('a:refund');
    await write('a:old_refund');
    await vi.waitFor(() =>
      expect(learn.calls.map(({ address }) => address)).toEqual(['a:refund', 'a:refund']),
    );
    expect(learn.recalled[0]?.visible).toEqual(['a:refund']);
  });

  it('identifies callers by their verified claims, and tenants as the registry does', async () => {
    const learn = new Recorder();
    const named = new ToolRegistry({ name: 'shop', tenant: ({ clientId }) => clientId });
    named.register(refund);
    for (const [registry, request] of [
      [shop(), { caller: caller('ada') }],
      [shop(), { caller: { ...caller('ada'), sessionId: 's1' } }],
      [shop(), { caller: { auth: { extra: { sub: 'ada', org_id: 'acme' } } } }],
      [shop(), { caller: { auth: { extra: { sub: 'ben', org_id: 'acme' } } } }],
      [shop(), { caller: { address: '192.0.2.1' } }],
      [named, { caller: { address: '192.0.2.1' }, clientId: 'globex' }],
    ] as const) {
      const { search, write } = await serve(registry, learn);
      await search('money', request);
      await write('refund', request);
    }
    await vi.waitFor(() => expect(learn.calls).toHaveLength(6));
    // The search and the call of a request have the same learner.
    expect(learn.calls.map(({ learner }) => learner)).toEqual(learn.recalled.map(({ learner }) => learner));
    const [ada, session, adaOfAcme, benOfAcme, nobody, ofGlobex] = learn.calls.map(({ learner }) => learner);
    expect(session).toMatchObject({ tenant: ada?.tenant, caller: ada?.caller });
    expect(session?.conversation).not.toBe(ada?.conversation);
    expect(benOfAcme?.tenant).toBe(adaOfAcme?.tenant);
    expect(adaOfAcme?.tenant).not.toBe(ada?.tenant);
    expect(benOfAcme?.caller).not.toBe(adaOfAcme?.caller);
    expect(nobody).toMatchObject({ tenant: undefined, caller: 'nobody' });
    expect(ofGlobex).toMatchObject({ tenant: 'named globex', caller: 'nobody' });
  });

  it('lets only tools of the view and of the searched kind have an influence', async () => {
    const learn = new Recorder();
    const { call, exposure } = await serve(shop(), learn);
    await call('search_tools', { query: 'money' });
    await call('search_tools', { query: 'money', kind: 'read' });
    const view = await exposure.viewFor({ selection: { readOnly: true } });
    await shop().executeTool({ name: 'search_tools', arguments: { query: 'money' } }, view);
    expect(learn.recalled.map(({ visible }) => visible)).toEqual([
      ['refund', 'track', 'broken'],
      ['track'],
      ['track'],
    ]);
    learn.strengths = new Map([
      ['refund', 1],
      ['unknown', 1],
    ]);
    const result = await shop().executeTool({ name: 'search_tools', arguments: { query: 'parcel' } }, view);
    expect(addressesOf(result)).toEqual(['track']);
    expect(JSON.stringify(result)).not.toMatch(/refund|unknown/);
  });

  it('answers like a search without a store if the store fails, and reports the first failure in a row', async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error('store is down'));
    const learn = { recall: fail, noteSearch: fail, noteCall: fail, inspect: fail, erase: fail };
    const plain = await serve(shop(), new Recorder());
    const { search, write } = await serve(shop(), learn);
    const onFault = vi.fn<(error: unknown) => void>();
    expect(await search('where is my parcel', { onFault })).toEqual(await plain.search('where is my parcel'));
    expect((await write('refund', { onFault })).content).toEqual([{ type: 'text', text: 'refunded' }]);
    await vi.waitFor(() => expect(onFault).toHaveBeenCalled());
    await search('order', { onFault });
    expect(onFault).toHaveBeenCalledTimes(1);
    expect(onFault.mock.calls[0]?.[0]).toMatchObject({ message: 'store is down' });
  });

  it('also survives a store whose methods throw, or whose tenant rule throws', async () => {
    const fail = (): never => {
      throw new Error('no promise');
    };
    const learn = { recall: fail, noteSearch: fail, noteCall: fail, inspect: fail, erase: fail };
    const { search, write } = await serve(shop(), learn);
    expect(addressesOf(await search('parcel'))).toEqual(['track']);
    expect((await write('refund')).isError).toBeUndefined();
    const registry = new ToolRegistry({ name: 'shop', tenant: fail });
    registry.register(track);
    const other = await serve(registry, new Recorder());
    expect(addressesOf(await other.search('parcel'))).toEqual(['track']);
  });

  it('answers like a search without a store if the store returns something else than strengths', async () => {
    const expected = await (await serve(shop(), new Recorder())).search('parcel');
    const values: unknown[] = [
      undefined,
      null,
      {},
      5,
      [1],
      new Map([['refund', 1n]]),
      new Map([['refund', NaN]]),
    ];
    for (const value of values) {
      const learn = Object.assign(new Recorder(), { recall: async () => value as Map<string, number> });
      expect(await (await serve(shop(), learn)).search('parcel')).toEqual(expected);
    }
  });

  it('waits 50 ms for a slow store, and for none of its notes', async () => {
    const never = async (): Promise<never> => new Promise(() => {});
    const learn = { recall: never, noteSearch: never, noteCall: never, inspect: never, erase: never };
    const { search, write } = await serve(shop(), learn);
    const onFault = vi.fn<(error: unknown) => void>();
    const first = await search('parcel', { onFault });
    expect(addressesOf(first)).toEqual(['track']);
    expect(onFault.mock.calls).toMatchObject([[{ message: 'search.learn did not answer within 50 ms.' }]]);
    expect((await write('refund')).content).toEqual([{ type: 'text', text: 'refunded' }]);
  });

  it('answers one query in each turn of the event loop, even if the store answers all of them at once', async () => {
    let turn = 0;
    let turns: number[] = [];
    const waiting: ((strengths: Map<string, number>) => void)[] = [];
    const recall = async () =>
      new Promise<Map<string, number>>((resolve) => {
        // The first query creates the index.
        if (turn === 0) resolve(new Map());
        else if (waiting.push(resolve) === 4) for (const answer of waiting) answer(new Map());
      });
    const ranker = () => ({ rank: () => (turns.push(turn), []) });
    const registry = shop();
    const search = { learn: Object.assign(new Recorder(), { recall }), ranker };
    const view = await new Exposure(registry, { view: { form: 'search', search } }).viewFor({});
    const ask = (...queries: string[]) =>
      registry.executeTool({ name: 'search_tools', arguments: { queries } }, view);
    await ask('parcel');
    turns = [];
    const count = (): void => {
      turn += 1;
      if (turns.length < 4) setImmediate(count);
    };
    count();
    await ask('parcel', 'order', 'price', 'pay');
    expect(new Set(turns).size).toBe(4);
  });

  it('rejects a setting that is no store', () => {
    expect(() => new Exposure(shop(), { view: { form: 'search', search: { learn: {} as never } } })).toThrow(
      'search.learn must be an object with the methods recall(), noteSearch(), noteCall().',
    );
  });

  it('learns with several interleaved callers, each for its own tenant', async () => {
    const learn = new MemorySearchLearning();
    const { search, write, read } = await serve(shop(), learn);
    const [ada, ben] = [{ caller: caller('ada') }, { caller: caller('ben') }];
    await Promise.all([search('gimme cash order', ada), search('gimme cash parcel', ben)]);
    await Promise.all([read('track', ben), write('refund', ada)]);
    await vi.waitFor(async () => expect((await learn.inspect()).tenants).toHaveLength(2));
    const toolsOf = async (tenant: typeof ada) =>
      (await learn.inspect({ tenant: tenant.caller })).tools.map(({ address }) => address);
    expect([await toolsOf(ada), await toolsOf(ben)]).toEqual([['refund'], ['track']]);
  });
});
