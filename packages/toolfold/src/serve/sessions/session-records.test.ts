import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../../../../test/stores/session-store-contract.js';
import { ErrOverloaded } from '@toolfold/schema/errors';
import { MemorySessionStore } from '../../stores/memory/memory-session-store.js';
import type { SessionStore } from '../../stores/contracts.js';
import { createSettingsMethods } from '../../registry/client-settings.js';
import { createSessionChanger } from './session-records.js';

/** A remote store: each answer takes as long as the test sets. */
function createFarStore(scheduler: fc.Scheduler): SessionStore {
  const near = new MemorySessionStore();
  const later = scheduler.scheduleFunction(async (run: () => unknown) => run());
  return {
    create: (session) => near.create(session),
    get: (id) => later(() => near.get(id)) as Promise<undefined>,
    update: async (session) => void (await later(() => near.update(session))),
    delete: (id) => near.delete(id),
  };
}

function setUp(store: SessionStore = new MemorySessionStore()) {
  const change = createSessionChanger(store);
  const methods = createSettingsMethods(
    ({ caller }) =>
      (derive) =>
        change(caller?.sessionId ?? '', derive),
    true,
  );
  const send = async (method: string, params: Record<string, unknown>, sessionId = 's') =>
    methods[method]?.({ method, params, caller: { sessionId } });
  return { store, send };
}

describe('the settings of a session client', () => {
  it('are stored', async () => {
    const { store, send } = setUp();
    await store.create(sessionOf('s'));
    expect(await send('logging/setLevel', { level: 'error' })).toEqual({});
    expect(await send('resources/subscribe', { uri: 'memo://1' })).toEqual({});
    expect(await send('resources/subscribe', { uri: 'memo://1' })).toEqual({});
    expect(await send('resources/subscribe', { uri: 'memo://2' })).toEqual({});
    expect(await send('resources/unsubscribe', { uri: 'memo://3' })).toEqual({});
    expect(await store.get('s')).toEqual(
      sessionOf('s', { logLevel: 'error', subscriptions: ['memo://1', 'memo://2'] }),
    );
    await send('resources/unsubscribe', { uri: 'memo://1' });
    expect((await store.get('s'))?.subscriptions).toEqual(['memo://2']);
  });

  it('keep all concurrent changes in their order, for each session separately', async () => {
    const step = fc.record({
      session: fc.constantFrom('s', 't'),
      method: fc.constantFrom('resources/subscribe', 'resources/unsubscribe'),
      uri: fc.constantFrom('a', 'b', 'c'),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 15 }), async (scheduler, steps) => {
        const { store, send } = setUp(createFarStore(scheduler));
        const expected: Record<string, Set<string>> = { s: new Set(), t: new Set() };
        for (const id of ['s', 't']) await store.create(sessionOf(id, { subscriptions: [] }));
        const sent = steps.map(({ session, method, uri }) => send(method, { uri }, session));
        for (const { session, method, uri } of steps)
          expected[session]?.[method === 'resources/subscribe' ? 'add' : 'delete'](uri);
        const both = Promise.all(sent).then(() => Promise.all([store.get('s'), store.get('t')]));
        await scheduler.waitFor(both);
        const [s, t] = await both;
        expect([s?.subscriptions, t?.subscriptions]).toEqual([[...expected['s']!], [...expected['t']!]]);
      }),
    );
  });

  it('can be changed after a change failed', async () => {
    const near = new MemorySessionStore();
    near.create(sessionOf('s'));
    let isBroken = true;
    const store: SessionStore = {
      create: (session) => near.create(session),
      get: async (id) => {
        if (isBroken) throw new Error('unreachable');
        return near.get(id);
      },
      update: (session) => near.update(session),
      delete: (id) => near.delete(id),
    };
    const { send } = setUp(store);
    const first = send('resources/subscribe', { uri: 'a' });
    await expect(first).rejects.toThrow('unreachable');
    isBroken = false;
    await send('resources/subscribe', { uri: 'b' });
    expect(near.get('s')?.subscriptions).toEqual(['b']);
  });

  it('are not created for an unknown session', async () => {
    const { store, send } = setUp();
    expect(await send('logging/setLevel', { level: 'error' }, 'gone')).toEqual({});
    expect(await store.get('gone')).toBeUndefined();
  });

  it('have at most 1,000 subscriptions, with 128 KiB of URIs', async () => {
    const { store, send } = setUp();
    await store.create(
      sessionOf('s', { subscriptions: Array.from({ length: 1_000 }, (_, index) => `memo://${index}`) }),
    );
    await expect(send('resources/subscribe', { uri: 'one more' })).rejects.toThrow(ErrOverloaded);
    expect(await send('resources/subscribe', { uri: 'memo://1' })).toEqual({});
    await store.create(sessionOf('t'));
    await expect(send('resources/subscribe', { uri: 'x'.repeat(200_000) }, 't')).rejects.toThrow(
      ErrOverloaded,
    );
    expect((await store.get('t'))?.subscriptions).toBeUndefined();
  });

  it('have no subscriptions if the registry has no resources', () => {
    expect(Object.keys(createSettingsMethods(() => async () => {}, false))).toEqual(['logging/setLevel']);
  });
});
