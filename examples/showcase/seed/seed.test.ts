import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImbalances } from '../books/check.js';
import type { Database } from '../database/database.js';
import { openInMemory } from '../database/test-databases.js';
import { household } from './household.js';
import { createRandom } from './random.js';
import { seedBooks } from './seed.js';
import { studio } from './studio.js';
import { makeYear } from './year.js';

const now = new Date('2026-03-15T12:00:00Z');
const today = '2026-03-15';

describe('a generated year', () => {
  it('is the same for the same day', () => {
    for (const seed of [household, studio]) expect(makeYear(seed, today)).toEqual(makeYear(seed, today));
    expect(createRandom(1).whole(0, 1_000_000)).not.toBe(createRandom(2).whole(0, 1_000_000));
  });

  it('begins with the month a year ago and ends on the given day', () => {
    for (const seed of [household, studio]) {
      const days = makeYear(seed, today).map(({ date }) => date);
      expect(days[0]).toBe('2025-03-01');
      expect(days.at(-1)?.slice(0, 7)).toBe('2026-03');
      expect(days.every((date) => date <= today)).toBe(true);
    }
  });

  it('has balanced transfers, whole amounts, no negative cash, and some recent uncategorised transactions', () => {
    const entries = makeYear(household, today);
    const sums = new Map<string, number>();
    for (const { transfer, amount } of entries)
      if (transfer !== undefined) sums.set(transfer, (sums.get(transfer) ?? 0) + amount);
    expect([...sums.values()].every((sum) => sum === 0)).toBe(true);
    expect(entries.every(({ amount }) => Number.isInteger(amount) && amount !== 0)).toBe(true);
    let cash = 0;
    for (const { account, amount } of entries) {
      if (account === 'Cash') cash += amount;
      expect(cash).toBeGreaterThanOrEqual(0);
    }
    const open = entries.filter(({ category, transfer, isOpening }) => !category && !transfer && !isOpening);
    expect(open.length).toBeGreaterThan(2);
    expect(open.every(({ date }) => date > '2026-02-20')).toBe(true);
  });

  it('names only accounts and categories that it defines', () => {
    for (const seed of [household, studio]) {
      const categories = Object.values(seed.categories).flat();
      const accounts = seed.accounts.map(({ name }) => name);
      for (const { account, category } of makeYear(seed, today)) {
        expect(accounts).toContain(account);
        if (category !== undefined) expect(categories).toContain(category);
      }
    }
  });
});

describe('seeding', () => {
  let db: Database;
  beforeAll(async () => {
    db = await openInMemory();
  }, 60_000);
  afterAll(() => db.close());

  it('keeps nothing if it fails halfway', async () => {
    const onProgress = (done: number): void => {
      if (done === 5) throw new Error('the light went out');
    };
    await expect(seedBooks(db, { now, timeZone: 'UTC', onProgress })).rejects.toThrow('the light went out');
    expect(await db.query('select * from budgets')).toEqual([]);
    expect(await db.query('select * from settings')).toEqual([]);
  });

  it('happens once, reports its progress, and balances', async () => {
    const steps: string[] = [];
    const onProgress = (done: number, total: number, what: string): void => {
      steps.push(`${done}/${total} ${what}`);
    };
    expect(await seedBooks(db, { now, timeZone: 'Europe/Berlin', onProgress })).toBe(true);
    expect([steps[0], steps.at(-1), steps.length]).toEqual([
      '1/26 Household 2025-03',
      '26/26 Studio 2026-03',
      26,
    ]);
    expect(await findImbalances(db)).toEqual([]);
    const before = await db.query('select count(*)::integer as n from transactions');
    expect(await seedBooks(db, { now, timeZone: 'UTC' })).toBe(false);
    expect(await db.query('select count(*)::integer as n from transactions')).toEqual(before);
    expect((before[0] as { n: number }).n).toBeGreaterThan(800);
    expect(await db.query('select time_zone from settings')).toEqual([{ time_zone: 'Europe/Berlin' }]);
  });
});
