import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CallToolResult, ErrorReport, View } from 'toolfold';
import { ToolRegistry } from 'toolfold';
import { createSearchView } from '../../../toolfold/test/form-views.js';
import type { SearchSettings } from './search-settings.js';
import { internalsOf } from 'toolfold/internal';

interface Row {
  readonly query?: number | string;
  readonly address: string;
  readonly signature?: string;
  readonly kind: string;
  readonly confidence?: string;
}
interface Content {
  readonly tools: readonly Row[];
  readonly more?: number;
  readonly unmatched?: readonly string[];
  readonly next?: string;
  readonly toolsets?: readonly { readonly key: string; readonly name: string; readonly tools: number }[];
}

const tool = (name: string, description: string, readOnly = true) => ({
  name,
  description,
  readOnly,
  inputSchema: z.object({ id: z.string(), note: z.string().optional() }),
  handler: () => name,
});

/** Tools whose subjects share no word. */
const shop = [
  tool('list_orders', 'Lists the orders of a customer'),
  tool('refund_order', 'Pays the price of an order back', false),
  tool('track_parcel', 'Says where a parcel is'),
  tool('send_newsletter', 'Sends the weekly newsletter to subscribers', false),
];

function open(tools = shop, toolsetOf?: (name: string) => string | undefined, settings: SearchSettings = {}) {
  const registry = new ToolRegistry({ name: 'shop', rateLimiter: false });
  const specs = tools.map((each) => internalsOf(registry).tools.compileItem(each));
  const inner = toolsetOf
    ? internalsOf(registry).tools.viewWith(
        specs,
        {},
        {
          toolsetsOf: (spec) => {
            const key = toolsetOf(spec.spec.name);
            return key === undefined ? [] : [{ key }];
          },
        },
      )
    : registry.register(...tools).view();
  const view = createSearchView(registry, inner, { settings });
  return { registry, view, search: (args: Record<string, unknown>) => searchIn(registry, view, args) };
}

const searchIn = (
  registry: ToolRegistry,
  view: View,
  args: Record<string, unknown>,
): Promise<CallToolResult> => registry.executeTool({ name: 'search_tools', arguments: args }, view);

const contentOf = ({ structuredContent }: CallToolResult): Content => structuredContent as Content;
const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('\n');
const codeOf = ({ _meta }: CallToolResult) => (_meta?.['toolfold/error'] as ErrorReport | undefined)?.code;
const addressesOf = (result: CallToolResult): string[] =>
  contentOf(result).tools.map(({ address }) => address);

beforeAll(() => import('../index.js'));

describe('several queries in one search', () => {
  it('return the best tools of each, grouped by query, with the number of the query', async () => {
    const { search } = open();
    const result = await search({ queries: ['where is the parcel', 'pay an order back'] });
    const { tools } = contentOf(result);
    expect(tools[0]).toMatchObject({
      query: 1,
      address: 'track_parcel',
      signature: '(id: string, note?: string)',
    });
    expect(tools[1]).toMatchObject({ query: 2, address: 'refund_order', kind: 'write' });
    expect(textOf(result)).toContain('{query,address,signature,summary,kind,confidence}');
    expect(textOf(result)).toContain(
      '  1,track_parcel,"(id: string, note?: string)",Says where a parcel is,read,',
    );
  });

  it('name all queries that a tool answers, and show the tool once', async () => {
    const { search } = open();
    const { tools } = contentOf(await search({ queries: ['track_parcel', 'qzxqzx', 'track parcel'] }));
    const row = tools.find(({ address }) => address === 'track_parcel');
    expect(row?.query).toBe('1+3');
    expect(tools.filter(({ address }) => address === 'track_parcel')).toHaveLength(1);
  });

  it('have a limit each, and share ten places without a limit', async () => {
    const { search } = open();
    const queries = ['track_parcel', 'refund_order', 'send_newsletter'];
    const one = contentOf(await search({ queries, limit: 1 }));
    expect(one.tools.map(({ query, address }) => [query, address])).toEqual([
      [1, 'track_parcel'],
      [2, 'refund_order'],
      [3, 'send_newsletter'],
    ]);
    const many = open(Array.from({ length: 30 }, (_, at) => tool(`send_${at}`, 'Sends an invoice')));
    const shared = contentOf(await many.search({ queries: ['send an invoice', 'invoices'] }));
    expect(shared.tools).toHaveLength(10);
  });

  it('have at most fifty tools together, and name the queries for which no place was left', async () => {
    const tools = Array.from({ length: 60 }, (_, at) => tool(`send_${at}`, 'Sends an invoice'));
    const { search } = open([...tools, tool('ping', 'Answers to a ping')]);
    const queries = ['send an invoice', 'ping'];
    const page = contentOf(await search({ queries, limit: 50 }));
    expect(page.tools).toHaveLength(50);
    const last = contentOf(
      await search({ queries: Array.from({ length: 10 }, (_, at) => `send_${at}`), limit: 50 }),
    );
    expect(last.tools).toHaveLength(50);
  });

  it('say for each query if no tool matches, and keep the results of the others', async () => {
    const { search } = open();
    const result = await search({ queries: ['qzxqzx', 'track_parcel', 'wvkwvk'] });
    expect(result.isError).toBeUndefined();
    expect(addressesOf(result)).toContain('track_parcel');
    expect(contentOf(result).next).toContain('No tool matches query 1, 3.');
    expect(contentOf(result).toolsets).toBeUndefined();
  });

  it('ignore blank and repeated queries, and count the given ones', async () => {
    const { search } = open();
    const { tools } = contentOf(
      await search({ queries: ['', 'track_parcel', ' track_parcel ', 'refund_order'], query: ' ' }),
    );
    expect(tools.map(({ query }) => query)).toEqual(expect.arrayContaining([2, 4]));
    const alone = contentOf(await search({ queries: ['track_parcel'] }));
    expect(alone).toEqual(contentOf(await search({ query: 'track_parcel' })));
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['query and queries together', { query: 'a', queries: ['b'] }, 'Write all of them into queries'],
    ['more than ten', { queries: Array.from({ length: 11 }, (_, at) => `query ${at}`) }, 'queries'],
    ['a query of more than 500 characters', { queries: ['x'.repeat(501)] }, 'queries'],
    ['a number', { queries: [7] }, 'queries'],
    ['a negative offset', { query: 'a', offset: -1 }, 'offset'],
  ])('reject %s', async (_, args, message) => {
    const result = await open().search(args);
    expect(codeOf(result)).toBe('ErrValidationFailed');
    expect(textOf(result)).toContain(message);
  });

  it('run a ranker for all queries at once, and fail if it fails', async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const ranker = () => ({
      rank: async (query: string) => {
        most = Math.max(most, (running += 1));
        if (query === 'broken') throw new Error('The model is away');
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 3) for (const release of waiting) release();
        });
        running -= 1;
        return [];
      },
    });
    const { search } = open(shop, undefined, { ranker });
    await search({ queries: ['list_orders', 'track_parcel', 'refund_order'] });
    expect(most).toBe(3);
    const failed = await search({ queries: ['broken', 'track_parcel'] });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('The model is away');
  });

  it('end with the cancellation of the call', async () => {
    const { registry, view } = open();
    const abort = new AbortController();
    const queries = ['track_parcel', 'refund_order', 'list_orders'];
    const call = { name: 'search_tools', arguments: { queries }, signal: abort.signal };
    const running = registry.executeTool(call, view);
    abort.abort();
    expect((await running).isError).toBe(true);
  });
});

describe('a search without results', () => {
  const toolsetOf = (name: string) => (name.includes('order') ? 'orders' : 'post');

  it('says so, and lists the toolsets of the view with the number of their tools', async () => {
    const { search } = open(shop, toolsetOf);
    const result = await search({ query: 'qzxqzx' });
    expect(result.isError).toBeUndefined();
    expect(contentOf(result)).toMatchObject({
      tools: [],
      next: expect.stringMatching(
        /^No tool matches\. .*pass a toolset without a query to list its tools\.$/,
      ) as string,
      toolsets: [
        { key: 'orders', name: 'orders', tools: 2 },
        { key: 'post', name: 'post', tools: 2 },
      ],
    });
    expect(textOf(result)).toContain('toolsets[2]{key,name,tools}:\n  orders,orders,2\n  post,post,2');
    const narrowed = contentOf(await search({ queries: ['qzxqzx', 'wvkwvk'], kind: 'read' }));
    expect(narrowed.next).toContain('No tool matches.');
    expect(narrowed.next).toContain('leave out toolset and kind');
  });

  it('lists at most 20 toolsets', async () => {
    const many = Array.from({ length: 30 }, (_, at) => tool(`tool_${at}`, `Does ${at}`));
    const { search } = open(many, (name) => `set_${name}`);
    const { toolsets, next } = contentOf(await search({ query: 'qzxqzx' }));
    expect(toolsets).toHaveLength(20);
    expect(next).toContain('list_toolsets');
  });
});

describe('a search with more tools than its limit', () => {
  const SIZE = 67;
  const tools = Array.from({ length: SIZE }, (_, at) =>
    tool(`invoice_${String(at).padStart(2, '0')}`, `Sends invoice ${at}`, at % 2 === 0),
  );
  const all = tools.map(({ name }) => name);

  it('says how many are left, and how to get them', async () => {
    const { search } = open(tools, () => 'billing');
    const first = contentOf(await search({ query: 'invoice', limit: 50 }));
    expect(first.tools).toHaveLength(50);
    expect(first.more).toBe(SIZE - 50);
    expect(first.next).toContain('offset: 50 returns the next tools');
    expect(first.next).toContain('pass a toolset without a query');
    const second = contentOf(await search({ query: 'invoice', limit: 50, offset: 50 }));
    expect(second.more).toBeUndefined();
    const found = [...first.tools, ...second.tools].map(({ address }) => address);
    expect(found.toSorted()).toEqual(all);
    expect(contentOf(await search({ query: 'invoice', offset: 500 }))).toEqual({
      tools: [],
      next: 'No tool is left from offset 500 on.',
    });
  });

  it('counts only tools of the requested kind and toolset', async () => {
    const { search } = open(tools, (name) => (name < 'invoice_40' ? 'early' : 'late'));
    const { tools: rows, more } = contentOf(
      await search({ query: 'invoice', toolset: 'early', kind: 'read' }),
    );
    expect(rows).toHaveLength(10);
    expect(rows.every(({ kind, address }) => kind === 'read' && address < 'invoice_40')).toBe(true);
    expect(more).toBe(10);
  });

  it('pages through a toolset by address, to the end', async () => {
    const { search } = open(tools, () => 'billing');
    const found: string[] = [];
    for (let offset = 0; ;) {
      const { tools: rows, more, next } = contentOf(await search({ toolset: 'billing', limit: 20, offset }));
      found.push(...rows.map(({ address }) => address));
      offset += 20;
      if (more === undefined) break;
      expect(more).toBe(SIZE - offset);
      expect(next).toContain(`offset: ${offset} returns the next tools`);
    }
    expect(found).toEqual(all);
    const beyond = contentOf(await search({ toolset: 'billing', offset: 1e300 }));
    expect(beyond).toEqual({ tools: [], next: `There are only ${SIZE} tools.` });
  });

  it('lists all tools without a query and a toolset, and the toolsets if there are more tools', async () => {
    const { search } = open(tools, () => 'billing');
    const page = contentOf(await search({}));
    expect(page).toMatchObject({ more: SIZE - 10, toolsets: [{ key: 'billing', tools: SIZE }] });
    expect(page.tools.map(({ address }) => address)).toEqual(all.slice(0, 10));
    expect(contentOf(await search({ limit: 50, offset: 50 })).toolsets).toBeUndefined();
  });

  it('has long signatures only for the first three', async () => {
    const { search } = open(tools);
    const short = contentOf(await search({ query: 'invoice', limit: 50 }));
    for (const { signature } of short.tools) expect(signature).toBe('(id: string, note?: string)');
    const inputSchema = z.object({ number_of_the_invoice: z.string(), reason_to_send_it: z.string() });
    const long = open(tools.map((each) => ({ ...each, inputSchema: inputSchema as never })));
    const { tools: rows } = contentOf(await long.search({ query: 'invoice', limit: 50 }));
    expect(rows.map(({ signature }) => signature)).toEqual([
      ...Array.from({ length: 3 }, () => '(number_of_the_invoice: string, reason_to_send_it: string)'),
      ...Array.from({ length: 47 }, () => '…'),
    ]);
  });
});

describe('texts with half characters', () => {
  it('fail no search, and are in no answer', async () => {
    const emoji = String.fromCodePoint(0x1f600);
    const gothic = String.fromCodePoint(0x10330);
    const { search } = open([
      tool('cut', `x${emoji.repeat(100)}`),
      tool('half', 'Says \ud800 half'),
      { ...tool('field', 'Has a field'), inputSchema: z.object({ 'a\udc00': z.enum(['\ud800']) }) as never },
    ]);
    for (const input of [
      {},
      { query: 'half' },
      { query: 'field' },
      { query: `a${gothic.repeat(60)}` },
      { toolset: `x${emoji.repeat(100)}` },
    ]) {
      const result = await search(input);
      expect(result.isError === true).toBe('toolset' in input);
      // Half characters are escaped in JSON.
      expect(JSON.stringify(result.content)).not.toMatch(/(?<!\\)\\ud[89a-f]/);
    }
  });
});
