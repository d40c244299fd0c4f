import { describe, expect, it, vi } from 'vitest';
import type { CallToolResult } from 'toolfold';
import { ToolRegistry } from 'toolfold';
import * as z from 'zod';
import type { CompileOptions, View } from '../../../toolfold/src/views/view.js';
import { createSearchView } from '../../../toolfold/test/form-views.js';
import type { CreateRanker } from './search-settings.js';
import { internalsOf } from 'toolfold/internal';

const tool = (name: string, description: string, readOnly = true) => ({
  name,
  description,
  readOnly,
  inputSchema: { type: 'object' as const },
  handler: () => name,
});

const SIZE = 60;
/** All tools but the last match the query better. */
function createRegistry(): ToolRegistry {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false });
  for (let at = 0; at < SIZE; at++) registry.register(tool(`send_invoice_${at}`, 'Sends an invoice', false));
  return registry.register(
    tool('billing_report', 'A long report about many things, and in it the latest invoice'),
  );
}

async function findIn(registry: ToolRegistry, view: View, input: Record<string, unknown>): Promise<string[]> {
  const call = { name: 'search_tools', arguments: input };
  const { structuredContent } = (await registry.executeTool(call, view)) as CallToolResult;
  return (structuredContent as { tools: { address: string }[] }).tools.map(({ address }) => address);
}

describe('searches of views that narrow another view', () => {
  const registry = createRegistry();
  const wider = registry.view();
  const narrow = (narrowing: CompileOptions['narrowing']): View =>
    internalsOf(registry).tools.viewWith([], {}, { narrowing });

  it('share one index and one ranker', async () => {
    const created = vi.fn<(size: number) => void>();
    const ranker: CreateRanker = (tools) => {
      created(tools.length);
      return { rank: (_, { limit }) => tools.map(({ address }) => address).slice(0, limit) };
    };
    const views = [wider, narrow({ readOnly: true }), narrow({ exclude: ['billing_report'] })];
    const searches = views.map((view) => createSearchView(registry, view, { settings: { ranker }, wider }));
    const counts: number[] = [];
    for (const search of searches)
      counts.push((await findIn(registry, search, { query: 'invoice', limit: 50 })).length);
    expect(counts).toEqual([50, 1, 50]);
    expect(created.mock.calls).toEqual([[SIZE + 1]]);
  });

  it('find the tools of the view, even if many hidden tools rank higher', async () => {
    const rankers: (CreateRanker | undefined)[] = [
      undefined,
      (tools) => ({ rank: (_, { limit }) => tools.map(({ address }) => address).slice(0, limit) }),
    ];
    for (const ranker of rankers) {
      const search = createSearchView(registry, narrow({ readOnly: true }), { wider, settings: { ranker } });
      expect(await findIn(registry, search, { query: 'send invoice', limit: 1 })).toEqual(['billing_report']);
      expect(await findIn(registry, search, { query: 'send_invoice_7' })).toEqual(['billing_report']);
      const others = createSearchView(registry, narrow({ exclude: ['send_invoice_7'] }), {
        wider,
        settings: { ranker },
      });
      expect(await findIn(registry, others, { query: 'send_invoice_7' })).not.toContain('send_invoice_7');
    }
  });

  it('ignore the text of a toolset that a view hides', async () => {
    const spec = internalsOf(registry).tools.compileItem(tool('audit', 'Reads the log'));
    const toolsets = [
      { key: 'daily', name: 'Daily', description: 'Daily work' },
      { key: 'secret', name: 'Acquisitions', description: 'Acquisitions of companies' },
    ];
    const open = (...keys: string[]): View =>
      internalsOf(registry).tools.viewWith(
        [spec],
        {},
        { toolsetsOf: (each) => (each === spec ? keys.map((key) => ({ key })) : []) },
      );
    const whole = open('daily', 'secret');
    const all = createSearchView(registry, whole, { toolsets });
    expect(await findIn(registry, all, { query: 'acquisitions' })).toEqual(['audit']);
    const some = createSearchView(registry, open('daily'), { toolsets, wider: whole });
    expect(await findIn(registry, some, { query: 'acquisitions' })).toEqual([]);
    expect(await findIn(registry, some, { query: 'log' })).toEqual(['audit']);
  });
});

describe('the first search of a large view', () => {
  const MANY = 2_000;
  const createLarge = (): ToolRegistry => {
    const large = new ToolRegistry({ name: 'large', rateLimiter: false });
    const tools = Array.from({ length: MANY }, (_, at) =>
      tool(`send_invoice_${at}`, `Sends invoice ${at} to the customer, and reminds number ${at * 7} of it`),
    );
    return large.register(...tools);
  };
  /** Counts the turns of the event loop until some work is done. */
  const countTurns = async (work: Promise<unknown>): Promise<number> => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await work;
    clearInterval(timer);
    return turns;
  };

  it('lets the event loop run while the index is built, and concurrent searches share the index', async () => {
    const registry = createLarge();
    const created = vi.fn<(size: number) => void>();
    const view = createSearchView(registry, registry.view(), {
      settings: {
        ranker: (tools) => {
          created(tools.length);
          return { rank: () => [] };
        },
      },
    });
    const queries = ['send_invoice_7', 'send_invoice_8', 'send_invoice_9'];
    const searches = queries.map((query) => findIn(registry, view, { query, limit: 1 }));
    expect(await countTurns(Promise.all(searches))).toBeGreaterThan(2);
    expect((await Promise.all(searches)).flat()).toEqual(queries);
    expect(created.mock.calls).toEqual([[MANY]]);
  });

  it('finishes for a view that a registration has replaced, and the new view gets its own index', async () => {
    const registry = createLarge();
    const search = (query: string): Promise<string[]> =>
      findIn(registry, createSearchView(registry, registry.view()), { query, limit: 1 });
    const before = search('archive a contract');
    await new Promise((resolve) => setTimeout(resolve, 5));
    registry.register(tool('archive_contract', 'Archives a contract'));
    const after = search('archive a contract');
    expect(await before).not.toContain('archive_contract');
    expect(await after).toEqual(['archive_contract']);
  });

  it('is not ended by the cancellation of one of its callers', async () => {
    const registry = createLarge();
    const view = createSearchView(registry, registry.view());
    const abort = new AbortController();
    const call = { name: 'search_tools', arguments: { query: 'send_invoice_7', limit: 1 } };
    const cancelled = registry.executeTool({ ...call, signal: abort.signal }, view);
    const other = findIn(registry, view, { query: 'send_invoice_8', limit: 1 });
    abort.abort();
    expect(await cancelled).toMatchObject({ isError: true });
    expect(await other).toEqual(['send_invoice_8']);
  });
});

describe('the values that arguments accept', () => {
  it('are found, also inside of lists and alternatives', async () => {
    const registry = new ToolRegistry({ name: 'desk', rateLimiter: false })
      .register({
        ...tool('set_status', 'Changes a ticket', false),
        inputSchema: z.object({
          status: z.enum(['open', 'closed']),
          labels: z.array(z.enum(['billing', 'shipping'])).optional(),
          mood: z.literal('grumpy').nullish(),
        }),
      })
      .register(tool('merge', 'Merges a ticket into another', false), tool('list', 'Lists tickets'));
    const search = createSearchView(registry, registry.view());
    for (const query of ['close a ticket', 'billing ticket', 'a grumpy customer'])
      expect((await findIn(registry, search, { query }))[0], query).toBe('set_status');
  });
});
