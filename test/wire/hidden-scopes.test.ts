import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { apiKeys } from 'toolfold/web';
import type { HandlerOptions } from 'toolfold/web';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

type Json = Record<string, unknown>;
type Ask = (method: string, params?: Json) => Promise<Json>;

const all = ['a', 'b', 'c'];
/** One key for each subset of the scopes, with scopes beside them that no action needs. */
const callers = Array.from({ length: 8 }, (_, bits) => ({
  key: `key-${bits}-`.padEnd(40, 'x'),
  clientId: `caller-${bits}`,
  scopes: [...all.filter((_scope, at) => (bits >> at) % 2 === 1), `other-${bits}`],
}));
const withHeader = (face: Face, name: string, value: string): Face => ({
  ...face,
  send: ({ headers, ...init }) => face.send({ ...init, headers: { ...(headers as object), [name]: value } }),
});
const keyed = (face: Face, key: string): Face => withHeader(face, 'x-api-key', key);

function createServer(): ToolRegistry {
  const group = new GroupedToolBuilder('group').action({ name: 'free', handler: () => 'free' });
  for (const scope of all)
    group.action({
      name: `with_${scope}`,
      scopes: [scope],
      inputSchema: z.object({ [`field_${scope}`]: z.string().optional() }),
      handler: () => scope,
    });
  const inner = new ToolRegistry({ name: 'inner' }).register(
    { name: 'ab', description: 'Needs two', scopes: ['a', 'b'], inputSchema: {}, handler: () => 'ab' },
    { name: 'open', description: 'Needs none', inputSchema: {}, handler: () => 'open' },
  );
  return new ToolRegistry({ name: 'outer' }).register(group).mount('inner', inner) as unknown as ToolRegistry;
}

async function connect(face: Face, key: string, era: number): Promise<Ask> {
  const own = keyed(face, key);
  if (era === 2025) {
    const session = await openSession(own);
    return (method, params) => session.request(method, params);
  }
  const client = createModernClient(own);
  return (method, params) => client.request(method, params) as unknown as Promise<Json>;
}

const options: HandlerOptions = { scopes: 'hide', auth: apiKeys({ keys: callers }), listTtlMs: 1_000 };

describe.each(faces)("scopes: 'hide' over %s", (_, open) => {
  it('shows interleaved callers of both eras exactly what they may call', async () => {
    const face = await open(createServer(), options);
    const rounds = [2025, 2026].flatMap((era) => callers.map((caller) => ({ era, caller })));
    await Promise.all(
      rounds.map(async ({ era, caller }) => {
        const ask = await connect(face, caller.key, era);
        for (let round = 0; round < 3; round++) {
          const { result } = (await ask('tools/list')) as { result: Json & { tools: Json[] } };
          if (era === 2026) expect(result['cacheScope']).toBe('private');
          const text = JSON.stringify(result.tools);
          for (const scope of all)
            expect(text.includes(`with_${scope}`), `${caller.clientId} ${scope}`).toBe(
              caller.scopes.includes(scope),
            );
          for (const scope of all)
            expect(text.includes(`field_${scope}`)).toBe(caller.scopes.includes(scope));
          const hasBoth = caller.scopes.includes('a') && caller.scopes.includes('b');
          expect(text.includes('inner_ab')).toBe(hasBoth);
          const answer = JSON.stringify(await ask('tools/call', { name: 'inner_ab' }));
          expect(answer.includes('"text":"ab"')).toBe(hasBoth);
          if (!hasBoth) expect(answer).toContain('Unknown tool');
        }
      }),
    );
    await face.close();
  });

  it.each([2025, 2026])('names no hidden tool in the errors that a client of %i gets', async (era) => {
    const face = await open(createServer(), options);
    const ask = await connect(face, callers[0]?.key ?? '', era);
    const answers = await Promise.all([
      ask('tools/call', { name: 'inner_a' }),
      ask('tools/call', { name: 'group', arguments: { action: 'with_' } }),
      ask('tools/call', { name: 'group', arguments: {} }),
      ask('tools/call', { name: 'group', arguments: { action: 'free', field_: 'x' } }),
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/inner_ab|with_[abc]|field_[abc]/);
    expect(JSON.stringify(answers)).toContain('Available: ');
    await face.close();
  });

  it('rejects a selection of hidden tools as it rejects unknown ones', async () => {
    const face = await open(createServer(), options);
    const select = async (names: string): Promise<string> => {
      const client = createModernClient(withHeader(keyed(face, callers[0]?.key ?? ''), 'x-mcp-tools', names));
      return JSON.stringify((await client.request('tools/list')).error);
    };
    const rejected = await select('inner_ab');
    expect(rejected).toBe((await select('inner_xy')).replace('inner_xy', 'inner_ab'));
    expect(await select('inner_a')).not.toContain('inner_ab');
    await face.close();
  });

  it('follows the scopes of each token of one caller, in a session and in requests', async () => {
    const [full, none] = ['full', 'none'].map((name) => `key-${name}-`.padEnd(40, 'x')) as [string, string];
    const keys = [
      { key: full, clientId: 'same', scopes: all },
      { key: none, clientId: 'same', scopes: [] },
    ];
    const face = await open(createServer(), { ...options, auth: apiKeys({ keys }) });
    let key = full;
    const own: Face = { ...face, send: (init) => keyed(face, key).send(init) };
    const session = await openSession(own);
    const client = createModernClient(own);
    const askAll = (method: string, params?: Json): Promise<string[]> =>
      Promise.all(
        [session.request(method, params), client.request(method, params)].map(async (answer) =>
          JSON.stringify(await answer),
        ),
      );
    for (const current of [full, none, full, none]) {
      key = current;
      const answers = [
        ...(await askAll('tools/list')),
        ...(await askAll('tools/call', { name: 'group', arguments: { action: 'with_a' } })),
        ...(await askAll('tools/call', { name: 'inner_ab', arguments: {} })),
      ];
      for (const [at, answer] of answers.entries()) {
        const isAllowed = [/with_a.*inner_ab/s, /"text":"a"/, /"text":"ab"/][at >> 1]?.test(answer);
        expect(isAllowed, answer).toBe(current === full);
      }
      if (current === none) expect(answers.join('')).not.toMatch(/with_b|insufficient|scope":"a/i);
    }
    await face.close();
  });
});
