import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { RequestInput } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { faces } from './faces.js';
import type { Face, OpenFace } from './faces.js';
import { createModernClient } from './modern-requests.js';

const schema = z.object({ value: z.string() });
const accept = (value: string) => ({ action: 'accept', content: { value } });
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const ask = async (requestInput: RequestInput): Promise<string> => {
  const first = await requestInput({ a: { message: 'A?', schema }, b: { message: 'B?', schema } });
  const second = await requestInput({ a: { message: 'A again?', schema } });
  return [first.a, first.b, second.a].map(({ action, content }) => content?.value ?? action).join(' ');
};

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', version: '1', rateLimiter: false })
    .register(
      {
        name: 'book',
        description: 'Asks',
        inputSchema: z.object({ seat: z.int().optional() }),
        handler: ({ context }) => ask(context.requestInput),
      },
      {
        name: 'every',
        description: 'Asks for everything',
        inputSchema: {},
        handler: async ({ context }) => {
          const { page, said, dirs } = await context.requestInput({
            page: { message: 'Sign in', url: 'https://acme.example' },
            said: { sampling: { messages: [], maxTokens: 5 } },
            dirs: { roots: true },
          });
          return [page.action, said.model, dirs.roots.length].join(' ');
        },
      },
    )
    .registerPrompt({ name: 'book', handler: ({ context }) => ask(context.requestInput) })
    .registerResource({
      name: 'book',
      uri: 'memo://book',
      handler: ({ context }) => ask(context.requestInput),
    });

/** The same registry on an SDK server. */
const openAttached: OpenFace = async (registry) => {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'acme', version: '1' }, { capabilities: {} });
    registry.attachToServer(server);
    return server;
  });
  const send: Face['send'] = (init) => {
    const user = init.headers['x-user'];
    const authInfo =
      user === undefined ? undefined : { token: user, clientId: 'c', scopes: [], extra: { sub: user } };
    return handler.fetch(new Request('http://localhost/mcp', init), authInfo ? { authInfo } : {});
  };
  return { send, handler: handler as never, close: () => handler.close() };
};

const textOf = (result: Record<string, unknown>): unknown => {
  const { content, messages, contents } = result as {
    content?: { text: string }[];
    messages?: { content: { text: string } }[];
    contents?: { text: string }[];
  };
  return content?.[0]?.text ?? messages?.[0]?.content.text ?? contents?.[0]?.text;
};

describe.each([...faces, ['an attached server', openAttached] as const])(
  'over %s, 2026-07-28',
  (_face, open) => {
    it.each([
      ['tools/call', { name: 'book', arguments: {} }],
      ['prompts/get', { name: 'book' }],
      ['resources/read', { uri: 'memo://book' }],
    ])('asks in rounds, and repeats unanswered questions, in %s', async (method, params) => {
      const face = await open(createRegistry());
      const client = createModernClient(face, { capabilities: ALL });
      const next = async (requestState: unknown, inputResponses: object) =>
        (await client.request(method, { ...params, requestState, inputResponses })).result;
      const first = (await client.request(method, params)).result;
      expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { a: {}, b: {} } });
      expect(first).not.toHaveProperty('content');
      const second = await next(first['requestState'], { b: accept('2'), junk: accept('x') });
      expect(Object.keys(second['inputRequests'] as object)).toEqual(['a']);
      const third = await next(second['requestState'], { a: accept('1') });
      expect(third['inputRequests']).toMatchObject({ a: { params: { message: 'A again?' } } });
      const done = await next(third['requestState'], { a: { action: 'decline' } });
      expect(textOf(done)).toBe('1 2 decline');
      await face.close();
    });

    it('asks for pages, for the model and for roots', async () => {
      const face = await open(createRegistry());
      const client = createModernClient(face, { capabilities: ALL });
      const params = { name: 'every', arguments: {} };
      const { result } = await client.request('tools/call', params);
      expect(result['inputRequests']).toMatchObject({
        page: { method: 'elicitation/create', params: { mode: 'url', url: 'https://acme.example' } },
        said: { method: 'sampling/createMessage', params: { maxTokens: 5 } },
        dirs: { method: 'roots/list' },
      });
      const inputResponses = {
        page: { action: 'accept' },
        said: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
        dirs: { roots: [{ uri: 'file:///a' }] },
      };
      const done = await client.request('tools/call', {
        ...params,
        requestState: result['requestState'],
        inputResponses,
      });
      expect(textOf(done.result)).toBe('accept m 1');
      await face.close();
    });

    it('rejects a state of another caller, of another call, or that was never issued', async () => {
      const face = await open(createRegistry());
      const [ada, bob] = ['ada', 'bob'].map((user) => createModernClient(face, { capabilities: ALL, user }));
      const params = { name: 'book', arguments: { seat: 1 } };
      const { requestState } = (await ada!.request('tools/call', params)).result;
      const round = { requestState, inputResponses: { a: accept('1'), b: accept('2') } };
      const rejected = { error: { code: -32_602 } };
      expect(await bob!.request('tools/call', { ...params, ...round })).toMatchObject(rejected);
      expect(await ada!.request('tools/call', { ...params, arguments: { seat: 2 }, ...round })).toMatchObject(
        rejected,
      );
      expect(await ada!.request('prompts/get', { name: 'book', ...round })).toMatchObject(rejected);
      expect(await ada!.request('tools/call', { ...params, ...round, requestState: 'forged' })).toMatchObject(
        rejected,
      );
      expect((await ada!.request('tools/call', { ...params, ...round })).result).toMatchObject({
        resultType: 'input_required',
      });
      await face.close();
    });

    it('does not ask a client that cannot answer', async () => {
      const face = await open(createRegistry());
      const client = createModernClient(face, { capabilities: { elicitation: { url: {} } } });
      expect(await client.request('tools/call', { name: 'book', arguments: {} })).toMatchObject({
        status: 400,
        error: { code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
      });
      await face.close();
    });
  },
);

it('a client of the second SDK answers every round automatically', async () => {
  const server = await serveHttp(createRegistry(), { port: 0 });
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler(
    'elicitation/create',
    async ({ params }) => accept(String(params.message)) as never,
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const result = await client.callTool({ name: 'book', arguments: {} });
  expect(result.content).toEqual([{ type: 'text', text: 'A? B? A again?' }]);
  await client.close();
  await server.close();
});
