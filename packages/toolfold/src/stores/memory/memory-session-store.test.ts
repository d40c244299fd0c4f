import { describe, expect, it } from 'vitest';
import { describeSessionStore, sessionOf } from '../../../../../test/stores/session-store-contract.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { MemorySessionStore } from './memory-session-store.js';

describeSessionStore('MemorySessionStore', () => {
  let now = 1;
  const store = new MemorySessionStore({ max: 20, ttlMs: 1_000, clock: () => now });
  return {
    store,
    elsewhere: store,
    ttlMs: 1_000,
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
      ttlMs: 1_000,
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

  it('calls onEnd once for each deleted session', () => {
    const { store, ended, open, use } = setUp();
    open('a', 'b');
    use('b');
    store.delete('a');
    store.delete('b');
    store.delete('b');
    store.delete('never');
    expect(ended).toEqual(['a', 'b']);
  });

  it('does not call onEnd when a session is first used or changed', () => {
    const { store, ended, open, use } = setUp();
    open('a');
    use('a', 'a');
    store.update(sessionOf('a', { logLevel: 'info' }));
    use('a');
    expect(ended).toEqual([]);
  });

  it('evicts the least recently used session among those with similar use', () => {
    const { store, ended, open, use } = setUp(3);
    open('a', 'b', 'c');
    use('a', 'b', 'c', 'a');
    open('d');
    expect(ended).toEqual(['b']);
    expect(store.get('b')).toBeUndefined();
    for (const id of ['a', 'c', 'd']) expect(store.get(id)).toBeDefined();
  });

  it('evicts unused and hardly used sessions before those in regular use', () => {
    const { ended, open, use } = setUp(4);
    open('used', 'tried', 'opened', 'later');
    use('used', 'used', 'used', 'tried', 'later');
    open('one', 'two', 'three');
    expect(ended).toEqual(['opened', 'one', 'two']);
    use('three');
    open('four');
    expect(ended).toEqual(['opened', 'one', 'two', 'tried']);
  });

  it('evicts sessions of the caller with most sessions when the store is full', () => {
    const { store, ended } = setUp(60);
    const openAndUse = (caller: string, count: number): void => {
      for (let index = 0; index < count; index++) {
        store.create(sessionOf(`${caller} ${index}`, { caller }));
        store.get(`${caller} ${index}`);
      }
    };
    openAndUse('ada', 1);
    for (const caller of ['b', 'c', 'd', 'e']) openAndUse(caller, 14);
    openAndUse('f', 3);
    expect(ended).toEqual([]);
    openAndUse('g', 8);
    expect(ended).toHaveLength(8);
    for (const id of ended) expect(id).toMatch(/^[bcde] [01]$/);
    expect(store.size).toBe(60);
  });

  it('evicts the oldest of many unused sessions, and calls onEnd once for each', () => {
    const { store, ended, open } = setUp(3);
    open('a', 'b', 'c', 'd', 'e');
    expect(ended).toEqual(['a', 'b']);
    expect(store.size).toBe(3);
  });

  it('calls onEnd for an expired session when it is requested', () => {
    const { store, ended, open, use, advance } = setUp();
    open('opened', 'used');
    use('used');
    advance(1_001);
    expect([store.get('opened'), store.get('used')]).toEqual([undefined, undefined]);
    expect(ended).toEqual(['opened', 'used']);
    expect(store.size).toBe(0);
  });

  it('sweeps expired sessions, calls onEnd once for each, and keeps the rest', () => {
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
    expect(ended.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(store.size).toBe(0);
  });

  it('calls onEnd exactly once for each session, however it ends', () => {
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

  it('never holds more sessions than max', () => {
    const { store, open, use } = setUp(10);
    for (let index = 0; index < 100; index++) {
      open(`used ${index}`);
      use(`used ${index}`);
      open(`opened ${index}`);
    }
    expect(store.size).toBe(10);
  });

  it('evicts no session of another caller, nor one in regular use, when 10,050 sessions are opened and used once', () => {
    const store = new MemorySessionStore();
    const [mallory, ada] = ['address mallory', 'address ada'];
    const open = (id: string, caller: string, uses: number): void => {
      store.create(sessionOf(id, { caller }));
      for (let count = 0; count < uses; count++) store.get(id);
    };
    open('just opened', ada, 0);
    open('in use', ada, 3);
    // This session shares its address with the flood and is in regular use.
    open('neighbour', mallory, 3);
    for (let index = 0; index < 10_050; index++) open(`flood ${index}`, mallory, 1);
    expect(store.size).toBe(2 + 2_500);
    for (const id of ['in use', 'neighbour']) expect(store.get(id)).toBeDefined();
    // The flood comes from as many addresses.
    for (let index = 0; index < 20_100; index++) open(`spread ${index}`, `address ${index}`, 1);
    expect(store.size).toBe(10_000);
    for (const id of ['in use', 'neighbour']) expect(store.get(id)).toBeDefined();
  });

  describe('with many sessions of one caller', () => {
    it('evicts the least recently used of them', () => {
      const { store, ended } = setUp(40);
      const ids = Array.from({ length: 10 }, (_, index) => `session ${index}`);
      const openAndUse = (id: string): void => {
        store.create(sessionOf(id, { caller: 'mallory' }));
        store.get(id);
      };
      for (const id of ids) openAndUse(id);
      expect(ended).toEqual([]);
      store.get('session 0');
      store.update(sessionOf('session 1', { caller: 'mallory', logLevel: 'info' }));
      openAndUse('one more');
      openAndUse('another');
      expect(ended).toEqual(['session 2', 'session 3']);
    });

    it.each([
      [1, 1],
      [5, 5],
      [20, 10],
      [100, 25],
      [1_000, 250],
    ])('and room for %i keeps at most %i of them', (max, share) => {
      const { store, ended } = setUp(max);
      for (let index = 0; index < max * 2; index++)
        store.create(sessionOf(`session ${index}`, { caller: 'ada' }));
      expect(store.size).toBe(share);
      for (let index = 0; index < max * 2; index++) store.get(`session ${index}`);
      for (let index = 0; index < max * 2; index++)
        store.create(sessionOf(`later ${index}`, { caller: 'ada' }));
      expect(store.size).toBe(share);
      expect(ended).toHaveLength(max * 4 - share);
      expect(new Set(ended).size).toBe(ended.length);
    });
  });

  it('limits one caller to the configured share', () => {
    const store = new MemorySessionStore({ max: 100, callerShare: 0.5 });
    for (let index = 0; index < 80; index++) store.create(sessionOf(`session ${index}`, { caller: 'ada' }));
    expect(store.size).toBe(50);
  });

  it.each([
    { callerShare: 0 },
    { callerShare: 1.1 },
    { callerShare: NaN },
    { max: 0 },
    { max: -1 },
    { max: 1.5 },
    { max: Infinity },
    { ttlMs: 0 },
    { ttlMs: -1 },
    { ttlMs: NaN },
    { ttlMs: Infinity },
  ])('rejects the unbounded limit %j', (options) => {
    expect(() => new MemorySessionStore(options)).toThrow(ErrInvalidOptions);
  });
});
