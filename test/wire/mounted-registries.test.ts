import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { McpRequest } from 'toolfold';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

type Json = Record<string, unknown>;

const subOf = (request: { caller?: McpRequest['caller'] }): string =>
  String(request.caller?.auth?.extra?.['sub'] ?? 'nobody');

/** Every part of its answers names the caller, so that an answer for another caller is noticed. */
function createBilling(): ToolRegistry<{ who: string }> {
  const billing = new ToolRegistry<{ who: string }>({
    name: 'billing',
    contextFactory: async (request) => {
      await pause();
      return { who: subOf(request) };
    },
  });
  billing.use(async (request, next) => {
    await pause();
    const answer = (await next()) as Json;
    return { ...answer, _meta: { billing: subOf(request) } };
  });
  billing.register({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ text: z.string(), request_id: z.string() }),
    idempotency: { field: 'request_id' },
    handler: async ({ input, context }) => {
      const cached = await context.cache.wrap('own', () => context.app.who, { ttlMs: 60_000 });
      await pause();
      return `${context.app.who} ${cached} ${subOf(context)} ${input.text}`;
    },
  });
  billing.registerPrompt({ name: 'remind', handler: ({ context }) => `Remind ${context.app.who}` });
  billing.registerResource({
    name: 'debts',
    uri: 'billing://debts',
    handler: ({ context }) => context.app.who,
  });
  return billing;
}

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.random() * 3);
  });

type Ask = (method: string, params?: Json) => Promise<Json>;

async function connect(face: Face, user: string, era: number): Promise<Ask> {
  if (era === 2025) {
    const session = await openSession(face, { user });
    return async (method, params) => (await session.request(method, params))['result'] as Json;
  }
  const client = createModernClient(face, { user });
  return async (method, params) => (await client.request(method, params)).result;
}

describe.each(faces)('a mounted registry over %s', (_, open) => {
  it('answers interleaved callers of both servers and eras with their own data', async () => {
    const billing = createBilling();
    const middle = new ToolRegistry({ name: 'middle' }).mount('money', billing);
    const root = new ToolRegistry({ name: 'root', contextFactory: () => ({ who: 'root' }) });
    root.use((request, next) => next(request)).mount('m', middle);
    const [rootFace, billingFace] = [await open(root as never), await open(billing as never)];
    const callers = Array.from({ length: 24 }, (_each, at) => ({
      user: `user-${at % 12}`,
      era: at % 4 < 2 ? 2025 : 2026,
      isRoot: at % 3 !== 0,
    }));
    await Promise.all(
      callers.map(async ({ user, era, isRoot }, at) => {
        const ask = await connect(isRoot ? rootFace : billingFace, user, era);
        const [tool, prompt] = isRoot ? ['m_money_pay', 'm_money_remind'] : ['pay', 'remind'];
        for (let round = 0; round < 3; round++) {
          const args = { text: `t${at}-${round}`, request_id: `r${at}-${round}` };
          const [paid, reminded, read] = await Promise.all([
            ask('tools/call', { name: tool, arguments: args }),
            ask('prompts/get', { name: prompt }),
            ask('resources/read', { uri: 'billing://debts' }),
          ]);
          expect(paid).toMatchObject({
            content: [{ text: `${user} ${user} ${user} ${args.text}` }],
            _meta: { billing: user },
          });
          expect(reminded).toMatchObject({ messages: [{ content: { text: `Remind ${user}` } }] });
          expect(read).toMatchObject({ contents: [{ text: user }], _meta: { billing: user } });
        }
      }),
    );
    await Promise.all([rootFace.close(), billingFace.close()]);
  });

  it('runs an idempotent call once, whichever of the two servers gets it', async () => {
    let runs = 0;
    const billing = new ToolRegistry({ name: 'billing' }).register({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ request_id: z.string() }),
      idempotency: { field: 'request_id' },
      handler: () => `paid ${++runs}`,
    });
    const root = new ToolRegistry({ name: 'root' }).mount('b', billing);
    const [rootFace, billingFace] = [await open(root as never), await open(billing)];
    const [viaRoot, direct] = [await connect(rootFace, 'ada', 2026), await connect(billingFace, 'ada', 2025)];
    const other = await connect(rootFace, 'bob', 2025);
    const request = { arguments: { request_id: 'r1' } };
    const paid = await viaRoot('tools/call', { name: 'b_pay', ...request });
    expect((await direct('tools/call', { name: 'pay', ...request }))['content']).toEqual(paid['content']);
    expect((await other('tools/call', { name: 'b_pay', ...request }))['content']).not.toEqual(
      paid['content'],
    );
    expect(runs).toBe(2);
    await Promise.all([rootFace.close(), billingFace.close()]);
  });

  it('tells clients of the root that its list has changed', async () => {
    const billing = new ToolRegistry({ name: 'billing' });
    const root = new ToolRegistry({ name: 'root' }).mount('b', billing);
    const face = await open(root as never);
    const session = await openSession(face);
    const stream = readEvents(await session.get());
    billing.register({ name: 'pay', description: 'Pays', inputSchema: {}, handler: () => 'paid' });
    const event = await stream.next();
    expect(event?.message?.['method']).toBe('notifications/tools/list_changed');
    const { result } = (await session.request('tools/list')) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(['b_pay']);
    await stream.leave();
    await face.close();
  });

  it.each([2025, 2026])(
    'lets its middleware change its part of every list, for a client of %i',
    async (era) => {
      const plain = (name: string) => ({ name, description: name, inputSchema: {}, handler: () => name });
      const billing = new ToolRegistry({ name: 'billing' }).register(plain('open'), plain('secret'));
      billing.registerPrompt({ name: 'ask', handler: () => 'ask' });
      billing.registerPrompt({ name: 'secret', handler: () => 'secret' });
      billing.registerResource({ name: 'secret', uri: 'b://secret', handler: () => 'secret' });
      const seen: string[] = [];
      billing.use(async (request, next) => {
        const answer = (await next()) as Json;
        const kind = Object.keys(answer).find((key) => Array.isArray(answer[key]));
        if (!request.method.endsWith('/list') || kind === undefined) return answer;
        const list = answer[kind] as { name: string }[];
        seen.push(...list.map(({ name }) => `${request.method} ${name}`));
        const kept = subOf(request) === 'ada' ? list : list.filter(({ name }) => name !== 'secret');
        return { ...answer, [kind]: [...kept, { name: 'invented', uri: 'b://invented' }] };
      });
      const root = new ToolRegistry({ name: 'root' }).register(plain('first'));
      root.mount('b', new ToolRegistry({ name: 'middle' }).mount('c', billing)).register(plain('last'));
      const face = await open(root as never, { pageSize: 2 });
      const list = async (user: string, method: string, kind: string): Promise<string[]> => {
        const ask = await connect(face, user, era);
        const names: string[] = [];
        let cursor: unknown;
        do {
          const page = await ask(method, cursor === undefined ? {} : { cursor });
          names.push(...(page[kind] as { name: string }[]).map(({ name }) => name));
          cursor = page['nextCursor'];
          if (era === 2026) expect(page['cacheScope']).toBe('private');
        } while (cursor !== undefined);
        return names;
      };
      expect(await list('ada', 'tools/list', 'tools')).toEqual(['first', 'last', 'b_c_open', 'b_c_secret']);
      expect(await list('bob', 'tools/list', 'tools')).toEqual(['first', 'last', 'b_c_open']);
      expect(await list('bob', 'prompts/list', 'prompts')).toEqual(['b_c_ask']);
      expect(await list('ada', 'resources/list', 'resources')).toEqual(['b_c_secret']);
      expect(await list('bob', 'resources/list', 'resources')).toEqual([]);
      expect(new Set(seen)).toContain('tools/list secret');
      await face.close();
    },
  );
});
