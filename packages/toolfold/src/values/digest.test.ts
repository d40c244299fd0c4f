import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digest, RecentDigests } from './digest.js';

describe('digests of recent texts', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('equal the plain digests on every call', () => {
    const digests = new RecentDigests({ max: 3, period: 1_000 });
    for (let round = 0; round < 200; round++) {
      const text = `token ${(round * round) % 7}`;
      expect(digests.of(text)).toBe(digest(text));
      if (round % 5 === 0) vi.advanceTimersByTime(300);
    }
  });

  it('are dropped after two unused periods, even without other calls', () => {
    const digests = new RecentDigests({ period: 1_000 });
    for (let index = 0; index < 100; index++) digests.of(`token ${index}`);
    expect(digests.size).toBe(100);
    vi.advanceTimersByTime(999);
    digests.of('late');
    vi.advanceTimersByTime(1_001);
    expect(digests.size).toBeLessThanOrEqual(1);
    vi.advanceTimersByTime(1_000);
    expect(digests.size).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are kept while they are used', () => {
    const digests = new RecentDigests({ period: 1_000 });
    digests.of('rare');
    for (let round = 0; round < 10; round++) {
      digests.of('often');
      vi.advanceTimersByTime(500);
    }
    expect(digests.size).toBe(1);
  });

  it('are at most twice the configured number', () => {
    const digests = new RecentDigests({ max: 10, period: 1_000 });
    for (let index = 0; index < 1_000; index++) {
      digests.of(`token ${index}`);
      expect(digests.size).toBeLessThanOrEqual(20);
    }
    expect(vi.getTimerCount()).toBe(1);
  });

  it('are dropped even if timers never fire', () => {
    const digests = new RecentDigests({ period: 1_000 });
    vi.stubGlobal('setTimeout', () => 0);
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      digests.of(text);
      vi.advanceTimersByTime(1_001);
    }
    expect(digests.size).toBe(2);
  });
});
