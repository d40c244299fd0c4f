import { Client as ClientV2, InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServerV2, Server as ServerV2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { CodeSettings } from '@toolfold/code';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';

type Json = Record<string, unknown>;
type Answer = (message: string, signal: AbortSignal) => Json | Promise<Json>;
interface Person {
  readonly asked: string[];
  readonly call: (code: string, options?: object) => Promise<unknown>;
  readonly list: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const info = { name: 'test', version: '1.0.0' };
const allow = { action: 'accept', content: { allow: true } };
/** Eight questions take longer than the minute that clients wait by default, if the machine is busy. */
const TIMEOUT_MS = 110_000;

async function connectV1(
  server: { connect(transport: InMemoryV1): Promise<void> },
  answer: Answer,
  capabilities: Json,
): Promise<Person> {
  const client = new ClientV1(info, { capabilities });
  const asked: string[] = [];
  if ('elicitation' in capabilities)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      asked.push(params.message);
      return (await answer(params.message, signal)) as never;
    });
  const [near, far] = InMemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    asked,
    call: (code, options) =>
      client.callTool({ name: 'run_code', arguments: { code } }, undefined, {
        timeout: TIMEOUT_MS,
        ...options,
      }),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

async function connectV2(
  server: { connect(transport: InMemoryV2): Promise<void> },
  answer: Answer,
  capabilities: Json,
): Promise<Person> {
  const client = new ClientV2(info, { capabilities });
  const asked: string[] = [];
  if ('elicitation' in capabilities)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      asked.push(String(params.message));
      return (await answer(String(params.message), mcpReq.signal)) as never;
    });
  const [near, far] = InMemoryV2.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    asked,
    call: (code, options) =>
      client.callTool({ name: 'run_code', arguments: { code } }, { timeout: TIMEOUT_MS, ...options }),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

const servers = [
  ['Server of the first SDK', () => new ServerV1(info, { capabilities: {} }), connectV1],
  ['McpServer of the first SDK', () => new McpServerV1(info), connectV1],
  ['Server of the second SDK', () => new ServerV2(info, { capabilities: {} }), connectV2],
  ['McpServer of the second SDK', () => new McpServerV2(info), connectV2],
] as unknown as [
  string,
  () => object,
  (server: object, answer: Answer, capabilities: Json) => Promise<Person>,
][];

function createRegistry(calls: string[]): ToolRegistry {
  const note =
    (name: string) =>
    ({ input }: { input: { id: string } }) => {
      calls.push(`${name} ${input.id}`);
      return { [name]: input.id };
    };
  const inputSchema = z.object({ id: z.string() });
  return new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    { name: 'read', description: 'Reads', readOnly: true, inputSchema, handler: note('read') },
    { name: 'remove', description: 'Removes', destructive: true, inputSchema, handler: note('remove') },
  );
}

const valueOf = (result: unknown): unknown => {
  const { content } = result as { content: { text: string }[] };
  return JSON.parse(content[0]?.text ?? 'null');
};

describe.each(servers)('the code form on a %s', (name, createServer, connect) => {
  const isSecond = name.includes('second');
  const setUp = async (
    answer: Answer,
    { capabilities = { elicitation: {} }, code = {} }: { capabilities?: Json; code?: CodeSettings } = {},
  ) => {
    const calls: string[] = [];
    const server = createServer();
    const registry = createRegistry(calls);
    const exposure = new Exposure(registry, { view: { form: 'code', code: { allow: 'write', ...code } } });
    registry.attachToServer(server, { view: exposure });
    const person = await connect(server, answer, capabilities);
    cleanUps.push(
      () => exposure.close(),
      () => person.close(),
    );
    return { calls, person };
  };
  const tried = `const tried = (calling) => calling.catch(({ code, message }) => ({ code, message }));`;

  it('asks the person about each call that needs it, and makes each call once', async () => {
    const { calls, person } = await setUp((message) =>
      message.includes('"c"') ? { action: 'decline' } : allow,
    );
    expect(await person.list()).toEqual(['search_tools', 'describe_tools', 'run_code']);
    const result = await person.call(`${tried}
      const seen = [await tools.read({ id: 'a' })];
      seen.push(...(await Promise.all([tried(tools.remove({ id: 'b' })), tried(tools.remove({ id: 'c' }))])));
      seen.push(await tried(tools.remove({ id: 'd' })));
      seen`);
    expect(valueOf(result)).toEqual([
      { read: 'a' },
      { remove: 'b' },
      { code: 'ErrCallNotAllowed', message: 'A person declined this call of "remove".' },
      { remove: 'd' },
    ]);
    expect(calls).toEqual(['read a', 'remove b', 'remove d']);
    expect(person.asked).toHaveLength(3);
  });

  it.each([{}, { elicitation: { url: {} } }])('does not ask a client with %j', async (capabilities) => {
    const { calls, person } = await setUp(() => allow, { capabilities });
    const result =
      await person.call(`const { code, suggestions } = await tools.remove({ id: 'x' }).catch((e) => e);
      [code, suggestions]`);
    expect(valueOf(result)).toEqual(['ErrCallNotAllowed', ['call_write_tool']]);
    expect(person.asked).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('refuses further questions before the SDK gives up, so that the code can report its calls', async () => {
    const { calls, person } = await setUp(() => allow);
    const result = await person.call(`let made = 0;
      try { for (; made < 12; made++) await tools.remove({ id: String(made) }); } catch (error) { return [made, error.code, error.message]; }
      return [made];`);
    const rounds = isSecond ? 8 : 12;
    expect(calls).toHaveLength(rounds);
    expect(valueOf(result)).toEqual(
      isSecond ? [8, 'ErrCallNotAllowed', expect.stringContaining('a run can ask only 8 times')] : [12],
    );
  });

  it('reports progress call by call, also after a question', async () => {
    const { person } = await setUp(() => allow);
    const progress: unknown[] = [];
    const code = `await tools.read({ id: '1' }); await tools.remove({ id: '2' }); await tools.read({ id: '3' })`;
    await person.call(code, {
      onprogress: (update: { progress: number }) => progress.push(update.progress),
    });
    expect(progress).toEqual([1, 2, 3]);
  });

  it('withdraws the question when the client cancels the call', async () => {
    let onAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    let onWithdrawn = (): void => undefined;
    const withdrawn = new Promise<void>((resolve) => {
      onWithdrawn = resolve;
    });
    const { calls, person } = await setUp((message, signal) => {
      if (message.includes('"first"')) return allow;
      signal.addEventListener('abort', onWithdrawn);
      onAsked();
      return new Promise<never>(() => undefined);
    });
    const controller = new AbortController();
    // The client of the first SDK cannot cancel the request with the id 0, which is the first question.
    const code = `await tools.remove({ id: 'first' }); await tools.remove({ id: 'x' })`;
    const calling = person.call(code, { signal: controller.signal });
    calling.catch(() => undefined);
    await asked;
    controller.abort();
    await withdrawn;
    await expect(calling).rejects.toThrow();
    expect(calls).toEqual(['remove first']);
  });

  it('returns blocks that the code made up in a form that the client accepts', async () => {
    const { person } = await setUp(() => allow);
    const text = { type: 'text', text: 'x' };
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const link = { type: 'resource_link', uri: 'a:b', name: 'n' };
    const resource = { uri: 'a:b', blob: 'AAAA' };
    const accepted: [unknown, unknown][] = [
      [{ ...text, annotations: { audience: 'all', priority: 55 }, _meta: 5 }, text],
      [{ ...image, annotations: 1 }, image],
      [{ ...link, icons: 5 }, link],
      [
        { type: 'resource', resource: { ...resource, _meta: 5 } },
        { type: 'resource', resource },
      ],
    ];
    for (const [given, block] of accepted) {
      const value = { content: [given] };
      expect(await person.call(`(${JSON.stringify(value)})`)).toMatchObject({ content: [block] });
    }
    const others = [
      { ...image, data: '!' },
      { ...link, title: 5 },
      { type: 'resource', resource: { ...resource, blob: '!' } },
      { type: 'resource', resource: { ...resource, mimeType: 5 } },
    ];
    for (const given of others) {
      const value = { content: [given] };
      const result = await person.call(`(${JSON.stringify(value)})`);
      expect(result).not.toHaveProperty('isError');
      expect(valueOf(result)).toEqual(value);
    }
  });
});

describe('a question through a Server of the first SDK', () => {
  it('may be answered after the minute that the SDK waits by default', async () => {
    const server = new ServerV1(info, { capabilities: {} });
    const registry = createRegistry([]);
    const exposure = new Exposure(registry, { view: { form: 'code', code: { allow: 'write' } } });
    registry.attachToServer(server, { view: exposure });
    const person = await connectV1(server, () => allow, { elicitation: {} });
    cleanUps.push(
      () => exposure.close(),
      () => person.close(),
    );
    const request = vi.spyOn(server, 'request');
    await person.call(`await tools.remove({ id: 'x' })`);
    expect(request.mock.calls.map(([, , options]) => options?.timeout)).toEqual([60 * 60_000]);
  });
});
