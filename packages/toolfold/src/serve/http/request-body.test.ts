import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArrivingBodies } from './request-body.js';
import type { ArrivingBody } from './request-body.js';
import { Capacity } from './capacity.js';

const KIB = 1024;

const bytes = (length: number): Uint8Array => new Uint8Array(length);

function setUp({ maxBodyBytes = 1024 * KIB, bodyTimeoutMs = 10_000 } = {}) {
  const capacity = new Capacity({ maxRequests: 10, maxStreams: 10, maxBodyBytes });
  const bodies = new ArrivingBodies(capacity, { maxBodyBytes, bodyTimeoutMs });
  const cut: [name: string, status: number][] = [];
  const begin = (name: string, declared = 0): ArrivingBody => {
    let status: number | undefined;
    const body = bodies.begin(declared, undefined, (read) => {
      status = read?.rejected?.status;
      if (status !== undefined) cut.push([name, status]);
    });
    if (!body) throw new Error(String(status));
    return body;
  };
  return { capacity, bodies, begin, cut };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a body that is arriving', () => {
  it('counts until it ends, and only once', () => {
    const { capacity, begin } = setUp();
    const body = begin('a');
    body.add(bytes(100));
    expect(body.size).toBe(100);
    expect(capacity.counts.bodyBytes).toBe(16 * KIB + 100);
    expect(capacity.counts.requests).toBe(0);
    body.end();
    body.end();
    expect(capacity.counts.bodyBytes).toBe(0);
  });

  it('is rejected if its announced or actual size exceeds the limit', () => {
    const { capacity, bodies, begin, cut } = setUp({ maxBodyBytes: 1_000 });
    expect(() => begin('announced', 1_001)).toThrow('413');
    expect(cut.splice(0)).toEqual([['announced', 413]]);
    const body = begin('a', 10);
    body.add(bytes(1_000));
    expect(cut).toEqual([]);
    body.add(bytes(1));
    expect(cut).toEqual([['a', 413]]);
    body.add(bytes(1));
    expect(body.data).toHaveLength(0);
    expect(capacity.counts.bodyBytes).toBe(0);
    expect(bodies.limits.maxBodyBytes).toBe(1_000);
  });

  it('is cut off at its deadline, at any speed', () => {
    const { capacity, begin, cut } = setUp({ bodyTimeoutMs: 2_000 });
    const body = begin('a');
    for (let ms = 0; ms < 2_000; ms += 100) {
      body.add(bytes(10 * KIB));
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(500);
    expect(cut).toEqual([['a', 408]]);
    expect(capacity.counts.bodyBytes).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is cut off before its deadline if it stalls, and kept while it progresses', () => {
    const { begin, cut } = setUp({ bodyTimeoutMs: 60_000 });
    begin('stalled').add(bytes(500 * KIB));
    const steady = begin('steady');
    for (let second = 0; second < 20; second++) {
      steady.add(bytes(2 * KIB));
      vi.advanceTimersByTime(1_000);
    }
    expect(cut).toEqual([['stalled', 408]]);
  });

  it('is evicted if there is no room, the one that stalled longest first', () => {
    const { capacity, begin, cut } = setUp();
    const first = begin('first');
    const second = begin('second');
    first.add(bytes(1_000 * KIB));
    second.add(bytes(1_000 * KIB));
    first.add(bytes(1));
    const others = Array.from({ length: 62 }, (_, index) => begin(`other ${index}`));
    for (const other of others) other.add(bytes(1_000 * KIB));
    expect(cut).toEqual([]);
    begin('late').add(bytes(1_000 * KIB));
    expect(cut).toEqual([['second', 503]]);
    expect(capacity.counts.bodyBytes).toBeLessThanOrEqual(64 * 1024 * KIB);
  });

  it('does not end because of its own first chunk while another body stalls', () => {
    const { begin, cut } = setUp();
    const oldest = begin('oldest');
    const others = Array.from({ length: 63 }, (_, index) => begin(`other ${index}`));
    for (const other of others) other.add(bytes(1_000 * KIB));
    oldest.add(bytes(1_000 * KIB));
    expect(oldest.isOver).toBe(false);
    expect(cut.map(([name]) => name)).not.toContain('oldest');
  });
});
