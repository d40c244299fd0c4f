import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  ErrInvalidModel,
  ErrMissingCapability,
  ErrOverloaded,
  ErrProtocol,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import type { McpRequest } from '../engine/request.js';
import { capabilitiesOf, createMethods, serveMethod } from './methods.js';
import { RpcError, toRpcError } from '../protocol/rpc-error.js';
import type { MethodOptions } from './methods.js';
import { ToolRegistry } from './tool-registry.js';
import { internalsOf } from './any-registry.js';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

function createRegistry(): ToolRegistry {
  return new ToolRegistry({ rateLimiter: false })
    .register(
      {
        name: 'echo',
        description: 'd',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ input }) => input.text,
      },
      {
        name: 'numbers',
        description: 'd',
        inputSchema: {},
        outputSchema: z.array(z.number()),
        handler: () => [1, 2],
      },
      {
        name: 'refuse',
        description: 'd',
        inputSchema: {},
        handler: () => {
          throw new ErrProtocol('Not today', { rpcCode: -32_050, data: { day: 'monday' } });
        },
      },
      {
        name: 'relay',
        description: 'Passes on what another call answered',
        inputSchema: {},
        handler: () => registry.executeTool({ name: 'nobody' }),
      },
      {
        name: 'ask',
        description: 'd',
        inputSchema: {},
        handler: ({ context }) => context.requestInput({ q: { message: 'm', schema: z.object({}) } }),
      },
    )
    .registerPrompt({
      name: 'greet',
      inputSchema: z.object({ who: z.string() }),
      complete: { who: () => ['Ada'] },
      handler: ({ input }) => `Hello ${input.who}`,
    })
    .registerPrompt({
      name: 'refuse',
      handler: () => {
        throw new ErrProtocol('Not today', { rpcCode: -32_050, data: { day: 'monday' } });
      },
    })
    .registerPrompt({
      name: 'break',
      handler: () => {
        throw new Error('secret');
      },
    })
    .registerPrompt({
      name: 'ask',
      handler: ({ context }) => context.requestInput({ q: { message: 'm', schema: z.object({}) } }),
    })
    .registerPrompt({ name: 'wrong', handler: () => 5 })
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });
}
let registry = createRegistry();

/** Serves a request like a server does. */
async function serve(
  method: string,
  params: Record<string, unknown> = {},
  request: Partial<McpRequest> = {},
  options: MethodOptions = {},
  onFault?: (error: unknown) => void,
): Promise<Record<string, unknown>> {
  const handler = createMethods(registry, () => registry.view(), options)[method];
  if (!handler) throw new Error(`${method} is not served`);
  const whole = { protocolVersion: MODERN, ...request, method, params };
  const ask = internalsOf(registry).askInRounds({ method, params }, whole);
  return (await serveMethod(registry, handler, { ask, ...whole }, onFault)) as Record<string, unknown>;
}

describe('a client error', () => {
  it.each([
    ['tools/call', { name: 'nobody' }, -32_602, /Unknown tool "nobody"/],
    ['tools/call', { name: 'ecko' }, -32_602, /Did you mean "echo"/],
    ['tools/call', { name: '__proto__' }, -32_602, /Unknown tool/],
    ['tools/list', { cursor: 'forged' }, -32_602, /cursor/],
    ['prompts/get', { name: 'nobody' }, -32_602, /Unknown prompt/],
    ['prompts/get', { name: 'constructor' }, -32_602, /Unknown prompt/],
    ['prompts/get', { name: 'greet' }, -32_602, /who/],
    ['resources/read', { uri: 'memo://2' }, -32_602, /Unknown resource/],
    ['completion/complete', {}, -32_602, /ref and argument/],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'a', value: '' } },
      -32_602,
      /Unknown prompt/,
    ],
  ] as const)('of %s %j has the appropriate code', async (method, params, code, message) => {
    const onFault = vi.fn<(error: unknown) => void>();
    const served = serve(method, params, {}, {}, onFault);
    await expect(served).rejects.toBeInstanceOf(RpcError);
    await expect(served).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(onFault).not.toHaveBeenCalled();
  });

  it('names the unknown resource', async () => {
    await expect(serve('resources/read', { uri: 'memo://2' })).rejects.toMatchObject({
      data: { uri: 'memo://2' },
    });
  });

  it('is a result if the arguments of a tool are invalid', async () => {
    expect(await serve('tools/call', { name: 'echo', arguments: {} })).toMatchObject({ isError: true });
    expect(await serve('tools/call', { name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ text: 'hi' }],
    });
  });

  it('is a result if a handler passes on that another tool is unknown', async () => {
    expect(await serve('tools/call', { name: 'relay' })).toMatchObject({ isError: true });
  });
});

describe('an ErrProtocol thrown by a handler', () => {
  const chosen = { code: -32_050, message: 'Not today', data: { day: 'monday' } };

  it('reaches the client with its code and data, from tools and from prompts', async () => {
    await expect(serve('tools/call', { name: 'refuse' })).rejects.toMatchObject(chosen);
    await expect(serve('prompts/get', { name: 'refuse' })).rejects.toMatchObject(chosen);
  });

  it('is redacted of credentials of the call', async () => {
    registry = new ToolRegistry().registerPrompt({
      name: 'leak',
      handler: ({ context }) => {
        const token = String(context.accessToken);
        throw new ErrProtocol(`token ${token}`, { rpcCode: -32_050, data: { token } });
      },
    });
    const served = await serve(
      'prompts/get',
      { name: 'leak' },
      { accessToken: 'abcdef-123456-secret' },
    ).catch((error: unknown) => error);
    registry = createRegistry();
    expect(served).toMatchObject({ code: -32_050 });
    expect(JSON.stringify([(served as RpcError).message, (served as RpcError).data])).not.toContain('123456');
  });
});

describe('a server fault', () => {
  it.each([
    ['prompts/get', { name: 'break' }],
    ['prompts/get', { name: 'wrong' }],
  ])('of %s %j is reported to the author and not to the client', async (method, params) => {
    const onFault = vi.fn<(error: unknown) => void>();
    await expect(serve(method, params, {}, {}, onFault)).rejects.toMatchObject({
      code: -32_603,
      message: 'The server failed to answer.',
      data: undefined,
    });
    expect(onFault).toHaveBeenCalledTimes(1);
  });

  it('has the same answer without a listener', async () => {
    await expect(serve('prompts/get', { name: 'break' })).rejects.toMatchObject({ code: -32_603 });
  });

  it('has the same answer if middleware throws', async () => {
    registry.use(() => {
      throw new Error('secret');
    });
    const onFault = vi.fn<(error: unknown) => void>();
    await expect(serve('tools/list', {}, {}, {}, onFault)).rejects.toMatchObject({
      code: -32_603,
      message: 'The server failed to answer.',
    });
    expect(onFault).toHaveBeenCalledTimes(1);
    // A call always has a result.
    expect(await serve('tools/call', { name: 'echo', arguments: { text: 'x' } })).toMatchObject({
      isError: true,
    });
    registry = createRegistry();
  });
});

describe('the error code', () => {
  it.each([
    [new RpcError(-1, 'own', 5), { code: -1, message: 'own', data: 5 }],
    [new ErrProtocol('p', { rpcCode: -2, data: [1] }), { code: -2, message: 'p', data: [1] }],
    [new ErrProtocol('p'), { code: -32_603, message: 'p' }],
    [new ErrProtocol('p', { rpcCode: 'x' }), { code: -32_603, message: 'p' }],
    [
      new ErrMissingCapability('m', { details: { requiredCapabilities: { roots: {} } } }),
      { code: -32_021, data: { requiredCapabilities: { roots: {} } } },
    ],
    [new ErrValidationFailed('v'), { code: -32_602, message: 'v' }],
    [new ErrOverloaded('o'), { code: -32_602, message: 'o' }],
    [new ErrInvalidModel('a'), { code: -32_603, message: 'The server failed to answer.' }],
    [new TypeError('t'), { code: -32_603, message: 'The server failed to answer.' }],
    ['text', { code: -32_603 }],
    [undefined, { code: -32_603 }],
    [null, { code: -32_603 }],
  ])('is derived from %o', (thrown, expected) => {
    const error = toRpcError(thrown, undefined);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject(expected);
  });
});

describe('questions', () => {
  const asking = [
    ['tools/call', { name: 'ask', arguments: {} }],
    ['prompts/get', { name: 'ask' }],
  ] as const;

  it.each(asking)('of %s are the answer, without content', async (method, params) => {
    const result = await serve(method, params, { caller: { capabilities: { elicitation: { form: {} } } } });
    expect(Object.keys(result).toSorted()).toEqual(['inputRequests', 'requestState', 'resultType']);
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q: { method: 'elicitation/create' } },
    });
  });

  it.each(asking)('of %s are an error for a client that cannot answer them', async (method, params) => {
    for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }])
      await expect(serve(method, params, { caller: { capabilities } })).rejects.toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
  });

  it.each(asking)('of %s are sent to a client that declares no capabilities', async (method, params) => {
    expect(await serve(method, params)).toMatchObject({ resultType: 'input_required' });
  });
});

describe('the answer by protocol version', () => {
  const cacheHints = { ttlMs: 5, cacheScope: 'public' } as const;

  it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'of %s has cache hints only from 2026-07-28 on',
    async (method) => {
      expect(await serve(method, {}, {}, { cacheHints })).toMatchObject(cacheHints);
      expect(await serve(method)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      for (const protocolVersion of [LEGACY, '2024-11-05', undefined])
        expect(Object.keys(await serve(method, {}, { protocolVersion }, { cacheHints }))).toHaveLength(1);
    },
  );

  it('of resources/read says that the resource must not be cached', async () => {
    expect(await serve('resources/read', { uri: 'memo://1' }, {}, { cacheHints })).toEqual({
      contents: [{ uri: 'memo://1', text: 'text' }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect(await serve('resources/read', { uri: 'memo://1' }, { protocolVersion: LEGACY })).toEqual({
      contents: [{ uri: 'memo://1', text: 'text' }],
    });
  });

  it('has only structured content that the version allows', async () => {
    expect(await serve('tools/call', { name: 'numbers' })).toMatchObject({ structuredContent: [1, 2] });
    const legacy = await serve('tools/call', { name: 'numbers' }, { protocolVersion: LEGACY });
    expect(legacy).not.toHaveProperty('structuredContent');
    expect(legacy['content']).toEqual([{ type: 'text', text: '[1,2]' }]);
  });
});

describe('the served methods', () => {
  it('are those of the registered items', () => {
    const empty = new ToolRegistry();
    expect(Object.keys(createMethods(empty, () => empty.view()))).toEqual(['tools/list', 'tools/call']);
    expect(capabilitiesOf(empty)).toEqual({ tools: { listChanged: true }, logging: {} });
    expect(Object.keys(createMethods(registry, () => registry.view())).toSorted()).toEqual([
      'completion/complete',
      'prompts/get',
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'tools/call',
      'tools/list',
    ]);
    expect(Object.keys(capabilitiesOf(registry)).toSorted()).toEqual([
      'completions',
      'logging',
      'prompts',
      'resources',
      'tools',
    ]);
  });
});
