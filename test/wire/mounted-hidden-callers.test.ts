import { expect, it } from 'vitest';
import * as z from 'zod';
import { createCaller, GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { createTestClient } from '@toolfold/testing';

/** A registry that is mounted twice, and caches an answer that names its caller. */
function createServer() {
  const docs = new GroupedToolBuilder('docs').action({
    name: 'read',
    readOnly: true,
    scopes: ['docs:read'],
    cached: { ttlMs: 60_000 },
    inputSchema: z.object({ id: z.string() }),
    outputSchema: z.object({ who: z.string(), id: z.string() }),
    handler: ({ input, context }) => ({
      who: String(context.caller?.auth?.['clientId']),
      id: input.id,
    }),
  });
  const inner = new ToolRegistry({ name: 'inner', rateLimiter: false }).register(docs);
  const middle = new ToolRegistry({ name: 'middle' }).mount('inner', inner);
  return new ToolRegistry({ name: 'root' }).mount('mid', middle, {
    toolset: { name: 'Middle', description: 'Documents' },
  });
}

it.each(['grouped', 'flat', 'search'] as const)(
  'interleaved clients and callers of a mounted, cached and scoped action get their own answers, listed %s',
  async (form) => {
    const root = createServer();
    const users = ['ada', 'bob', 'eve'].map((clientId) => ({
      clientId,
      scopes: clientId === 'eve' ? [] : ['docs:read'],
    }));
    const calls = await Promise.all(
      users.flatMap((auth) => [
        ...(['2025', '2026'] as const).map(async (era) => {
          const client = await createTestClient(root, { era, form, auth, server: { scopes: 'hide' } });
          return { auth, read: client.tools.mid.inner.docs.read, close: () => client.close() };
        }),
        {
          auth,
          read: createCaller(root, { caller: { auth } }).mid.inner.docs.read,
          close: async () => {},
        },
      ]),
    );
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.allSettled(calls.map(({ read }) => read({ id: '1' })));
      for (const [at, answer] of answers.entries()) {
        const { clientId } = calls[at]?.auth ?? {};
        if (clientId === 'eve') expect(answer).toMatchObject({ status: 'rejected' });
        else expect(answer).toMatchObject({ value: { who: clientId, id: '1' } });
      }
    }
    for (const { close } of calls) await close();
  },
);
