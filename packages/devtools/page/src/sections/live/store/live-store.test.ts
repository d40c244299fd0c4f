import { describe, expect, it } from 'vitest';
import type { LiveCall, LiveStatistics } from '../../../../../src/page-events.js';
import { KEPT_CALLS, LiveStore } from './live-store.js';
import { Ring } from './ring.js';

const toCall = (id: number): LiveCall => ({
  id,
  at: id,
  address: 'shop/list',
  caller: 'anonymous',
  ms: 1,
  outcome: 'ok',
  isError: false,
  tokens: 1,
  steps: [],
});

const statistics = (calls: number): LiveStatistics => ({
  since: 0,
  calls,
  errors: 0,
  perSecond: [],
  p50: [],
  p95: [],
  tools: [],
  failures: [],
  questions: [],
});

function createStore() {
  const frames: (() => void)[] = [];
  const store = new LiveStore((publish) => frames.push(publish));
  return { store, frames };
}

describe('a ring', () => {
  it('returns the newest value first and forgets the oldest ones', () => {
    const ring = new Ring<number>(3);
    for (const value of [1, 2, 3, 4, 5]) ring.push(value);
    expect(ring.newest()).toEqual([5, 4, 3]);
    expect([ring.at(0), ring.at(2), ring.at(3), ring.at(-1)]).toEqual([5, 3, undefined, undefined]);
    expect(ring.newest((value) => value !== 4)).toEqual([5, 3]);
    ring.clear();
    expect(ring.newest()).toEqual([]);
  });
});

describe('the live store', () => {
  it('changes what is shown once a frame, however many events arrive', () => {
    const { store, frames } = createStore();
    for (let id = 0; id < 50; id++) store.accept({ event: 'calls', seen: 20, calls: [toCall(id)] });
    expect(frames).toHaveLength(1);
    expect(store.version.value).toBe(0);
    frames[0]?.();
    expect(store.version.value).toBe(1);
    expect(store.counts.value).toMatchObject({ total: 1_000, seen: 1_000, received: 50, kept: 50 });
  });

  it('keeps a fixed number of calls while the page is hidden and has no frames, and counts all of them', () => {
    const { store, frames } = createStore();
    for (let event = 0; event < 1_000; event++) {
      const calls = Array.from({ length: 20 }, (_, at) => toCall(event * 20 + at));
      store.accept({ event: 'calls', seen: 100, calls });
    }
    expect(frames).toHaveLength(1);
    frames[0]?.();
    expect(store.counts.value).toMatchObject({ seen: 100_000, received: 20_000, kept: KEPT_CALLS });
    expect(store.calls.at(0)?.id).toBe(19_999);
    expect(store.calls.newest()).toHaveLength(KEPT_CALLS);
  });

  it('shows only the latest figures of a frame', () => {
    const { store, frames } = createStore();
    store.accept({ event: 'statistics', statistics: statistics(1) });
    store.accept({ event: 'statistics', statistics: statistics(2) });
    expect(store.statistics.value).toBeUndefined();
    frames[0]?.();
    expect(store.statistics.value?.calls).toBe(2);
  });

  it('counts the calls of the server that it never heard of, and those that were cleared', () => {
    const { store, frames } = createStore();
    const counts = () => {
      frames.splice(0).forEach((publish) => publish());
      return store.counts.value;
    };
    store.accept({ event: 'calls', seen: 2, calls: [toCall(29), toCall(30)] });
    store.accept({ event: 'statistics', statistics: statistics(30) });
    expect(counts()).toEqual({ total: 30, seen: 2, received: 2, kept: 2, away: 28, cleared: 0 });
    store.accept({ event: 'calls', seen: 5, calls: [toCall(35)] });
    expect(counts()).toEqual({ total: 35, seen: 7, received: 3, kept: 3, away: 28, cleared: 0 });
    store.accept({ event: 'statistics', statistics: statistics(33) });
    expect(counts().total).toBe(35);
    store.clear();
    expect(counts()).toEqual({ total: 35, seen: 0, received: 0, kept: 0, away: 0, cleared: 35 });
    store.accept({ event: 'calls', seen: 1, calls: [toCall(40)] });
    store.accept({ event: 'statistics', statistics: statistics(40) });
    expect(counts()).toEqual({ total: 40, seen: 1, received: 1, kept: 1, away: 4, cleared: 35 });
  });

  it('tells listeners every call until they end', () => {
    const { store } = createStore();
    const heard: number[] = [];
    const end = store.listen(({ id }) => heard.push(id));
    store.accept({ event: 'calls', seen: 2, calls: [toCall(1), toCall(2)] });
    end();
    store.accept({ event: 'calls', seen: 1, calls: [toCall(3)] });
    expect(heard).toEqual([1, 2]);
  });
});
