import { describe, expect, it, vi } from 'vitest';
import { ErrInvalidPolicy, ErrProtocol, ErrUnknownResource, ErrValidationFailed } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore } from 'toolfold/web';
import { faces } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { initialize, openSession, post } from './session-requests.js';

const createRegistry = () =>
  new ToolRegistry({ rateLimiter: false })
    .register({ name: 'echo', description: 'd', inputSchema: {}, handler: () => 'echo' })
    .registerPrompt({
      name: 'break',
      handler: () => {
        throw new Error('secret');
      },
    });

describe.each(faces)('over %s', (_face, open) => {
  it('a resource whose handler fails with 404 is unknown, and not a server fault', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const registry = createRegistry().registerResource({
      name: 'page',
      uriTemplate: 'page://{id}',
      handler: ({ variables: { id } }) => {
        if (id === 'gone') throw Object.assign(new Error('secret'), { status: 410 });
        if (id === 'none') throw Object.assign(new Error('secret'), { status: 404 });
        if (id === 'behind') throw new Error('x', { cause: Object.assign(new Error('y'), { status: 404 }) });
        throw new ErrUnknownResource('Pages have numbers.');
      },
    });
    const face = await open(registry, { onError });
    for (const client of [await openSession(face), createModernClient(face)]) {
      const read = (uri: string): Promise<unknown> => client.request('resources/read', { uri });
      for (const uri of ['page://none', 'page://gone'])
        expect(await read(uri)).toMatchObject({
          error: { code: -32_602, message: `Unknown resource "${uri}".`, data: { uri } },
        });
      expect(await read('page://x')).toMatchObject({
        error: { code: -32_602, message: 'Pages have numbers.' },
      });
      expect(onError).not.toHaveBeenCalled();
      expect(await read('page://behind')).toMatchObject({ error: { code: -32_603 } });
      expect(onError).toHaveBeenCalledOnce();
      onError.mockClear();
    }
    await face.close();
  });

  it('a prompt whose handler rejects its arguments is reported as invalid', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const registry = createRegistry().registerPrompt({
      name: 'review',
      handler: () => {
        throw new ErrValidationFailed('There is no such month.');
      },
    });
    const face = await open(registry, { onError });
    for (const client of [await openSession(face), createModernClient(face)])
      expect(await client.request('prompts/get', { name: 'review' })).toMatchObject({
        error: { code: -32_602, message: 'There is no such month.' },
      });
    expect(onError).not.toHaveBeenCalled();
    await face.close();
  });

  it('a server fault is reported to the author and not to clients', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const face = await open(createRegistry(), { onError });
    const session = await openSession(face);
    const modern = createModernClient(face);
    const failed = { code: -32_603, message: 'The server failed to answer.' };
    expect(await session.request('prompts/get', { name: 'break' })).toMatchObject({ error: failed });
    expect(await modern.request('prompts/get', { name: 'break' })).toMatchObject({ error: failed });
    expect(onError.mock.calls.map(([error]) => (error as Error).message)).toEqual(['secret', 'secret']);
    await face.close();
  });

  it('a throwing onError changes no answer', async () => {
    const face = await open(createRegistry(), {
      onError: () => {
        throw new Error('worse');
      },
    });
    const session = await openSession(face);
    const modern = createModernClient(face);
    for (let time = 0; time < 2; time++) {
      expect(await session.request('prompts/get', { name: 'break' })).toMatchObject({
        error: { code: -32_603 },
      });
      expect(await modern.request('prompts/get', { name: 'break' })).toMatchObject({
        error: { code: -32_603 },
      });
    }
    expect(await session.call('echo')).toMatchObject({ result: { content: [{ text: 'echo' }] } });
    await face.close();
  });

  it('a result that JSON cannot represent is an error with the id of its request', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const results: readonly unknown[] = [
      { content: [], structuredContent: { a: 1n } },
      { content: [{ type: 'text', text: 'x', _meta: { a: 1n } }] },
      { content: [], _meta: circular },
    ];
    const registry = new ToolRegistry({ rateLimiter: false });
    for (const [index, result] of results.entries())
      registry.register({ name: `tool-${index}`, description: 'd', inputSchema: {}, handler: () => result });
    const face = await open(registry, { onError });
    const session = await openSession(face);
    const modern = createModernClient(face);
    for (const [index] of results.entries()) {
      const name = `tool-${index}`;
      expect(await session.call(name, {}, name)).toMatchObject({ id: name, error: { code: -32_603 } });
      const answer = await modern.request('tools/call', { name, arguments: {} });
      expect(answer).toMatchObject({ status: 200, id: index + 1, error: { code: -32_603 } });
    }
    expect(onError).toHaveBeenCalledTimes(2 * results.length);
    await face.close();
  });

  it.each([[undefined], [null], ['text'], [5], [[]]])(
    'middleware that returns %j causes an error',
    async (result) => {
      const onError = vi.fn<(error: unknown) => void>();
      const face = await open(
        createRegistry().use(async () => result),
        { onError },
      );
      const session = await openSession(face);
      const failed = { error: { code: -32_603 } };
      expect(await session.request('tools/list')).toMatchObject({ id: 1, ...failed });
      expect(await createModernClient(face).request('tools/list')).toMatchObject({
        status: 200,
        id: 1,
        ...failed,
      });
      expect(onError).toHaveBeenCalledTimes(2);
      // A call always has a result.
      expect(await session.call('echo')).toMatchObject({ result: { isError: true } });
      await face.close();
    },
  );

  it('an invalid notification that is not awaited causes no unhandled rejection', async () => {
    const unseen = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unseen);
    const waited = vi.fn<(error: unknown) => void>();
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'tell',
      description: 'd',
      inputSchema: {},
      handler: async ({ context }) => {
        void context.progress(1n as never);
        await context.progress(1n as never).catch(waited);
        await context.log('error', { a: 1n });
        await context.log('error', 'said');
        return 'done';
      },
    });
    const face = await open(registry);
    const session = await openSession(face);
    const params = { name: 'tell', arguments: {}, _meta: { progressToken: 1 } };
    expect(await session.request('tools/call', params)).toMatchObject({
      result: { content: [{ text: 'done' }] },
    });
    const modern = createModernClient(face, {
      meta: { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 1 },
    });
    const answer = await modern.request('tools/call', { name: 'tell', arguments: {} });
    expect(answer.notifications.map(({ params: said }) => said)).toEqual([
      { level: 'error', data: { a: '1' } },
      { level: 'error', data: 'said' },
    ]);
    expect(answer.result).toMatchObject({ content: [{ text: 'done' }] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unseen);
    expect([waited.mock.calls.length, unseen.mock.calls.length]).toEqual([2, 0]);
    await face.close();
  });

  it('a policy without a match is rejected before serving, and later the last valid view stays', async () => {
    const registry = createRegistry();
    await expect(open(registry, { view: { actions: ['nobody'] } })).rejects.toThrow(ErrInvalidPolicy);
    const onError = vi.fn<(error: unknown) => void>();
    const face = await open(registry, { view: { actions: ['echo'] }, onError });
    registry.clear();
    const { result } = await createModernClient(face).request('tools/list');
    expect((result['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(['echo']);
    expect(onError).toHaveBeenCalled();
    await face.close();
  });

  it('an unreachable session store is a server error until it recovers', async () => {
    const onError = vi.fn<(error: unknown) => void>();
    const near = new MemorySessionStore();
    let isBroken = false;
    const through = <T>(value: T): T => {
      if (isBroken) throw new Error('unreachable');
      return value;
    };
    const store = {
      create: async (...session: Parameters<typeof near.create>) => through(near).create(...session),
      get: async (id: string) => through(near).get(id),
      update: async (...session: Parameters<typeof near.update>) => through(near).update(...session),
      delete: async (id: string) => through(near).delete(id),
    };
    const face = await open(createRegistry(), { onError, sessions: { store } });
    const session = await openSession(face);
    isBroken = true;
    for (const failing of [
      () => post(face, initialize()),
      () => session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      () => session.get(),
    ]) {
      const response = await failing();
      expect([response.status, await response.json()]).toMatchObject([500, { error: { code: -32_603 } }]);
    }
    expect(await session.remove()).toBe(500);
    expect(onError).toHaveBeenCalledTimes(4);
    isBroken = false;
    expect(await session.call('echo')).toMatchObject({ result: { content: [{ text: 'echo' }] } });
    await face.close();
  });

  it('an error with data that JSON cannot represent is answered without its data', async () => {
    const registry = createRegistry().use(() => {
      throw new ErrProtocol('no', { rpcCode: -32_050, data: { limit: 10n } });
    });
    const face = await open(registry);
    const answer = await createModernClient(face).send('tools/list');
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_050, message: 'no' } });
    await face.close();
  });
});
