import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRecord, SessionStore } from '../../src/session/session-store.js';

export interface SessionStoreUnderTest {
  readonly store: SessionStore;
  /** Milliseconds after which an unused session ends. */
  readonly ttl: number;
  /** How many sessions are there at least room for. */
  readonly max: number;
  /** Lets so much time pass for the store. */
  readonly advance: (ms: number) => void | Promise<void>;
  readonly end: () => void | Promise<void>;
}

export function sessionOf(id: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    owner: 'nobody',
    protocolVersion: '2025-11-25',
    client: { name: 'client', version: '1' },
    capabilities: {},
    ...fields,
  };
}

/** What every store of sessions must do. `create` gives one that is empty. */
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
    it('has nothing that was not opened', () =>
      using(async ({ store }) => {
        for (const id of ['', 'a', '__proto__', 'constructor']) expect(await store.get(id)).toBeUndefined();
        await store.delete('a');
        await store.update(sessionOf('a'));
        expect(await store.get('a')).toBeUndefined();
      }));

    it('gives what is known of a session, as often as it is asked', () =>
      using(async ({ store }) => {
        const session = sessionOf('a', {
          owner: 'subject 3:ada',
          protocolVersion: '2024-11-05',
          client: { name: 'ä€😀', version: '' },
          capabilities: { elicitation: { form: {} }, experimental: { deep: [{ a: null }] } },
          logLevel: 'warning',
          subscriptions: ['memo://1'],
        });
        await store.create(session);
        for (let count = 0; count < 3; count++) expect(await store.get('a')).toEqual(session);
      }));

    it('replaces what is known, whether the session was used before or not', () =>
      using(async ({ store }) => {
        await store.create(sessionOf('new'));
        await store.update(sessionOf('new', { logLevel: 'error' }));
        expect(await store.get('new')).toMatchObject({ logLevel: 'error' });
        await store.update(sessionOf('new', { subscriptions: ['memo://1'] }));
        expect(await store.get('new')).toEqual(sessionOf('new', { subscriptions: ['memo://1'] }));
      }));

    it('forgets what is deleted, and does not bring it back by an update that came too late', () =>
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

    it('keeps sessions apart', () =>
      using(async ({ store }) => {
        const ids = ['a', 'A', 'a ', 'b', '__proto__', 'constructor', 'a:b', '*'];
        for (const id of ids) await store.create(sessionOf(id, { owner: `owner of ${id}` }));
        await store.update(sessionOf('a', { owner: 'owner of a', logLevel: 'alert' }));
        await store.delete('b');
        for (const id of ids.filter((each) => each !== 'b'))
          expect(await store.get(id)).toMatchObject({ id, owner: `owner of ${id}` });
        expect((await store.get('A'))?.logLevel).toBeUndefined();
      }));

    it('ends a session that was not used for its time, and not before', () =>
      using(async ({ store, ttl, advance }) => {
        await store.create(sessionOf('opened'));
        await store.create(sessionOf('used'));
        await store.get('used');
        await advance(ttl - 5);
        expect(await store.get('opened')).toBeDefined();
        await advance(10);
        expect(await store.get('used')).toBeUndefined();
        expect(await store.get('opened')).toBeDefined();
        await advance(ttl + 5);
        expect(await store.get('opened')).toBeUndefined();
      }));

    it('keeps a session for as long as it is used', () =>
      using(async ({ store, ttl, advance }) => {
        await store.create(sessionOf('a'));
        for (let count = 0; count < 5; count++) {
          await advance(ttl - 5);
          expect(await store.get('a')).toBeDefined();
        }
        await store.update(sessionOf('a', { logLevel: 'info' }));
        await advance(ttl - 5);
        expect(await store.get('a')).toMatchObject({ logLevel: 'info' });
      }));

    it('has room for as many as it says', () =>
      using(async ({ store, max }) => {
        const ids = Array.from({ length: max }, (_, index) => `session ${index}`);
        for (const id of ids) await store.create(sessionOf(id));
        for (const id of ids) expect(await store.get(id)).toBeDefined();
        for (const id of ids) expect(await store.get(id)).toBeDefined();
      }));

    it('ends none that is in use, however many are opened', () =>
      using(async ({ store, max }) => {
        await store.create(sessionOf('mine'));
        await store.get('mine');
        for (let index = 0; index < max * 5; index++) await store.create(sessionOf(`junk ${index}`));
        expect(await store.get('mine')).toBeDefined();
      }));

    it('ends no session of others, however many one owner opens and uses', () =>
      using(async ({ store, max }) => {
        for (const owner of ['ada', 'bob']) {
          await store.create(sessionOf(owner, { owner }));
          await store.get(owner);
        }
        await store.create(sessionOf('just opened', { owner: 'ada' }));
        for (let index = 0; index < max * 5; index++) {
          await store.create(sessionOf(`junk ${index}`, { owner: 'mallory' }));
          if (index % 2 === 0) await store.get(`junk ${index}`);
        }
        for (const id of ['ada', 'bob', 'just opened']) expect(await store.get(id)).toBeDefined();
        // Whoever has many can use the last of them.
        const last = max * 5 - 2;
        expect(await store.get(`junk ${last}`)).toBeDefined();
      }));

    it('does what a list of sessions with ends would do', async () => {
      const id = fc.constantFrom('a', 'b', '__proto__');
      // No shares that add up to the very end, of which a store may think as it likes.
      const step = fc.oneof(
        fc.record({ do: fc.constantFrom('create', 'get', 'delete', 'update'), id, owner: fc.string() }),
        fc.record({ do: fc.constant('advance'), share: fc.constantFrom(0.21, 0.53, 0.93, 1.13) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step as fc.Arbitrary<Step>, { maxLength: 30, size: 'max' }), (steps) =>
          using(async ({ store, ttl, advance }) => {
            let now = 0;
            const known = new Map<string, { session: SessionRecord; until: number }>();
            const alive = (key: string) => {
              const found = known.get(key);
              return found && found.until > now ? found.session : undefined;
            };
            for (const each of steps) {
              if (each.do === 'advance') {
                const ms = Math.round(ttl * each.share);
                now += ms;
                await advance(ms);
                continue;
              }
              const session = sessionOf(each.id, { owner: each.owner });
              const found = alive(each.id);
              if (each.do === 'create' && !found) {
                await store.create(session);
                known.set(each.id, { session, until: now + ttl });
              } else if (each.do === 'delete') {
                await store.delete(each.id);
                known.delete(each.id);
              } else if (each.do === 'update') {
                await store.update(session);
                if (found) known.set(each.id, { session, until: now + ttl });
              } else {
                expect(await store.get(each.id)).toEqual(found);
                if (found) known.set(each.id, { session: found, until: now + ttl });
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
