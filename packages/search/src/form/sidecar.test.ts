import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ErrInvalidOptions, ErrInvalidPolicy } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import type { OfferedView, ToolsetConfig } from 'toolfold/web';
import { readEntries, toDocuments } from './entries.js';
import { findSidecarProblem, readSidecar } from './sidecar.js';
import type { SearchSidecar } from './sidecar.js';
import type { ToolSearchDocument } from '../index/tool-search.js';
import { searchForm } from './search-form.js';
import type { CreateRanker, SearchSettings } from './search-settings.js';

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: {},
  handler: () => name,
  ...more,
});
const sidecarOf = (tools: SearchSidecar['tools']): SearchSidecar => ({ version: 1, tools });
const parse = (text: string): unknown => JSON.parse(text);

describe('a sidecar', () => {
  it.each<[string, unknown, string]>([
    ['no object', [], ' must be { "version": 1, "tools": { … } }, but is an empty list.'],
    ['no version', { tools: {} }, '.version must be 1, but is undefined.'],
    ['an unknown version', { version: 2, tools: {} }, '.version must be 1, but is 2.'],
    ['a version of text', { version: '1', tools: {} }, '.version must be 1, but is text.'],
    [
      'an unknown field',
      { version: 1, tools: {}, keywords: {} },
      ' has no field "keywords". Its fields are version and tools.',
    ],
    [
      'a field __proto__',
      parse('{"version":1,"tools":{},"__proto__":{}}'),
      ' has no field "__proto__". Its fields are version and tools.',
    ],
    ['no tools', { version: 1 }, '.tools must be an object by address, but is undefined.'],
    [
      'a list of tools',
      { version: 1, tools: [] },
      '.tools must be an object by address, but is an empty list.',
    ],
    [
      'words that are a list',
      { version: 1, tools: { 'a/b': ['x'] } },
      '.tools["a/b"] must be { keywords, examples }, but is a list.',
    ],
    [
      'a misspelt field of a tool',
      { version: 1, tools: { 'a/b': { keyword: ['x'] } } },
      '.tools["a/b"] has no field "keyword". Did you mean "keywords"?',
    ],
    [
      'a keyword that is no text',
      { version: 1, tools: { 'a/b': { keywords: ['x', 2] } } },
      '.tools["a/b"].keywords[1] must be text, but is 2.',
    ],
    [
      'an invalid entry __proto__',
      parse('{"version":1,"tools":{"__proto__":{"keywords":[1]}}}'),
      '.tools["__proto__"].keywords[0] must be text, but is 1.',
    ],
    [
      'an empty address',
      { version: 1, tools: { '': {} } },
      '.tools[""] must have an address of 1 to 1024 characters.',
    ],
    [
      'too many addresses',
      { version: 1, tools: Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`t${at}`, {}])) },
      '.tools must have at most 20000 addresses, but has 20001.',
    ],
  ])('is rejected with %s', (_, sidecar, problem) => {
    expect(findSidecarProblem(sidecar)).toBe(problem);
    expect(() => searchForm({ sidecar } as SearchSettings)).toThrow(
      new ErrInvalidOptions(`search.sidecar${problem}`),
    );
  });

  it('adds its words to those of the definition, under the address or a former one', () => {
    const registry = new ToolRegistry()
      .register(
        tool('pay', { search: { keywords: ['settle'], examples: ['pay a bill'] }, aliases: ['give'] }),
      )
      .register(tool('constructor'))
      .register(tool('other', { aliases: ['former'] }));
    const mounted = new ToolRegistry().mount('shop', registry as unknown as ToolRegistry);
    const words = readSidecar(
      sidecarOf({
        'shop:pay': { keywords: ['remit', 'settle'], examples: ['send money'] },
        'shop:former': { keywords: ['renamed'] },
        pay: { keywords: ['elsewhere'] },
      }),
    );
    const documents = [...toDocuments(readEntries(mounted.view({ form: 'flat' }), []), words)];
    expect(documents.map(({ address, keywords, examples }) => [address, keywords, examples])).toEqual([
      ['shop:pay', ['settle', 'remit'], ['pay a bill', 'send money']],
      ['shop:constructor', undefined, undefined],
      ['shop:other', ['renamed'], []],
    ]);
  });

  it('has words for a tool named __proto__ like for any other', () => {
    const registry = new ToolRegistry().register(tool('__proto__'), tool('toString'));
    const sidecar = parse('{"version":1,"tools":{"__proto__":{"keywords":["x"]}}}') as SearchSidecar;
    const documents = [...toDocuments(readEntries(registry.view(), []), readSidecar(sidecar))];
    expect(documents.map(({ keywords }) => keywords)).toEqual([['x'], undefined]);
  });

  it('is copied when the server is created', () => {
    const tools = { pay: { keywords: ['remit'] } };
    const sidecar = sidecarOf(tools);
    readSidecar(sidecar);
    tools.pay.keywords.push('later');
    expect(readSidecar(sidecar).get('pay')?.keywords).toEqual(['remit']);
  });

  it('is checked without throwing, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({ version: fc.constant(1), tools: fc.dictionary(fc.string(), fc.anything()) }),
        ),
        (sidecar) => {
          const problem = findSidecarProblem(sidecar);
          expect(problem === undefined || /[.?]$/.test(problem)).toBe(true);
          if (problem === undefined) expect(() => readSidecar(sidecar as SearchSidecar)).not.toThrow();
        },
      ),
    );
  });
});

describe('a sidecar of a server', () => {
  const setUp = (sidecar: SearchSidecar, policy: OfferedView = {}) => {
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      tool('pay', { aliases: ['give'] }),
      tool('refund'),
      tool('report'),
    ) as ToolRegistry;
    const onError = vi.fn<(error: unknown) => void>();
    const indexed: ToolSearchDocument[] = [];
    const ranker: CreateRanker = (documents) => {
      indexed.push(...documents);
      return { rank: () => [] };
    };
    const serve = (words: SearchSidecar) =>
      new Exposure(registry, {
        view: { ...policy, form: 'search', search: { sidecar: words, ranker } },
        onError,
      });
    const searchIn = async (exposure: Exposure, selection?: object) => {
      const view = await exposure.viewFor(selection ? { selection } : {});
      indexed.length = 0;
      await registry.executeTool({ name: 'search_tools', arguments: { query: 'pay' } }, view);
      return Object.fromEntries(indexed.map(({ address, keywords }) => [address, keywords]));
    };
    const exposure = serve(sidecar);
    return { registry, onError, serve, searchIn, search: (some?: object) => searchIn(exposure, some) };
  };

  it('adds its words to the index', async () => {
    const { search, onError } = setUp(sidecarOf({ refund: { keywords: ['moneyback'] } }));
    expect(await search()).toEqual({ pay: undefined, refund: ['moneyback'], report: undefined });
    expect(onError).not.toHaveBeenCalled();
  });

  it('reports addresses that no tool has once, with the nearest one, and answers', async () => {
    const { search, onError, registry } = setUp(
      sidecarOf({ refnd: { keywords: ['moneyback'] }, pay: { keywords: ['remit'] } }),
    );
    expect(await search()).toMatchObject({ pay: ['remit'] });
    registry.register(tool('later'));
    expect(await search()).toMatchObject({ pay: ['remit'], later: undefined });
    expect(onError.mock.calls).toEqual([
      [
        new ErrInvalidPolicy(
          'search.sidecar has words for an address that no tool has: "refnd" (did you mean "refund"?).',
          { details: { addresses: ['refnd'] } },
        ),
      ],
    ]);
  });

  it('does not report tools that a policy, a selection or a former name hides', async () => {
    const words = { keywords: ['x'] };
    const { search, onError } = setUp(sidecarOf({ report: words, give: words, refund: words }), {
      exclude: ['report'],
    });
    await search({ tools: ['refund'] });
    await search();
    expect(onError).not.toHaveBeenCalled();
  });

  it('does not share an index with a server that has another sidecar', async () => {
    const { serve, searchIn, search } = setUp(sidecarOf({ refund: { keywords: ['moneyback'] } }));
    await search();
    const other = serve(sidecarOf({ pay: { keywords: ['remit'] } }));
    expect(await searchIn(other)).toEqual({ pay: ['remit'], refund: undefined, report: undefined });
  });

  it('reports addresses of toolsets only if all toolsets can be reached', async () => {
    const words = { keywords: ['x'] };
    const reported = async (more: Partial<ToolsetConfig>, view: OfferedView = {}): Promise<number> => {
      const registry = new ToolRegistry({ rateLimiter: false }) as ToolRegistry;
      const onError = vi.fn<(error: unknown) => void>();
      const exposure = new Exposure(registry, {
        view: {
          ...view,
          form: 'search',
          search: { sidecar: sidecarOf({ pay: words, refund: words, gone: words }) },
        },
        toolsets: {
          catalog: {
            a: { name: 'A', description: 'A', tools: [tool('pay')] },
            b: { name: 'B', description: 'B', tools: [tool('refund')] },
          },
          startup: { mode: 'STATIC', toolsets: 'ALL' },
          ...more,
        },
        onError,
      });
      await registry.executeTool(
        { name: 'search_tools', arguments: { query: 'pay' } },
        await exposure.viewFor({}),
      );
      for (const [error] of onError.mock.calls)
        expect(error).toMatchObject({ details: { addresses: ['gone'] } });
      return onError.mock.calls.length;
    };
    expect(await reported({})).toBe(1);
    expect(await reported({ exposurePolicy: { allowlist: ['a'] } })).toBe(0);
    expect(await reported({ exposurePolicy: { readOnly: true } })).toBe(0);
    expect(await reported({ startup: { mode: 'STATIC', toolsets: ['a'] } })).toBe(0);
    expect(await reported({ startup: { mode: 'DYNAMIC' } })).toBe(1);
    expect(await reported({}, { readOnly: true })).toBe(0);
  });
});
