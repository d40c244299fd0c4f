import { afterEach, describe, expect, it, vi } from 'vitest';
import { CpuClock, CpuExceeded } from './cpu-clock.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const until = (step: () => void): number => {
  for (let steps = 1; ; steps += 1) {
    try {
      step();
    } catch (error) {
      expect(error).toBeInstanceOf(CpuExceeded);
      return steps;
    }
  }
};

describe('the clock of a guest', () => {
  it('counts interrupts and jobs where the clock stands still while code runs', () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const clock = new CpuClock(40);
    clock.start();
    expect(until(() => clock.tick())).toBe(40 * 16 + 1);
    const jobs = new CpuClock(40);
    jobs.start();
    expect(until(() => jobs.countJob())).toBeLessThan(40 * 16 * 61);
  });

  it('adds up the steps, also without a clock, and continues from a saved time', () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const clock = new CpuClock(40, 30);
    clock.start();
    for (let ticks = 0; ticks < 80; ticks += 1) clock.tick();
    clock.stop();
    expect(clock.usedMs).toBe(35);
    clock.start();
    expect(until(() => clock.tick())).toBe(81);
  });

  it('does not count the time between two steps', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const clock = new CpuClock(40);
    clock.start();
    now.mockReturnValue(30);
    clock.stop();
    now.mockReturnValue(5_000);
    clock.start();
    now.mockReturnValue(5_009);
    clock.check();
    now.mockReturnValue(5_011);
    expect(() => clock.check()).toThrow(CpuExceeded);
  });

  it('counts the CPU time of the thread if its core was given to others', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    let cpuMs = 500;
    const clock = new CpuClock(40, 10, () => cpuMs);
    clock.start();
    now.mockReturnValue(1_000);
    cpuMs = 520;
    clock.check();
    expect(clock.usedMs).toBe(30);
    now.mockReturnValue(1_011);
    cpuMs = 531;
    expect(() => clock.check()).toThrow(CpuExceeded);
  });

  it('does not count a wait for a core between reading the CPU time and comparing it', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const clock = new CpuClock(40, 0, () => 5);
    clock.start();
    now.mockReturnValueOnce(1_000).mockReturnValueOnce(1_000).mockReturnValue(2_000);
    expect(clock.isOver).toBe(false);
  });

  it('keeps no time in which the thread waited for a core, so that a saved run has its time left', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    let cpuMs = 500;
    const clock = new CpuClock(40, 0, () => cpuMs);
    clock.start();
    now.mockReturnValue(30);
    cpuMs = 505;
    clock.stop();
    expect(clock.usedMs).toBe(5);
  });
});
