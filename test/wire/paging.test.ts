import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { faces } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

interface Entry {
  readonly name: string;
}
type Lists = Readonly<Record<'tools' | 'prompts' | 'resources' | 'resourceTemplates', readonly string[]>>;
/** Requests one page of a list. */
type Ask = (method: string, cursor: string | undefined) => Promise<Record<string, unknown>>;
interface Connection {
  readonly ask: Ask;
  readonly close: () => Promise<void>;
}

const methods = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

const tool = (name: string) => ({ name, description: 'd', inputSchema: {}, handler: () => name });

function createRegistry(counts: readonly number[]): { registry: ToolRegistry; lists: Lists } {
  const registry = new ToolRegistry({ rateLimiter: false });
  const names = (at: number, what: string): string[] =>
    Array.from({ length: counts[at] ?? 1 }, (_, index) => `${what}-${index}`);
  const lists: Lists = {
    tools: names(0, 'tool'),
    prompts: names(1, 'prompt'),
    resources: names(2, 'resource'),
    resourceTemplates: names(3, 'template'),
  };
  registry.register(...lists.tools.map(tool));
  for (const name of lists.prompts) registry.registerPrompt({ name, handler: () => name });
  for (const name of lists.resources)
    registry.registerResource({ name, uri: `memo://${name}`, handler: () => name });
  for (const name of lists.resourceTemplates)
    registry.registerResource({ name, uriTemplate: `memo://${name}/{id}`, handler: () => name });
  return { registry, lists };
}

const ways: readonly (readonly [
  name: string,
  connect: (registry: ToolRegistry, pageSize: number | undefined) => Promise<Connection>,
])[] = [
  [
    'an attached server of the second SDK',
    async (registry, pageSize) => {
      const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
      registry.attachToServer(server, { pageSize });
      const client = new Client({ name: 'c', version: '1' });
      const [near, far] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      // The client's own methods follow cursors automatically.
      const ask: Ask = (method, cursor) =>
        client.request({ method, params: cursor === undefined ? {} : { cursor } } as never);
      return { ask, close: () => client.close() };
    },
  ],
  [
    'an attached server of the first SDK',
    async (registry, pageSize) => {
      const server = new FirstServer({ name: 'a', version: '1' }, { capabilities: {} });
      registry.attachToServer(server, { pageSize });
      const client = new FirstClient({ name: 'c', version: '1' });
      const [near, far] = FirstTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      const ask: Ask = (method, cursor) =>
        client.request({ method, params: cursor === undefined ? {} : { cursor } } as never, ResultSchema);
      return { ask, close: () => client.close() };
    },
  ],
  ...faces.flatMap(([face, open]): (typeof ways)[number][] => [
    [
      `${face}, to a client of 2026-07-28`,
      async (registry, pageSize) => {
        const opened = await open(registry, pageSize === undefined ? {} : { pageSize });
        const client = createModernClient(opened);
        const ask: Ask = async (method, cursor) => {
          const { result, error } = await client.request(method, cursor === undefined ? {} : { cursor });
          if (error) throw error;
          return result;
        };
        return { ask, close: opened.close };
      },
    ],
    [
      `${face}, to a session of 2025`,
      async (registry, pageSize) => {
        const opened = await open(registry, pageSize === undefined ? {} : { pageSize });
        const session = await openSession(opened);
        const ask: Ask = async (method, cursor) => {
          const { result, error } = await session.request(method, cursor === undefined ? {} : { cursor });
          if (error) throw error;
          return result as Record<string, unknown>;
        };
        return { ask, close: opened.close };
      },
    ],
  ]),
];

/** Reads all pages. */
async function walk(ask: Ask, method: keyof typeof methods): Promise<{ names: string[]; cursors: string[] }> {
  const names: string[] = [];
  const cursors: string[] = [];
  let cursor: string | undefined;
  do {
    const result = await ask(method, cursor);
    names.push(...(result[methods[method]] as Entry[]).map(({ name }) => name));
    cursor = result['nextCursor'] as string | undefined;
    if (cursor !== undefined) cursors.push(cursor);
  } while (cursor !== undefined && cursors.length < 100);
  return { names, cursors };
}

describe.each(ways)('through %s', (_way, connect) => {
  it('every entry of every list comes exactly once, for any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 10 }),
        async (counts, pageSize) => {
          const { registry, lists } = createRegistry(counts);
          const { ask, close } = await connect(registry, pageSize);
          for (const [method, key] of Object.entries(methods)) {
            const { names, cursors } = await walk(ask, method as keyof typeof methods);
            expect(names).toEqual(lists[key]);
            expect(cursors).toHaveLength(Math.ceil(names.length / pageSize) - 1);
          }
          await close();
        },
      ),
      { numRuns: 4 },
    );
  });

  it('a list is one page if no size is given', async () => {
    const { registry, lists } = createRegistry([40]);
    const { ask, close } = await connect(registry, undefined);
    expect(await walk(ask, 'tools/list')).toEqual({ names: lists.tools, cursors: [] });
    await close();
  });

  it('stale, foreign and forged cursors are rejected', async () => {
    const { registry, lists } = createRegistry([5, 5, 5, 5]);
    const { ask, close } = await connect(registry, 2);
    const { cursors } = await walk(ask, 'tools/list');
    const foreign = (await walk(ask, 'prompts/list')).cursors;
    for (const cursor of [...foreign, 'forged', '', '2'])
      await expect(ask('tools/list', cursor), cursor).rejects.toMatchObject({ code: -32_602 });
    for (const cursor of cursors)
      await expect(ask('prompts/list', cursor)).rejects.toMatchObject({ code: -32_602 });
    registry.register(tool('late'));
    for (const cursor of cursors)
      await expect(ask('tools/list', cursor)).rejects.toMatchObject({ code: -32_602 });
    expect((await walk(ask, 'tools/list')).names).toEqual([...lists.tools, 'late']);
    await close();
  });

  it('middleware sees every page', async () => {
    const { registry, lists } = createRegistry([5]);
    const seen: unknown[] = [];
    registry.use(async (request, next) => {
      if (request.method === 'tools/list') seen.push(request.params['cursor']);
      return next();
    });
    const { ask, close } = await connect(registry, 2);
    const { names, cursors } = await walk(ask, 'tools/list');
    expect(names).toEqual(lists.tools);
    expect(seen).toEqual([undefined, ...cursors]);
    await close();
  });
});

it('the second SDK follows cursors by itself', async () => {
  const { registry, lists } = createRegistry([9]);
  const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
  registry.attachToServer(server, { pageSize: 2 });
  const client = new Client({ name: 'c', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(lists.tools);
  await client.close();
});

it.each([0, -1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY])(
  'a page size of %d is rejected before serving',
  (pageSize) => {
    const { registry } = createRegistry([1]);
    expect(() => createHandler(registry, { pageSize })).toThrow(ErrInvalidOptions);
    const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
    expect(() => registry.attachToServer(server, { pageSize })).toThrow(ErrInvalidOptions);
  },
);
