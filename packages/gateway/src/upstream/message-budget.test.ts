import { describe, expect, it } from 'vitest';
import { MessageBudget } from './message-budget.js';

/** Sends messages as fast as the budget reads them, on a clock that only waiting moves. */
function flood(budget: MessageBudget, clock: { now: number }, messages: number, bytes = 0): void {
  for (let sent = 0; sent < messages; sent++) {
    clock.now += budget.restMs ?? 0;
    budget.count(false, bytes);
  }
}

function create() {
  const clock = { now: 0 };
  const reported: string[] = [];
  const budget = new MessageBudget(
    'loud',
    (error) => reported.push((error as Error).message),
    () => clock.now,
  );
  return { budget, clock, reported };
}

describe('the messages of a server', () => {
  it('are read at once up to a burst, and then at a rate', () => {
    const { budget, clock, reported } = create();
    flood(budget, clock, 1_000);
    expect(clock.now).toBe(0);
    flood(budget, clock, 5_001);
    expect(clock.now).toBeCloseTo(5_000);
    expect(reported).toEqual([]);
  });

  it('count more the larger they are', () => {
    const { budget, clock } = create();
    flood(budget, clock, 1_001, 4_000);
    expect(clock.now).toBeCloseTo(1_000);
  });

  it('let other work run after some of them, even within the burst', () => {
    const { budget } = create();
    for (let at = 0; at < 49; at++) budget.count(false, 0);
    expect(budget.restMs).toBeUndefined();
    budget.count(true, 0);
    expect(budget.restMs).toBe(0);
  });

  it('do not count if they are answers that were asked for, of any size', () => {
    const { budget, clock } = create();
    for (let at = 0; at < 5_000; at++) {
      budget.expectAnswer();
      budget.count(true, 10_000_000);
    }
    expect(budget.restMs).toBe(0);
    flood(budget, clock, 1_000);
    expect(clock.now).toBe(0);
    // Answers that nobody asked for are messages like others.
    for (let at = 0; at < 1_000; at++) budget.count(true, 0);
    expect(budget.restMs).toBe(1_000);
  });

  it('pause after 10,000 beyond the rate, with a notice, and cut the server off after 30,000', () => {
    const { budget, clock, reported } = create();
    flood(budget, clock, 11_000);
    expect(reported).toEqual([expect.stringContaining('Its messages are delayed')]);
    expect(budget.restMs).toBeGreaterThan(5_000);
    expect(() => flood(budget, clock, 19_000)).not.toThrow();
    expect(clock.now).toBeCloseTo(10_000 + 2 * 5_000 + 19_000, -2);
    expect(budget.takeCut()).toBe(false);
    expect(() => flood(budget, clock, 1_001)).toThrow('It is cut off');
    expect(budget.takeCut()).toBe(true);
    expect(budget.takeCut()).toBe(false);
    expect(reported).toHaveLength(1);
  });

  it('are no flood if there are breaks', () => {
    const { budget, clock, reported } = create();
    for (let round = 0; round < 20; round++) {
      flood(budget, clock, 5_000);
      clock.now += 1_000;
    }
    expect(reported).toEqual([]);
  });
});
