import { describe, expect, it } from 'vitest';
import { describeSessionStore, sessionOf } from '../../test/stores/session-store-contract.js';
import { ErrInvalidModel } from '../errors.js';
import { MemorySessionStore } from './session-store.js';

describeSessionStore('MemorySessionStore', () => {
  let now = 1;
  return {
    store: new MemorySessionStore({ max: 20, ttl: 1_000, clock: () => now }),
    ttl: 1_000,
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
