import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../src/index.js';
import { MemorySessionStore } from '../../src/session/session-store.js';
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
  it('what goes wrong here is told to the author and not to clients', async () => {
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

  it('an author who fails to listen changes no answer', async () => {
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

  it('a store of sessions that cannot be reached is an error of the server, and then it goes on', async () => {
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
});
