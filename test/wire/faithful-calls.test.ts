import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ProfileName } from '@toolfold/profiles';
import { textOf } from '../calls.js';
import { serveRaw } from './raw-clients.js';

type Arguments = Readonly<Record<string, unknown>>;

const echo = ({ input }: { readonly input: unknown }): string => JSON.stringify(input);

/** A tool with each of these fields in the list of a client, and a function that calls it. */
async function open(fields: Readonly<Record<string, z.ZodType>>, client: string, profile?: ProfileName) {
  const registry = new ToolRegistry().register({
    name: 'echo',
    description: 'Returns its arguments',
    inputSchema: z.object(fields),
    handler: echo,
  });
  const clients = await (await serveRaw(registry, profile ? { view: { profile } } : {}))(client);
  return async (args: Arguments): Promise<string[]> =>
    Promise.all(clients.map(async ({ call }) => textOf(await call('echo', args))));
}

const rows: [schema: string, field: z.ZodType, sent: unknown[]][] = [
  ['z.unknown()', z.unknown(), ['12', '{"a":1}', 'null', { a: 1 }]],
  ['z.array(z.union([z.string(), z.number()]))', z.array(z.union([z.string(), z.number()])), [['12', 7]]],
  ['z.tuple([z.string(), z.number()])', z.tuple([z.string(), z.number()]), [['5', 6]]],
  ['z.record(z.string(), z.unknown())', z.record(z.string(), z.unknown()), [{ a: '1', b: 'null' }]],
];

const clients = [
  'claude-code',
  'claude-ai',
  'codex',
  'cursor',
  'Visual Studio Code',
  'chatgpt',
  'windsurf',
  'q-dev-cli',
  'my-agent',
];

describe('a call with arguments that the authored schema accepts', () => {
  it.each(rows)(
    'of %s reaches the handler unchanged from every client but Gemini',
    async (_, field, sent) => {
      for (const client of clients) {
        const call = await open({ field }, client);
        for (const value of sent) {
          const expected = JSON.stringify({ field: value });
          expect(await call({ field: value }), client).toEqual([expected, expected]);
        }
      }
    },
  );

  it('reaches the handler unchanged from Gemini too, except for text that its list describes as JSON text', async () => {
    const field = z.unknown();
    const pair = z.tuple([z.string(), z.number()]);
    const call = await open({ field, pair }, 'gemini-cli');
    const expected = JSON.stringify({ field: { a: 1 }, pair: ['5', 6] });
    expect(await call({ field: '{"a":1}', pair: ['5', 6] })).toEqual([expected, expected]);
  });

  it('is not translated where a client reads a union as text, although its list does not say so', async () => {
    const call = await open({ field: z.union([z.coerce.boolean(), z.number()]) }, 'codex');
    // `z.coerce` reads "false" as true. JSON would read it as false.
    expect(await call({ field: 'false' })).toEqual(['{"field":true}', '{"field":true}']);
  });
});

it('JSON text is not repaired if the authored schema accepts it, although its JSON Schema does not say so', async () => {
  const call = await open({ field: z.any().meta({ type: 'object' }) }, 'my-agent');
  const expected = JSON.stringify({ field: '{"a":1}' });
  expect(await call({ field: '{"a":1}' })).toEqual([expected, expected]);
});

describe('a call with arguments that the authored schema rejects', () => {
  const day = z.union([z.number(), z.object({ day: z.number() })]);
  const names = z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(z.string()).meta({ type: 'array' }),
  );
  const force = z.object({ force: z.boolean() });

  it.each<[string, Record<string, z.ZodType>, Arguments, Arguments]>([
    [
      'codex',
      { value: z.union([z.coerce.boolean(), z.number()]), at: day },
      { value: 'false', at: '1' },
      { value: true, at: 1 },
    ],
    [
      'my-agent',
      { names, opts: force },
      { names: '["a","b"]', opts: '{"force":true}' },
      { names: ['["a"', '"b"]'], opts: { force: true } },
    ],
    [
      'my-agent',
      { ids: z.array(z.number()).catch([]), opts: force },
      { ids: '[1]', opts: '{"force":true}' },
      { ids: [], opts: { force: true } },
    ],
  ])(
    'keeps the values that the schema accepts, and translates the others: %s',
    async (client, fields, sent, got) => {
      expect(await (await open(fields, client))(sent)).toEqual([JSON.stringify(got), JSON.stringify(got)]);
    },
  );

  it('is read as JSON where the client shows unions as text', async () => {
    const call = await open({ field: z.union([z.number(), z.object({ a: z.number() })]) }, 'codex');
    for (const sent of ['7', '{"a":7}'])
      expect(await call({ field: sent })).toEqual([`{"field":${sent}}`, `{"field":${sent}}`]);
  });

  it('is reported with the names of the author', async () => {
    const call = await open({ 'filter[name]': z.string() }, 'claude-code');
    for (const text of await call({ filter_name: 5 })) expect(text).toMatch(/filter\[name\]/);
    expect(await call({ filter_name: 'x' })).toEqual(['{"filter[name]":"x"}', '{"filter[name]":"x"}']);
  });
});

describe('context.rawArguments', () => {
  it('is what the client sent, with the names and texts of its list and with hints', async () => {
    const seen: unknown[] = [];
    const registry = new ToolRegistry().register({
      name: 'echo',
      description: 'Returns its arguments',
      inputSchema: z.object({ any: z.unknown(), 'a b': z.string().optional() }),
      handler: ({ context }) => void seen.push(context.rawArguments),
    });
    const sent = { any: '{"b":2}', a_b: 'x', minify: true };
    for (const { call } of await (
      await serveRaw(registry, { view: { profile: 'portable' } })
    )())
      expect((await call('echo', sent)).isError).toBeUndefined();
    expect(seen).toEqual([sent, sent]);
  });

  it('is what the client sent as arguments of the action if it calls through the search form', async () => {
    const seen: unknown[] = [];
    const users = new GroupedToolBuilder('users').action({
      name: 'find',
      inputSchema: z.object({ id: z.number() }),
      handler: ({ context }) => void seen.push(context.rawArguments),
    });
    const mounted = new ToolRegistry().mount('other', new ToolRegistry().register(users));
    const own = new ToolRegistry().register(users);
    for (const [registry, address] of [
      [own, 'users/find'],
      [mounted, 'other:users/find'],
    ] as const)
      for (const { call } of await (
        await serveRaw(registry, { view: { form: 'search' } })
      )())
        await call('call_write_tool', { address, arguments: { id: 1 } });
    expect(seen).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }, { id: 1 }]);
  });

  it('is what code passes to the action', async () => {
    const seen: unknown[] = [];
    const users = new GroupedToolBuilder('users').action({
      name: 'find',
      readOnly: true,
      inputSchema: z.object({ id: z.number() }),
      handler: ({ context }) => void seen.push(context.rawArguments),
    });
    const registry = new ToolRegistry().register(users);
    for (const { call } of await (
      await serveRaw(registry, { view: { form: 'code' } })
    )())
      await call('run_code', { code: 'await tools.users.find({ id: 1 })' });
    expect(seen).toEqual([{ id: 1 }, { id: 1 }]);
  });
});
