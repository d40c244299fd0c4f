import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Upkeep } from './upkeep.js';

describe('Upkeep', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sets no timer before it is started, because workers allow none outside a request', () => {
    const upkeep = new Upkeep(() => {}, 100);
    expect(vi.getTimerCount()).toBe(0);
    upkeep.start();
    expect(vi.getTimerCount()).toBe(1);
    upkeep.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs at every interval', () => {
    const run = vi.fn<() => void>();
    const upkeep = new Upkeep(run, 100);
    upkeep.start();
    vi.advanceTimersByTime(350);
    expect(run).toHaveBeenCalledTimes(3);
  });

  it('runs on time although it is started again more often than that', () => {
    const run = vi.fn<() => void>();
    const upkeep = new Upkeep(run, 100);
    for (let step = 0; step < 50; step++) {
      upkeep.start();
      vi.advanceTimersByTime(10);
    }
    expect(run.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('makes up for a run when the runtime has dropped its timer', () => {
    const run = vi.fn<() => void>();
    const upkeep = new Upkeep(run, 100);
    upkeep.start();
    vi.clearAllTimers();
    vi.advanceTimersByTime(250);
    expect(run).not.toHaveBeenCalled();
    upkeep.start();
    expect(run).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('does not start again after its end', () => {
    const run = vi.fn<() => void>();
    const upkeep = new Upkeep(run, 100);
    upkeep.close();
    upkeep.start();
    expect(vi.getTimerCount()).toBe(0);
  });
});
