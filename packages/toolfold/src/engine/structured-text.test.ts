import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createCaller, defaultStructuredReaders, GroupedToolBuilder, ToolRegistry } from '../index.js';
import { createTestClient } from '@toolfold/testing';
import { createHandler } from '../web.js';
import type { CallToolResult, ToolRegistryOptions } from '../index.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { shortenText, summarizeData } from '../guards/budget/structured-text.js';
import { readsStructured } from '../callers/structured-readers.js';

const rows = Array.from({ length: 12 }, (_, id) => ({ id, payee: `Payee number ${id}` }));
const data = { transactions: rows, total: 93.25, next_offset: 20 };
const outputSchema = {
  transactions: z.array(z.object({ id: z.number(), payee: z.string() })),
  total: z.number(),
  next_offset: z.number(),
};
const list = {
  name: 'list',
  description: 'Lists transactions',
  readOnly: true,
  task: true,
  inputSchema: {},
  outputSchema: z.object(outputSchema),
  handler: (): typeof data => data,
} as const;
const SUMMARY = '{ transactions: 12 items, total: 93.25, next_offset: 20 }';
const full = { type: 'text', text: JSON.stringify(data) };
const summary = { type: 'text', text: SUMMARY };

const as = (name?: string, version = '9.0.0', protocolVersion = '2026-07-28') => ({
  protocolVersion,
  caller: name === undefined ? {} : { client: { name, version } },
});
const call = (registry: ToolRegistry, request: object = as(), name = 'list'): Promise<CallToolResult> =>
  registry.executeTool({ name, arguments: {}, ...request });
const create = (options: ToolRegistryOptions<unknown> = {}, more: object = {}): ToolRegistry =>
  new ToolRegistry(options).register({ ...list, ...more });

describe('the text of a result with structured content', () => {
  it('repeats it by default, for every client', async () => {
    for (const request of [as(), as('codex-mcp-client'), as('cursor-vscode')])
      expect(await call(create(), request)).toEqual({ content: [full], structuredContent: data });
  });

  it('is one line with summary, except for clients that are known to read only text', async () => {
    const registry = create({ structuredText: 'summary' });
    for (const request of [{}, as(), as('codex-mcp-client'), as('some-agent')])
      expect(await call(registry, request)).toEqual({ content: [summary], structuredContent: data });
    for (const request of [as('cursor-vscode'), as('claude-code', '1.0.60'), as('toolfold-cli')])
      expect(await call(registry, request)).toEqual({ content: [full], structuredContent: data });
  });

  it('is left out with omit, only for clients that are known to read structured content', async () => {
    const registry = create({ structuredText: 'omit' });
    for (const name of ['codex-mcp-client', 'claude-code', 'Visual Studio Code', 'github-copilot-cli'])
      expect(await call(registry, as(name))).toEqual({ content: [], structuredContent: data });
    for (const request of [{}, as(), as('some-agent'), as('cursor'), as('claude-code', '2.0.20')])
      expect(await call(registry, request)).toEqual({ content: [full], structuredContent: data });
  });

  it('stays for revisions without structured content, whatever name the client reports', async () => {
    for (const structuredText of ['summary', 'omit'] as const) {
      const registry = create({ structuredText });
      for (const revision of ['2024-11-05', '2025-03-26'])
        expect((await call(registry, as('codex', '1', revision))).content).toEqual([full]);
      expect((await call(registry, as('codex', '1', '2025-06-18'))).content).not.toEqual([full]);
    }
  });

  it('stays if structured content is a list that a 2025 client does not get, or a value that reads as none', async () => {
    const lists = create(
      { structuredText: 'omit' },
      { outputSchema: z.array(z.number()), handler: () => [1, 2] },
    );
    expect((await call(lists, as('codex', '1', '2025-11-25'))).content).toHaveLength(1);
    expect((await call(lists, as('codex'))).content).toEqual([]);
    const none = create({ structuredText: 'omit' }, { outputSchema: z.null(), handler: () => null });
    expect((await call(none, as('codex'))).content).toEqual([{ type: 'text', text: 'null' }]);
  });

  it('is chosen by the action before the registry', async () => {
    const registry = new ToolRegistry({ structuredText: 'omit' }).register(
      new GroupedToolBuilder('bank')
        .action({ ...list, structuredText: 'repeat' })
        .action({ ...list, name: 'brief', structuredText: 'summary' })
        .action({ ...list, name: 'plain' }),
    );
    const contentOf = async (action: string) =>
      (await call(registry, { ...as('codex'), arguments: { action } }, 'bank')).content;
    expect(await contentOf('list')).toEqual([full]);
    expect(await contentOf('brief')).toEqual([summary]);
    expect(await contentOf('plain')).toEqual([]);
  });

  it('stays in errors, in results without a schema, and beside structured content that the handler returned', async () => {
    const own = { content: [{ type: 'text', text: 'Twelve transactions' }], structuredContent: data };
    for (const structuredText of ['summary', 'omit'] as const) {
      const contentOf = async (more: object) =>
        (await call(create({ structuredText }, more), as('codex'))).content;
      expect(await contentOf({ handler: () => own })).toEqual(own.content);
      expect(await contentOf({ outputSchema: undefined })).toEqual([full]);
      const failed = await contentOf({
        handler: () => {
          throw new Error('The bank is closed');
        },
      });
      expect(JSON.stringify(failed)).toContain('The bank is closed');
      expect(await contentOf({ handler: () => ({ content: [], isError: true }) })).toEqual([]);
      expect(JSON.stringify(await contentOf({ handler: () => ({ total: 1 }) }))).toContain('output schema');
    }
  });

  it.each(['cached', 'idempotency'] as const)(
    'is that of each client, also if the value is stored: %s',
    async (guard) => {
      let runs = 0;
      const registry = create(
        { structuredText: 'omit' },
        {
          ...(guard === 'cached' ? { cached: { ttlMs: 60_000, shared: true } } : { idempotency: true }),
          handler: async () => {
            runs++;
            await Promise.resolve();
            return data;
          },
        },
      );
      const send = (name: string) => call(registry, { ...as(name), idempotencyKey: 'k1' });
      const both = await Promise.all([send('codex'), send('cursor'), send('codex'), send('some-agent')]);
      expect(both.map(({ content }) => content)).toEqual([[], [full], [], [full]]);
      expect((await send('cursor')).content).toEqual([full]);
      expect((await send('codex')).content).toEqual([]);
      expect(runs).toBe(1);
    },
  );

  it('keeps the note about a cut, and counts the items that are left', async () => {
    for (const structuredText of ['summary', 'omit'] as const) {
      const registry = create({ structuredText, outputBudget: { bytes: 400 } });
      const { content, structuredContent, _meta } = await call(registry, as('codex'));
      const texts = content.map((block) => (block as { text: string }).text);
      const left = (structuredContent as typeof data).transactions.length;
      expect(left).toBeLessThan(12);
      expect(texts.at(-1)).toContain('12');
      expect(_meta).toHaveProperty(['toolfold/cut']);
      expect(texts).toHaveLength(structuredText === 'omit' ? 1 : 2);
      if (structuredText === 'summary') expect(texts[0]).toContain(`transactions: ${left} items`);
    }
  });

  it('follows the mounted registry for its tools', async () => {
    const root = new ToolRegistry({ name: 'root', structuredText: 'repeat' })
      .register({ ...list, name: 'own' })
      .mount('bank', create({ structuredText: 'omit' }));
    const { tools } = root.view();
    const mounted = [...tools.keys()].find((name) => name !== 'own') as string;
    expect((await call(root, as('codex'), mounted)).content).toEqual([]);
    expect((await call(root, as('codex'), 'own')).content).toEqual([full]);
  });

  it('does not change what typed callers and test clients read, also from tasks', async () => {
    for (const structuredText of ['summary', 'omit'] as const) {
      const registry = new ToolRegistry({
        structuredText,
        structuredReaders: [{ name: 'toolfold-test' }],
      }).register(list);
      expect(await createCaller(registry).list({})).toEqual(data);
      await using client = await createTestClient(registry);
      for (const task of [false, true]) {
        const { content, structuredContent } = await client.call('list', {}, { task });
        expect(structuredContent).toEqual(data);
        expect(content).toEqual(structuredText === 'omit' ? [] : [summary]);
      }
    }
  });

  it('is chosen by the name that a client reports over HTTP, in both protocols', async () => {
    const handler = createHandler(create({ structuredText: 'omit' }), { view: { form: 'search' } });
    const ask = async (name: string, mode: 'legacy' | { pin: string }) => {
      const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode } });
      const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
      await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
      const result = await client.callTool({ name: 'call_read_tool', arguments: { address: 'list' } });
      await client.close();
      return result;
    };
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      const [reader, other] = await Promise.all([ask('codex-mcp-client', mode), ask('cursor', mode)]);
      expect([reader.content, reader.structuredContent]).toEqual([[], data]);
      expect([other.content, other.structuredContent]).toEqual([[full], data]);
    }
    await handler.close();
  });
});

describe('structuredReaders', () => {
  it('come before the known clients', async () => {
    const registry = create({
      structuredText: 'omit',
      structuredReaders: [
        { name: 'my-agent*', since: '2.0' },
        { name: 'codex*', reads: false },
      ],
    });
    const contentOf = async (...client: [string, string?]) => (await call(registry, as(...client))).content;
    expect(await contentOf('My-Agent', '2.1')).toEqual([]);
    expect(await contentOf('my-agent', '1.9')).toEqual([full]);
    expect(await contentOf('codex')).toEqual([full]);
    expect(await contentOf('claude-code')).toEqual([]);
  });

  it('are copied, and checked with the other options', () => {
    for (const wrong of [
      { structuredText: 'none' },
      { structuredReaders: 'codex' },
      { structuredReaders: [{}] },
      { structuredReaders: [{ name: 'a', reads: 1 }] },
      { structuredReaders: [{ name: 'a', since: 'v2' }] },
      { structuredReaders: [{ name: 'a', read: true }] },
    ])
      expect(() => new ToolRegistry(wrong as never)).toThrow(ErrInvalidOptions);
  });

  it('have no known row for all clients', () => {
    for (const { name } of defaultStructuredReaders) expect(name).toMatch(/^[a-z -]+\*$/);
    for (const name of ['', 'x', 5, undefined, null, {}])
      expect(readsStructured(defaultStructuredReaders, { name, version: '1' } as never)).toBeUndefined();
    expect(Object.isFrozen(defaultStructuredReaders)).toBe(true);
  });
});

describe('a summary', () => {
  it.each([
    [data, SUMMARY],
    [[1, 2], '2 items'],
    [[1], '1 item'],
    [{}, '{}'],
    [{ user: { id: 1, name: 'Ada' }, tags: [] }, '{ user: 2 fields, tags: 0 items }'],
    [{ ok: true, none: null, at: new Date(0) }, '{ ok: true, none: null, at: "1970-01-01T00:00:00.000Z" }'],
    [{ 'a b': 'two\nlines', gone: undefined }, '{ "a b": "two\\nlines" }'],
    [
      { text: 'A sentence that is much too long for a short line of text' },
      '{ text: "A sentence that is much too long for a…" }',
    ],
  ])('of %j is %s', (value, expected) => {
    expect(summarizeData(value)).toBe(expected);
  });

  it('names lists before values if there is no room for all fields', () => {
    const values = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field_${at}`, at]));
    const text = summarizeData({ ...values, rows: [1, 2, 3] });
    expect(text).toMatch(/^\{ field_0: 0, field_1: 1, .*rows: 3 items, 2\d more \}$/);
    expect(text.length).toBeLessThanOrEqual(200);
  });

  it('reads the values of at most 100 fields of a large map', () => {
    let reads = 0;
    const day = { toJSON: () => (reads++, 'a text that has no room beside the other fields') };
    const text = summarizeData(
      Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`day_${at}`, day])),
    );
    expect(text).toMatch(/^\{ day_0: "a text .*, 1999\d more \}$/);
    expect(reads).toBeLessThanOrEqual(100);
  });

  it('is one line of at most 200 characters, and never longer than the text that it replaces', () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        const line = summarizeData(value);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/[\n\r]/);
        const text = JSON.stringify(value);
        const { content } = shortenText(
          { content: [{ type: 'text', text }], structuredContent: value },
          { form: 'summary', readers: [], request: {} },
        );
        expect((content[0] as { text: string }).text.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

it.each([
  ['2025-03-26', [full]],
  ['2025-06-18', []],
  ['2025-11-25', []],
])('a server of the SDK knows the revision %s of its connection', async (protocolVersion, content) => {
  const server = new Server({ name: 'bank', version: '1' }, { capabilities: { tools: {} } });
  create({ structuredText: 'omit' }).attachToServer(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const answers = new Map<unknown, (result: unknown) => void>();
  near.onmessage = (message) => {
    const { id, result } = message as { id?: unknown; result?: unknown };
    answers.get(id)?.(result);
  };
  await Promise.all([near.start(), server.connect(far)]);
  const send = (id: number, method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      answers.set(id, resolve);
      void near.send({ jsonrpc: '2.0', id, method, params: { ...params } });
    });
  const clientInfo = { name: 'codex-mcp-client', version: '1' };
  await send(1, 'initialize', { protocolVersion, capabilities: {}, clientInfo });
  await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(await send(2, 'tools/call', { name: 'list', arguments: {} })).toMatchObject({ content });
  await server.close();
});
