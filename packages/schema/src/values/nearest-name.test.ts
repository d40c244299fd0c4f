import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameIndex, createEffort, nearestName } from './nearest-name.js';
import { nearestByTheBook } from '../../test/values/nearest-name-setup.js';

describe('the nearest name', () => {
  const few = (max: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', 'é', '_', '/'), maxLength: max });

  it('is found in names of any length', () => {
    fc.assert(
      fc.property(few(300), fc.array(few(300), { maxLength: 4 }), (written, names) => {
        expect(nearestName(written, names)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: 50 },
    );
    expect(nearestName('x'.repeat(200), ['x'.repeat(140)])).toBe('x'.repeat(140));
  });

  const many = Array.from({ length: 10_000 }, (_, at) => `list_customer_record_${at}`);

  it('is found among many similar names', () => {
    expect(nearestName('list_custmer_record_9871', many)).toBe('list_customer_record_9871');
    expect(nearestName('lsit_customer_record_5012', many)).toBe('list_customer_record_5012');
  });

  it('is searched within the given effort, for any number of searches', () => {
    const effort = createEffort();
    for (let at = 0; at < 20; at++) nearestName(`lsit_custoner_rekord_x${at}y`, many, effort);
    // A comparison in progress may finish.
    expect(effort.left).toBeLessThanOrEqual(0);
    expect(effort.left).toBeGreaterThan(-10_000);
    expect(nearestName('list_customer_record_7', many, effort)).toBeUndefined();
    expect(nearestName('list_customer_record_7', many)).toBe('list_customer_record_7');
  });

  it('is found in an index of many dissimilar names', () => {
    const words = ['invoice', 'customer', 'webhook', 'payment', 'label', 'milestone', 'project', 'budget'];
    const names = words.flatMap((first) => words.map((second) => `${first}_of_${second}`));
    const index = new NameIndex([...names, 'delete_repository']);
    expect(index.nearest('delete_repositry')).toBe('delete_repository');
    expect(index.nearest('invoice_of_webhok')).toBe('invoice_of_webhook');
  });

  it('is found by an index in microseconds, not milliseconds', () => {
    const index = new NameIndex(many);
    const search = (): number => {
      const start = performance.now();
      for (let at = 0; at < 100; at++) index.nearest(`lsit_custoner_rekord_x${at}y`);
      return (performance.now() - start) / 100;
    };
    search();
    // About 0.05 ms; without the limit about 2 ms.
    expect(Math.min(search(), search(), search())).toBeLessThan(0.6);
  });
});
