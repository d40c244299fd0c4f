import { expect, it } from 'vitest';
import { describeSequence } from '../../../../../test/stores/sequence-contract.js';
import { createSequence } from './memory-store.js';

describeSequence('memory', () => {
  const sequence = createSequence();
  return [sequence, sequence];
});

it('keeps increasing when the clock goes back, and after a restart', async () => {
  let now = 1_000;
  const first = createSequence(() => now);
  const before = await first.next();
  now -= 500;
  const after = await first.next();
  expect(after).toBeGreaterThan(before);
  now += 600;
  expect(await createSequence(() => now).next()).toBeGreaterThan(after);
});
