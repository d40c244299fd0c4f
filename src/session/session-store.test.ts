import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeSessionStore, sessionOf } from '../../test/stores/session-store-contract.js';
import { ErrInvalidModel } from '../errors.js';
import { MemorySessionStore } from './session-store.js';

describeSessionStore('MemorySessionStore', () => {
  let now = 1;
  const store = new MemorySessionStore({ max: 20, ttl: 1_000, clock: () => now });
  return {
    store,
    elsewhere: store,
    ttl: 1_000,
    slack: 5,
    max: 20,
    advance: (ms) => {
      now += ms;
    },
    end: () => {},
  };
});

describe('MemorySessionStore', () => {
  function setUp(max = 3) {
    let now = 1;
    const ended: string[] = [];
    const store = new MemorySessionStore({
      max,
      ttl: 1_000,
      onEnd: (id) => ended.push(id),
      clock: () => now,
    });
    const open = (...ids: string[]): void => {
      for (const id of ids) store.create(sessionOf(id));
    };
    const use = (...ids: string[]): void => {
      for (const id of ids) store.get(id);
    };
    const advance = (ms: number): void => {
      now += ms;
    };
    return { store, ended, open, use, advance };
  }

  it('tells once of each session that is deleted, used or not', () => {
    const { store, ended, open, use } = setUp();
    open('a', 'b');
    use('b');
    store.delete('a');
    store.delete('b');
    store.delete('b');
    store.delete('never');
    expect(ended).toEqual(['a', 'b']);
  });

  it('tells nothing when a session is used for the first time, or changed', () => {
    const { store, ended, open, use } = setUp();
    open('a');
    use('a', 'a');
    store.update(sessionOf('a', { logLevel: 'info' }));
    use('a');
    expect(ended).toEqual([]);
  });

  it('ends what was not used for longest first, and tells once of each', () => {
    const { store, ended, open, use } = setUp(3);
    open('a', 'b', 'c');
    use('a', 'b', 'c', 'a');
    open('d');
    expect(ended).toEqual([]);
    use('d');
    expect(ended).toEqual(['b']);
    expect(store.get('b')).toBeUndefined();
    for (const id of ['a', 'c', 'd']) expect(store.get(id)).toBeDefined();
  });

  it('ends what was opened first where many are opened and never used, and tells once of each', () => {
    const { store, ended, open } = setUp(3);
    open('a', 'b', 'c', 'd', 'e');
    expect(ended).toEqual(['a', 'b']);
    expect(store.size).toBe(3);
  });

  it('tells of a session that expired when it is next looked for', () => {
    const { store, ended, open, use, advance } = setUp();
    open('opened', 'used');
    use('used');
    advance(1_001);
    expect([store.get('opened'), store.get('used')]).toEqual([undefined, undefined]);
    expect(ended).toEqual(['opened', 'used']);
    expect(store.size).toBe(0);
  });

  it('ends sessions whose time is over when it is swept, tells once of each, and leaves the rest', () => {
    const { store, ended, open, use, advance } = setUp(10);
    open('a', 'b', 'c');
    use('b', 'c');
    advance(600);
    use('c');
    open('d');
    store.sweep();
    expect(ended).toEqual([]);
    advance(600);
    store.sweep();
    store.sweep();
    expect(ended).toEqual(['a', 'b']);
    use('a', 'b');
    expect(ended).toEqual(['a', 'b']);
    expect([store.get('c'), store.get('d')]).toEqual([sessionOf('c'), sessionOf('d')]);
    advance(1_001);
    store.sweep();
    expect(ended).toEqual(['a', 'b', 'c', 'd']);
    expect(store.size).toBe(0);
  });

  it('tells once of each session in whatever way it ends', () => {
    const { store, ended, open, use, advance } = setUp(5);
    const ids = Array.from({ length: 100 }, (_, index) => `session ${index}`);
    for (const [index, id] of ids.entries()) {
      open(id);
      if (index % 2 === 0) use(id);
      if (index % 3 === 0) store.update(sessionOf(id, { logLevel: 'info' }));
      if (index % 7 === 0) store.delete(id);
      if (index % 20 === 0) advance(1_001);
      use(ids[index - 3] ?? id);
    }
    store.clear();
    expect(ended.toSorted()).toEqual(ids.toSorted());
    expect(store.size).toBe(0);
  });

  it('holds no more than there is room for, twice: once for the opened and once for the used', () => {
    const { store, open, use } = setUp(10);
    for (let index = 0; index < 100; index++) {
      open(`used ${index}`);
      use(`used ${index}`);
      open(`opened ${index}`);
    }
    expect(store.size).toBe(20);
  });

  describe('with many sessions of one owner', () => {
    it('ends the one of them that was not used for longest', () => {
      const { store, ended } = setUp(100);
      const ids = Array.from({ length: 10 }, (_, index) => `session ${index}`);
      const openAndUse = (id: string): void => {
        store.create(sessionOf(id, { owner: 'mallory' }));
        store.get(id);
      };
      for (const id of ids) openAndUse(id);
      expect(ended).toEqual([]);
      store.get('session 0');
      store.update(sessionOf('session 1', { owner: 'mallory', logLevel: 'info' }));
      openAndUse('one more');
      openAndUse('another');
      expect(ended).toEqual(['session 2', 'session 3']);
    });

    it('ends none of others where there is no room left', () => {
      const { store, ended } = setUp(100);
      for (let index = 0; index < 100; index++) {
        const owner = index < 90 ? `owner ${index}` : 'mallory';
        store.create(sessionOf(`session ${index}`, { owner }));
        store.get(`session ${index}`);
      }
      store.create(sessionOf('one more', { owner: 'mallory' }));
      store.get('one more');
      expect(ended).toEqual(['session 90']);
    });

    it.each([
      [1, 1],
      [5, 5],
      [20, 10],
      [100, 10],
      [1_000, 100],
    ])('has, of room for %i, room for %i of them, opened and used each', (max, share) => {
      const { store, ended } = setUp(max);
      for (let index = 0; index < max * 2; index++)
        store.create(sessionOf(`session ${index}`, { owner: 'ada' }));
      expect(store.size).toBe(share);
      for (let index = 0; index < max * 2; index++) store.get(`session ${index}`);
      for (let index = 0; index < max * 2; index++)
        store.create(sessionOf(`later ${index}`, { owner: 'ada' }));
      expect(store.size).toBe(share * 2);
      expect(new Set(ended).size).toBe(max * 4 - share * 2);
      expect(ended).toHaveLength(max * 4 - share * 2);
    });

    it('does what lists in the order of use would do', () => {
      const owners = ['ada', 'bob', 'mallory', 'nobody'];
      const ids = Array.from({ length: 48 }, (_, index) => index);
      const step = fc.record({
        do: fc.constantFrom('use', 'use', 'use', 'delete', 'update', 'advance', 'sweep'),
        which: fc.constantFrom(...ids),
      });
      const [max, share, ttl] = [24, 10, 1_000];
      fc.assert(
        fc.property(fc.array(step, { minLength: 30, maxLength: 200 }), (steps) => {
          const { store, ended, advance } = setUp(max);
          let now = 0;
          let opened = 0;
          /** In the order of use. */
          let model: { id: string; owner: string; until: number }[] = [];
          for (const { do: what, which } of steps) {
            const owner = owners[which % owners.length]!;
            const id = String(which);
            const alive = model.filter(({ until }) => until >= now);
            const found = alive.find((each) => each.id === id);
            if (what === 'advance') {
              now += which * 5;
              advance(which * 5);
            } else if (what === 'sweep') {
              store.sweep();
              model = alive;
              expect(store.size).toBe(model.length);
            } else if (what === 'delete') {
              store.delete(id);
              model = model.filter((each) => each.id !== id);
            } else if (what === 'update' || found) {
              if (what === 'update') store.update(sessionOf(id, { owner }));
              else expect(store.get(id)).toEqual(sessionOf(id, { owner }));
              if (found) {
                found.until = now + ttl;
                model = [...model.filter((each) => each !== found), found];
              }
            } else {
              expect(store.get(id)).toBeUndefined();
              model = model.filter((each) => each.id !== id);
              opened++;
              store.create(sessionOf(id, { owner }));
              expect(store.get(id)).toBeDefined();
              const own = model.filter((each) => each.owner === owner);
              const isOverShare = owner !== 'nobody' && own.length === share;
              if (isOverShare) model.splice(model.indexOf(own[0]!), 1);
              else if (model.length === max) model.shift();
              model.push({ id, owner, until: now + ttl });
            }
            expect(store.size).toBe(model.length);
            expect(ended.length).toBe(opened - model.length);
          }
        }),
        { numRuns: 200 },
      );
    });
  });

  it.each([
    { max: 0 },
    { max: -1 },
    { max: 1.5 },
    { max: Infinity },
    { ttl: 0 },
    { ttl: -1 },
    { ttl: NaN },
    { ttl: Infinity },
  ])('refuses %j, which would have no bound', (options) => {
    expect(() => new MemorySessionStore(options)).toThrow(ErrInvalidModel);
  });
});
