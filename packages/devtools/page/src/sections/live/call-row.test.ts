import { expect, test } from 'vitest';
import type { LiveCall } from '../../../../src/page-events.js';
import { badgeOf } from './call-row.js';

const call = (outcome: string, isError = false): LiveCall => ({
  id: 1,
  at: 0,
  address: 'shop/list',
  caller: 'ada',
  ms: 1,
  outcome,
  isError,
  tokens: 1,
  steps: [],
});

test('a cancelled call has neither the colour of a result nor that of an error', () => {
  expect(badgeOf(call('cancelled'))).toBe('plain');
  expect(badgeOf(call('ok'))).toBe('ok');
  expect(badgeOf(call('ErrToolFailed', true))).toBe('error');
});
