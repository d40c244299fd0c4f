import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { Tool } from 'toolfold/model';
import { describeSurface } from '@toolfold/testing';
import { toDocuments, readEntries } from '@toolfold/search/internal';
import { createHandler } from 'toolfold/web';
import type { OfferedView } from 'toolfold/web';
import { faces } from '../../../test/wire/faces.js';
import { modernRequest } from '../../../test/wire/raw-request.js';
import { answerOf, openSession } from '../../../test/wire/session-requests.js';

/** Words that no other text of the tools has. */
const KEYWORD = 'zyxkeyword';
const EXAMPLE = 'zyxexample';
const search = { keywords: [KEYWORD, 'finance'], examples: [`how do I ${EXAMPLE}`] };

function createRegistry(): ToolRegistry {
  const billing = new ToolRegistry({ name: 'billing' }).register({
    name: 'pay',
    description: 'Pays an invoice',
    aliases: ['settle_invoice'],
    inputSchema: z.object({ id: z.string() }),
    search,
    handler: () => 'paid',
  });
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false, listIdentity: true }).register(
    new GroupedToolBuilder('platform', { namespace: 'hr' })
      .description('Users')
      .tags('people')
      .group('users', 'People', (group) =>
        group
          .action({ name: 'list', description: 'Lists people', readOnly: true, search, handler: () => 'Ada' })
          .action({
            name: 'ban',
            description: 'Bans a person',
            destructive: true,
            inputSchema: z.object({ id: z.string() }),
            search,
            handler: () => 'banned',
          }),
      ),
    {
      name: 'plain',
      description: 'Is plain',
      destructive: false,
      inputSchema: {},
      search,
      handler: () => '',
    },
  ) as ToolRegistry;
  registry.register(
    new Tool({ name: 'model', description: 'Is a model', inputSchema: { type: 'object' } }),
    () => 'done',
    { search },
  );
  return registry.mount('billing', billing) as unknown as ToolRegistry;
}

const addresses = ['billing:pay', 'hr:platform/users.ban', 'hr:platform/users.list', 'model', 'plain'];

const expectNone = (text: string): void => {
  expect(text).not.toContain(KEYWORD);
  expect(text).not.toContain(EXAMPLE);
};

const views: readonly [string, OfferedView][] = [
  ['grouped', {}],
  ['flat', { form: 'flat' }],
  ['split', { split: 'risk' }],
  ['search', { form: 'search', pinned: ['plain'] }],
  ['auto', { form: 'auto', profile: 'client' }],
  ['unprofiled', { profile: 'none' }],
];

/** The methods and calls whose answers describe tools. */
const questions: readonly [string, Record<string, unknown>][] = [
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['tools/call', { name: 'describe_tools', arguments: { addresses } }],
  ['tools/call', { name: 'search_tools', arguments: { query: 'list people' } }],
  ['tools/call', { name: 'search_tools', arguments: { query: 'finance' } }],
  ['tools/call', { name: 'list_toolsets', arguments: {} }],
  ['tools/call', { name: 'hr_platform', arguments: { action: 'unknown' } }],
];

describe('search words', () => {
  for (const [name, view] of views) {
    it(`are in no answer to a 2026 client in the ${name} form, nor in a page of the list`, async () => {
      const handler = createHandler(createRegistry(), { view, pageSize: 1 });
      const ask = async (method: string, params: object): Promise<Record<string, unknown>> => {
        const response = await handler.fetch(
          new Request('http://localhost/mcp', modernRequest(method, params)),
        );
        const text = await response.clone().text();
        expectNone(text);
        return answerOf(response);
      };
      for (const [method, params] of questions) await ask(method, params);
      let cursor: string | undefined;
      let pages = 0;
      do {
        const { result } = await ask('tools/list', cursor === undefined ? {} : { cursor });
        cursor = (result as { nextCursor?: string }).nextCursor;
        pages++;
      } while (cursor !== undefined);
      expect(pages).toBeGreaterThan(1);
      expectNone(
        await (
          await handler.fetch(new Request('http://localhost/mcp', modernRequest('server/discover', {})))
        ).text(),
      );
      await handler.close();
    });

    it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
      `are in no answer to a client of %s in the ${name} form`,
      async (version) => {
        const [, open] = faces[0] as (typeof faces)[number];
        const face = await open(createRegistry(), { view });
        const session = await openSession(face, { version });
        for (const [method, params] of questions)
          expectNone(JSON.stringify(await session.request(method, params)));
        await face.close();
      },
    );
  }

  it('are not part of a described surface', () => {
    const registry = createRegistry();
    for (const form of ['grouped', 'flat'] as const) {
      expectNone(describeSurface(registry.view({ form })));
      for (const version of ['2025-11-25', '2026-07-28'] as const)
        expectNone(JSON.stringify(registry.view({ form }).listTools(version)));
    }
    expectNone(JSON.stringify(registry.listTools()));
  });

  it('select nothing in a policy', () => {
    const registry = createRegistry();
    expect(registry.view({ anyTags: [KEYWORD] }).tools.size).toBe(0);
    expect(registry.view({ tags: ['people', 'finance'] }).tools.size).toBe(0);
    expect(registry.view({ excludeTags: [KEYWORD, 'finance'] }).tools.size).toBe(registry.view().tools.size);
    expect(() => registry.view({ actions: [KEYWORD] })).toThrow(KEYWORD);
  });

  it('reach the index in every form, under a mount, with the words of all kinds of tools', () => {
    const registry = createRegistry();
    for (const policy of [{}, { form: 'flat' }, { split: 'risk' }, { profile: 'openai-strict' }] as const) {
      const documents = [...toDocuments(readEntries(registry.view(policy), []))];
      expect(documents.map(({ address }) => address).toSorted()).toEqual(addresses);
      for (const document of documents) expect(document).toMatchObject(search);
    }
  });

  it('come with the risk of the tool, which is destructive unless a hint denies it', () => {
    const documents = [...toDocuments(readEntries(createRegistry().view(), []))];
    expect(Object.fromEntries(documents.map(({ address, risk }) => [address, risk]))).toEqual({
      'billing:pay': 'destructive',
      'hr:platform/users.ban': 'destructive',
      'hr:platform/users.list': 'read',
      model: 'destructive',
      plain: 'write',
    });
  });
});
