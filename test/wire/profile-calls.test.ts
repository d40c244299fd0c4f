import { describe, expect, it } from 'vitest';
import { createClient } from '@toolfold/testing/client';
import { ToolRegistry } from 'toolfold';
import type { ToolRegistryOptions } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { profileNames } from '@toolfold/profiles';
import { createTestClient } from '@toolfold/testing';
import { createHandler, Exposure } from 'toolfold/web';
import type { OfferedView } from 'toolfold/web';
import { modernRequest, taskCapabilities } from './raw-request.js';

const echo = ({ input }: { readonly input: unknown }): string => JSON.stringify(input);

/** A schema that every strict profile translates: a renamed key, null, items of two types and an open value. */
const inputSchema = {
  type: 'object',
  properties: {
    'a[b]': { type: 'string' },
    nothing: { type: ['string', 'null'] },
    items: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    open: {},
  },
} as const;

/** Values that change if they are decoded although nobody encoded them. */
const inputs = [
  { items: ['5', 'null', '"quoted"', 5] },
  { nothing: null },
  { nothing: 'null' },
  { open: '{"a":1}' },
  { 'a[b]': 'x' },
] as const;

const LONG = `a_tool_whose_name_is_longer_than_the_profiles_accept_${'x'.repeat(20)}`;

function create(options: ToolRegistryOptions<unknown> = {}): ToolRegistry {
  return new ToolRegistry({ name: 'acme', wireNames: 'any', ...options })
    .register({ name: 'save', description: 'Saves', inputSchema, handler: echo })
    .register({ name: LONG, description: 'Has a long name', inputSchema, handler: echo });
}

type Call = (input: object) => Promise<{ readonly content: readonly { readonly text: string }[] }>;

describe('a typed client', () => {
  it.each(profileNames)('sends its arguments unchanged through the profile %s', async (profile) => {
    const server = await serveHttp(create(), { port: 0, requestLimit: false, view: { profile } });
    for (const protocol of ['2025', '2026'] as const) {
      const client = await createClient<unknown>(server.url, { protocol });
      const tools = client.tools as unknown as Readonly<Record<string, Call>>;
      for (const name of ['save', LONG])
        for (const input of inputs)
          expect(JSON.parse((await tools[name]?.(input))?.content[0]?.text ?? '')).toEqual(input);
      await client.close();
    }
    await server.close();
  });

  it('sends its arguments unchanged to tools that the search form finds', async () => {
    for (const profile of ['portable', 'openai-strict'] as const) {
      const view = { profile, form: 'search' } as const;
      const server = await serveHttp(create(), { port: 0, requestLimit: false, view });
      const client = await createClient<unknown>(server.url);
      const { save } = client.tools as unknown as { readonly save: Call };
      for (const input of inputs)
        expect(JSON.parse((await save(input)).content[0]?.text ?? '')).toEqual(input);
      await client.close();
      await server.close();
    }
  });

  it('of a test does the same in both eras', async () => {
    for (const era of ['2025', '2026'] as const) {
      const handler = createHandler(create(), { view: { profile: 'openai-strict' }, requestLimit: false });
      await using client = await createTestClient(handler, { era });
      for (const input of inputs) {
        const { content } = await client.call('save', input);
        expect(JSON.parse((content[0] as { text: string }).text)).toEqual(input);
      }
      await handler.close();
    }
  });
});

describe('middleware of a server that chooses the profile by the client', () => {
  const clients = ['cursor', 'gemini-cli', 'strict', 'x'];
  /** The form in which each client sends the text `5`, the number 5 and the text `null`. */
  const sent = (client: string): object => ({
    items: client === 'gemini-cli' ? ['"5"', '5'] : ['5', 5],
    nothing: client === 'strict' ? '"null"' : 'null',
  });
  const view: OfferedView = { profile: 'client', clients: [{ name: 'strict', profile: 'openai-strict' }] };

  it.each([
    ['copies the caller', false, true],
    ['copies the caller and the arguments', true, true],
    ['leaves out the client', false, false],
    ['leaves out the client and copies the arguments', true, false],
  ])('that %s does not decode the arguments again', async (_, copiesArguments, keepsClient) => {
    const registry = create();
    registry.use((request, next) => {
      const { arguments: given } = request.params;
      return next({
        ...request,
        caller: keepsClient ? { ...request.caller } : {},
        params: copiesArguments ? { ...request.params, arguments: { ...(given as object) } } : request.params,
      });
    });
    const exposure = new Exposure(registry, { view });
    const answers = clients.flatMap((name) =>
      ['save', LONG].map(async (tool) => {
        const request = { caller: { client: { name, version: '9' } } };
        const own = await exposure.viewFor(request);
        const listed = own
          .listTools()
          .find(({ name: each, _meta }) => [each, _meta?.['toolfold/name']].includes(tool));
        const call = { ...request, name: listed?.name ?? '', arguments: { ...sent(name) }, asListed: true };
        const { content } = await registry.executeTool(call, own, (changed) => exposure.viewFor(changed));
        return (content[0] as { text: string }).text;
      }),
    );
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['{"items":["5",5],"nothing":"null"}']));
  });

  it('that changes the caller and the arguments reaches the tools of the search form', async () => {
    const registry = create();
    registry.use((request, next) => {
      const { name, arguments: given } = request.params;
      return next({ ...request, caller: {}, params: { name, arguments: { ...(given as object), open: 1 } } });
    });
    const exposure = new Exposure(registry, { view: { form: 'search' } });
    const viewFor = (request: object) => exposure.viewFor(request);
    const own = await exposure.viewFor({});
    const call = { name: 'call_write_tool', arguments: { address: 'save', arguments: { nothing: 'n' } } };
    const { content } = await registry.executeTool(call, own, viewFor);
    expect(content).toEqual([{ type: 'text', text: '{"nothing":"n","open":1}' }]);
    // A tool that the form does not list stays unknown.
    const direct = await registry.executeTool({ name: 'save', arguments: {} }, own, viewFor);
    expect(direct.isError).toBe(true);
  });

  it('can pass a call on to another tool with the name and the arguments of the author', async () => {
    const registry = create().register({
      name: 'plain',
      description: 'Plain',
      inputSchema: { type: 'object', properties: { items: { type: 'array', items: { type: 'string' } } } },
      handler: echo,
    });
    registry.use((request, next) => next({ ...request, params: { ...request.params, name: 'save' } }));
    const { content } = await registry.executeTool({ name: 'plain', arguments: { items: ['5'] } });
    expect(content).toEqual([{ type: 'text', text: '{"items":["5"]}' }]);
  });
});

describe('a call through a profile', () => {
  const post = async (registry: ToolRegistry, view: OfferedView, params: object, options: object = {}) => {
    const handler = createHandler(registry, { view, requestLimit: false });
    const request = modernRequest('tools/call', { ...params }, options);
    const response = await handler.fetch(new Request('http://localhost/mcp', request));
    const answer = (await response.json()) as { result?: object; error?: { message: string } };
    await handler.close();
    return answer;
  };

  it('without arguments runs as a task if the tool requires one', async () => {
    const registry = new ToolRegistry().register({
      name: 'build',
      description: 'Builds',
      task: { required: true },
      inputSchema: { type: 'object', properties: { target: { type: 'string' } } },
      handler: echo,
    });
    for (const profile of ['none', 'portable', 'openai-strict'] as const) {
      const params = { name: 'build' };
      expect((await post(registry, { profile }, params)).error?.message).toContain('tasks');
      const answer = await post(registry, { profile }, params, { capabilities: taskCapabilities });
      expect(answer.result).toMatchObject({ resultType: 'task' });
    }
  });

  it('shares the results of idempotent and cached actions with calls through other profiles', async () => {
    const runs: unknown[] = [];
    const schema = {
      type: 'object',
      properties: { 'key[id]': { type: 'string' }, tag: { type: ['string', 'null'] } },
      required: ['key[id]'],
    } as const;
    const handler = ({ input }: { readonly input: unknown }): string => {
      runs.push(input);
      return `run ${runs.length}`;
    };
    const registry = new ToolRegistry()
      .register({
        name: 'pay',
        description: 'P',
        inputSchema: schema,
        idempotency: { field: 'key[id]' },
        handler,
      })
      .register({
        name: 'rate',
        description: 'R',
        inputSchema: schema,
        readOnly: true,
        cached: { ttlMs: 60_000 },
        handler,
      });
    const exposure = new Exposure(registry, {
      view: { profile: 'client', clients: [{ name: 'strict', profile: 'openai-strict' }] },
    });
    for (const [tool, count] of [
      ['pay', 1],
      ['rate', 2],
    ] as const) {
      const texts = ['cursor', 'strict', 'gemini-cli', 'x', 'strict'].map(async (name) => {
        const request = { caller: { client: { name, version: '9' } } };
        const view = await exposure.viewFor(request);
        const [properties] = view
          .listTools()
          .map((each) => Object.keys(each.inputSchema['properties'] as object));
        const key = properties?.find((each) => each.startsWith('key')) ?? '';
        const tag = name === 'strict' ? { tag: null } : {};
        const call = { ...request, name: tool, arguments: { [key]: 'k1', ...tag }, asListed: true };
        return (await registry.executeTool(call, view)).content;
      });
      expect(new Set((await Promise.all(texts)).map((content) => JSON.stringify(content)))).toEqual(
        new Set([JSON.stringify([{ type: 'text', text: `run ${count}` }])]),
      );
    }
    expect(runs).toEqual([{ 'key[id]': 'k1' }, { 'key[id]': 'k1' }]);
  });

  it('gives the resolver of defaults the arguments in the form of the author', async () => {
    const seen: unknown[] = [];
    const registry = new ToolRegistry().register({
      name: 'save',
      description: 'Saves',
      inputSchema,
      defaultArgumentResolver: ({ rawArguments }) => {
        seen.push(rawArguments);
        return { nothing: 'resolved' };
      },
      handler: echo,
    });
    const view = registry.view({ profile: 'openai-strict' });
    const sent = { 'a[b]': 'x', nothing: null, items: null, open: null };
    const { content } = await registry.executeTool({ name: 'save', arguments: sent, asListed: true }, view);
    expect(seen).toEqual([{ 'a[b]': 'x' }]);
    expect(content).toEqual([{ type: 'text', text: '{"nothing":"resolved","a[b]":"x"}' }]);
  });
});
