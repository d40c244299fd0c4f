import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRecord, SessionStore } from 'toolfold/web';

export interface SessionStoreUnderTest {
  readonly store: SessionStore;
  /** The store of another process with the same sessions. */
  readonly elsewhere: SessionStore;
  /** Milliseconds after which an unused session expires. */
  readonly ttlMs: number;
  /** A margin in milliseconds, longer than a test takes on a real clock. */
  readonly slack: number;
  /** The number of sessions that the store has room for. */
  readonly max: number;
  /** Advances the clock of the store. */
  readonly advance: (ms: number) => void | Promise<void>;
  readonly end: () => void | Promise<void>;
}

export function sessionOf(id: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    owner: 'nobody',
    caller: 'nobody',
    protocolVersion: '2025-11-25',
    client: { name: 'client', version: '1' },
    capabilities: {},
    ...fields,
  };
}

/** Enables a toolset with a change that takes `ms` to compute. */
const enable = (at: SessionStore, toolset: string, ms: number) =>
  at.change?.('a', async ({ toolsets = [] }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { toolsets: [...toolsets, toolset] };
  });

/** The contract of a session store. `create` returns an empty one. */
export function describeSessionStore(
  name: string,
  create: () => SessionStoreUnderTest | Promise<SessionStoreUnderTest>,
): void {
  const using = async (test: (under: SessionStoreUnderTest) => Promise<void>): Promise<void> => {
    const under = await create();
    try {
      await test(under);
    } finally {
      await under.end();
    }
  };

  describe(`${name} as a store of sessions`, () => {
    it('returns undefined for a session that was not created', () =>
      using(async ({ store }) => {
        for (const id of ['', 'a', '__proto__', 'constructor']) expect(await store.get(id)).toBeUndefined();
        await store.delete('a');
        await store.update(sessionOf('a'));
        expect(await store.get('a')).toBeUndefined();
      }));

    it('returns a stored session any number of times', () =>
      using(async ({ store }) => {
        const session = sessionOf('a', {
          owner: 'subject 3:ada',
          caller: 'address 1',
          clientId: 'desk',
          context: 'hash',
          protocolVersion: '2024-11-05',
          client: { name: 'ä€😀', version: '' },
          capabilities: { elicitation: { form: {} }, experimental: { deep: [{ a: null }] } },
          logLevel: 'warning',
          toolsets: ['users', 'billing'],
          subscriptions: ['memo://1'],
        });
        await store.create(session);
        for (let count = 0; count < 3; count++) expect(await store.get('a')).toEqual(session);
      }));

    it('replaces a session, whether it was used before or not', () =>
      using(async ({ store }) => {
        await store.create(sessionOf('new'));
        await store.update(sessionOf('new', { logLevel: 'error' }));
        expect(await store.get('new')).toMatchObject({ logLevel: 'error' });
        await store.update(sessionOf('new', { subscriptions: ['memo://1'] }));
        expect(await store.get('new')).toEqual(sessionOf('new', { subscriptions: ['memo://1'] }));
      }));

    it('deletes a session, and does not restore it on a late update', () =>
      using(async ({ store }) => {
        await store.create(sessionOf('unused'));
        await store.create(sessionOf('used'));
        const used = await store.get('used');
        await store.delete('unused');
        await store.delete('used');
        await store.update({ ...sessionOf('used'), ...used, logLevel: 'debug' });
        expect(await store.get('unused')).toBeUndefined();
        expect(await store.get('used')).toBeUndefined();
      }));

    it('is shared by every process', () =>
      using(async ({ store, elsewhere }) => {
        await store.create(sessionOf('a', { owner: 'ada' }));
        expect(await elsewhere.get('a')).toEqual(sessionOf('a', { owner: 'ada' }));
        await elsewhere.update(sessionOf('a', { owner: 'ada', logLevel: 'error' }));
        expect(await store.get('a')).toMatchObject({ logLevel: 'error' });
        await elsewhere.delete('a');
        expect(await store.get('a')).toBeUndefined();
      }));

    it('derives a change from the stored session, and returns the changed session', () =>
      using(async ({ store }) => {
        await store.create(sessionOf('a', { subscriptions: ['memo://1'] }));
        const changed = await store.change?.('a', ({ subscriptions = [] }) => ({
          subscriptions: [...subscriptions, 'memo://2'],
        }));
        expect(changed).toEqual(sessionOf('a', { subscriptions: ['memo://1', 'memo://2'] }));
        expect(await store.get('a')).toEqual(changed);
        expect(await store.change?.('none', () => ({ logLevel: 'info' }))).toBeUndefined();
        expect(await store.get('none')).toBeUndefined();
      }));

    it('keeps a session unchanged if its change throws', () =>
      using(async ({ store }) => {
        await store.create(sessionOf('a'));
        const fail = async (): Promise<unknown> =>
          store.change?.('a', () => {
            throw new Error('too many');
          });
        await expect(fail()).rejects.toThrow('too many');
        expect(await store.get('a')).toEqual(sessionOf('a'));
      }));

    it('loses no concurrent change, from any number of processes', () =>
      using(async ({ store, elsewhere }) => {
        await store.create(sessionOf('a'));
        const uris = Array.from({ length: 40 }, (_, index) => `memo://${index}`);
        await Promise.all(
          uris.map((uri, index) =>
            (index % 2 === 0 ? store : elsewhere).change?.('a', ({ subscriptions = [] }) => ({
              subscriptions: [...subscriptions, uri],
            })),
          ),
        );
        expect((await store.get('a'))?.subscriptions?.toSorted()).toEqual(uris.toSorted());
      }));

    it('loses neither a slow asynchronous change nor one that is made meanwhile', () =>
      using(async ({ store, elsewhere }) => {
        await store.create(sessionOf('a'));
        const slow = enable(store, 'users', 40);
        await Promise.all([
          slow,
          enable(elsewhere, 'billing', 5),
          elsewhere.change?.('a', () => ({ logLevel: 'error' })),
        ]);
        const { toolsets, logLevel } = (await store.get('a')) ?? {};
        expect(toolsets?.toSorted()).toEqual(['billing', 'users']);
        expect(logLevel).toBe('error');
      }));

    it('does not restore a session that was deleted during its change', () =>
      using(async ({ store, elsewhere }) => {
        await store.create(sessionOf('a'));
        const changed = store.change?.('a', async () => {
          await elsewhere.delete('a');
          return { logLevel: 'info' };
        });
        expect(await changed).toBeUndefined();
        expect(await store.get('a')).toBeUndefined();
      }));

    it('extends the ttl of a session on each change', () =>
      using(async ({ store, ttlMs, slack, advance }) => {
        await store.create(sessionOf('a'));
        for (let count = 0; count < 3; count++) {
          await advance(ttlMs - slack);
          expect(await store.change?.('a', () => ({ logLevel: 'info' }))).toBeDefined();
        }
        await store.delete('a');
        expect(await store.change?.('a', () => ({ logLevel: 'info' }))).toBeUndefined();
      }));

    it('separates sessions', () =>
      using(async ({ store }) => {
        const ids = ['a', 'A', 'a ', 'b', '__proto__', 'constructor', 'a:b', '*'];
        for (const id of ids) await store.create(sessionOf(id, { owner: `owner of ${id}` }));
        await store.update(sessionOf('a', { owner: 'owner of a', logLevel: 'alert' }));
        await store.delete('b');
        for (const id of ids.filter((each) => each !== 'b'))
          expect(await store.get(id)).toMatchObject({ id, owner: `owner of ${id}` });
        expect((await store.get('A'))?.logLevel).toBeUndefined();
      }));

    it('expires a session that was not used for its ttl, and not before', () =>
      using(async ({ store, ttlMs, slack, advance }) => {
        await store.create(sessionOf('opened'));
        await store.create(sessionOf('used'));
        await store.get('used');
        await advance(ttlMs - slack);
        expect(await store.get('opened')).toBeDefined();
        await advance(2 * slack);
        expect(await store.get('used')).toBeUndefined();
        expect(await store.get('opened')).toBeDefined();
        await advance(ttlMs + slack);
        expect(await store.get('opened')).toBeUndefined();
      }));

    it('keeps a session while it is used', () =>
      using(async ({ store, ttlMs, slack, advance }) => {
        await store.create(sessionOf('a'));
        for (let count = 0; count < 5; count++) {
          await advance(ttlMs - slack);
          expect(await store.get('a')).toBeDefined();
        }
        await store.update(sessionOf('a', { logLevel: 'info' }));
        await advance(ttlMs - slack);
        expect(await store.get('a')).toMatchObject({ logLevel: 'info' });
      }));

    it('has room for the configured number of sessions', () =>
      using(async ({ store, max }) => {
        const ids = Array.from({ length: max }, (_, index) => `session ${index}`);
        for (const id of ids) await store.create(sessionOf(id));
        for (const id of ids) expect(await store.get(id)).toBeDefined();
        for (const id of ids) expect(await store.get(id)).toBeDefined();
      }));

    it('evicts no session in use, for any number of new ones', () =>
      using(async ({ store, max }) => {
        await store.create(sessionOf('mine'));
        await store.get('mine');
        for (let index = 0; index < max * 5; index++) await store.create(sessionOf(`junk ${index}`));
        expect(await store.get('mine')).toBeDefined();
      }));

    it.each(['mallory', 'address mallory'])(
      'evicts no session of other callers, for any number of sessions of one caller: %s',
      (mallory) =>
        using(async ({ store, max }) => {
          for (const caller of ['ada', 'address bob']) {
            await store.create(sessionOf(caller, { caller }));
            await store.get(caller);
          }
          await store.create(sessionOf('just opened', { caller: 'ada' }));
          for (let index = 0; index < max * 5; index++) {
            await store.create(sessionOf(`junk ${index}`, { caller: mallory }));
            if (index % 2 === 0) await store.get(`junk ${index}`);
          }
          for (const id of ['ada', 'address bob', 'just opened']) expect(await store.get(id)).toBeDefined();
          // A caller with many sessions can use the last of them.
          const last = max * 5 - 2;
          expect(await store.get(`junk ${last}`)).toBeDefined();
        }),
    );

    it('evicts no session in use, for any number of anonymous callers that use one once', () =>
      using(async ({ store, max }) => {
        const mine = sessionOf('mine', { caller: 'address mine' });
        await store.create(mine);
        for (let index = 0; index < max * 5; index++) {
          // Longer than the interval in which a store may count several uses as one.
          if (index % 2 === 0) await sleep(6);
          if (index % 4 === 0) expect(await store.get('mine')).toEqual(mine);
          await store.create(sessionOf(`junk ${index}`, { caller: `address ${index}` }));
          await store.get(`junk ${index}`);
        }
        await sleep(20);
        expect(await store.get('mine')).toBeDefined();
        expect(await store.get('junk 1')).toBeUndefined();
      }));

    it('frees the room of a deleted session', () =>
      using(async ({ store, max }) => {
        const mine = sessionOf('mine', { caller: 'address mine' });
        await store.create(mine);
        await store.get('mine');
        for (let index = 0; index < max * 3; index++) {
          await store.create(sessionOf(`junk ${index}`, { caller: `address ${index}` }));
          await store.get(`junk ${index}`);
          await sleep(2);
          await store.delete(`junk ${index}`);
        }
        expect(await store.get('mine')).toBeDefined();
      }));

    it('behaves like a list of sessions with expiry times', async () => {
      const id = fc.constantFrom('a', 'b', '__proto__');
      // No steps that add up exactly to the ttl, where the expiry is not specified.
      const step = fc.oneof(
        fc.record({ do: fc.constantFrom('create', 'get', 'delete', 'update'), id, owner: fc.string() }),
        fc.record({ do: fc.constant('advance'), share: fc.constantFrom(0.21, 0.53, 0.93, 1.13) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step as fc.Arbitrary<Step>, { maxLength: 30, size: 'max' }), (steps) =>
          using(async ({ store, ttlMs, advance }) => {
            let now = 0;
            const known = new Map<string, { session: SessionRecord; until: number }>();
            const alive = (key: string) => {
              const found = known.get(key);
              return found && found.until > now ? found.session : undefined;
            };
            for (const each of steps) {
              if (each.do === 'advance') {
                const ms = Math.round(ttlMs * each.share);
                now += ms;
                await advance(ms);
                continue;
              }
              const session = sessionOf(each.id, { owner: each.owner });
              const found = alive(each.id);
              if (each.do === 'create' && !found) {
                await store.create(session);
                known.set(each.id, { session, until: now + ttlMs });
              } else if (each.do === 'delete') {
                await store.delete(each.id);
                known.delete(each.id);
              } else if (each.do === 'update') {
                await store.update(session);
                if (found) known.set(each.id, { session, until: now + ttlMs });
              } else {
                expect(await store.get(each.id)).toEqual(found);
                if (found) known.set(each.id, { session: found, until: now + ttlMs });
              }
            }
          }),
        ),
        { numRuns: 200 },
      );
    });
  });
}

type Step =
  | { readonly do: 'advance'; readonly share: number }
  | { readonly do: 'create' | 'get' | 'delete' | 'update'; readonly id: string; readonly owner: string };
