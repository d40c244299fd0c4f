import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { modernRequest } from './raw-request.js';

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string | number> };

function setUp(answers: Record<string, Answer>) {
  const booked = vi.fn<(what: unknown) => void>();
  const registry = new ToolRegistry().register({
    name: 'book',
    description: 'Does something',
    inputSchema: {},
    handler: async ({ context }) => {
      const { seats, confirm } = await context.requestInput({
        seats: { message: 'How many seats?', schema: z.object({ count: z.int().min(1) }) },
        confirm: { message: 'Sure?', schema: z.object({ yes: z.enum(['yes', 'no']) }) },
      });
      if (seats.action !== 'accept' || confirm.content?.['yes'] !== 'yes') return 'nothing booked';
      booked(seats.content);
      return `booked ${String(seats.content?.['count'])}`;
    },
  });
  const asked: string[] = [];
  const respond = async (request: { params: { message: string } }): Promise<Answer> => {
    asked.push(request.params.message);
    return answers[request.params.message] ?? { action: 'cancel' };
  };
  return { registry, asked, booked, respond };
}

const yes = {
  'How many seats?': { action: 'accept', content: { count: 3 } },
  'Sure?': { action: 'accept', content: { yes: 'yes' } },
} as const;

const firstSdk = async ({ registry, respond }: ReturnType<typeof setUp>) => {
  const server = new ServerV1({ name: 'a', version: '1' }, { capabilities: {} });
  registry.attachToServer(server);
  const client = new ClientV1({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, respond as never);
  const [near, far] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client.callTool({ name: 'book', arguments: {} });
};

const secondSdkIn2025 = async ({ registry, respond }: ReturnType<typeof setUp>) => {
  const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
  registry.attachToServer(server);
  const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', respond as never);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client.callTool({ name: 'book', arguments: {} });
};

describe.each([
  ['first SDK', firstSdk],
  ['second SDK, to a client of 2025', secondSdkIn2025],
] as const)('through the %s, a handler', (_what, call) => {
  it('asks and gets validated answers', async () => {
    const setup = setUp(yes);
    expect(await call(setup)).toMatchObject({ content: [{ text: 'booked 3' }] });
    expect(setup.asked.toSorted()).toEqual(['How many seats?', 'Sure?']);
    expect(setup.booked.mock.calls).toEqual([[{ count: 3 }]]);
  });

  it('learns that the person declined', async () => {
    const setup = setUp({ ...yes, 'How many seats?': { action: 'decline' } });
    expect(await call(setup)).toMatchObject({ content: [{ text: 'nothing booked' }] });
    expect(setup.booked).not.toHaveBeenCalled();
  });
});

describe('to a 2026-07-28 client', () => {
  const post = async (setup: ReturnType<typeof setUp>, params: object): Promise<Record<string, unknown>> => {
    const handler = createMcpHandler(() => {
      const server = new Server({ name: 'a', version: '1' }, { capabilities: {} });
      setup.registry.attachToServer(server);
      return server as never;
    });
    const request = modernRequest(
      'tools/call',
      { name: 'book', arguments: {}, ...params },
      { capabilities: { elicitation: { form: {} } } },
    );
    const response = await handler.fetch(new Request('http://localhost/mcp', request));
    const body = await response.text();
    const json = body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '{}');
    return (JSON.parse(json) as { result: Record<string, unknown> }).result;
  };

  it('the questions are the answer, and the call is repeated with the responses', async () => {
    const setup = setUp(yes);
    const first = await post(setup, {});
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        seats: {
          method: 'elicitation/create',
          params: { message: 'How many seats?', requestedSchema: { type: 'object', required: ['count'] } },
        },
        confirm: { method: 'elicitation/create' },
      },
    });
    expect(setup.booked).not.toHaveBeenCalled();
    const inputResponses = {
      seats: { action: 'accept', content: { count: 3 } },
      confirm: { action: 'accept', content: { yes: 'yes' } },
    };
    expect(await post(setup, { inputResponses })).toMatchObject({ content: [{ text: 'booked 3' }] });
    expect(setup.booked).toHaveBeenCalledTimes(1);
  });

  it('an invalid answer is rejected like an invalid argument', async () => {
    const setup = setUp(yes);
    const inputResponses = {
      seats: { action: 'accept', content: { count: 0 } },
      confirm: { action: 'accept', content: { yes: 'yes' } },
    };
    const result = await post(setup, { inputResponses });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain('seats.count');
    expect(setup.booked).not.toHaveBeenCalled();
  });
});

it('a question is rejected if the call came from no client', async () => {
  const result = await setUp(yes).registry.executeTool({ name: 'book' });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('No client can be asked') as string }],
  });
});
