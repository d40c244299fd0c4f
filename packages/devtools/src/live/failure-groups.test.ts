import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FailureGroups, patternOf } from './failure-groups.js';

const failed = (message: string, at = 0, more: { code?: string; address?: string } = {}) => ({
  code: 'ErrToolFailed',
  address: 'users/get',
  message,
  at,
  fault: () => ({}),
  ...more,
});

describe('groups of errors', () => {
  it('hold errors that differ only in numbers and ids', () => {
    const groups = new FailureGroups();
    groups.add(failed('User 42 was not found in 8ms', 1));
    groups.add(failed('User 7 was not found in 12ms', 2));
    groups.add(failed('Order ord_9f8e7d6c5b is gone', 3));
    groups.add(failed('Order ord_11aa22bb33 is gone', 4));
    groups.add(failed('Session 0b4c1f7e-65a9-4a0c-9f39-0e6f1c2d3b4a expired', 5));
    expect(groups.list().map(({ message, count, first, last }) => [message, count, first, last])).toEqual([
      ['Session 0b4c1f7e-65a9-4a0c-9f39-0e6f1c2d3b4a expired', 1, 5, 5],
      ['Order # is gone', 2, 3, 4],
      ['User # was not found in #ms', 2, 1, 2],
    ]);
  });

  it('are separate for other codes, addresses and words', () => {
    const groups = new FailureGroups();
    groups.add(failed('not found'));
    groups.add(failed('not found', 0, { code: 'ErrTimeout' }));
    groups.add(failed('not found', 0, { address: 'users/list' }));
    groups.add(failed('not allowed'));
    expect(groups.list()).toHaveLength(4);
  });

  it('are the 100 latest, however many there are', () => {
    const groups = new FailureGroups();
    const word = (index: number): string =>
      [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let index = 0; index < 1_000; index++) groups.add(failed(`problem ${word(index)}`, index));
    expect(groups.list()).toHaveLength(100);
    expect(groups.list()[0]?.message).toBe(`problem ${word(999)}`);
  });

  it('read the stack of an error at most once a second', () => {
    const groups = new FailureGroups();
    let reads = 0;
    const fault = () => ({ fault: `stack ${++reads}` });
    for (const at of [0, 10, 500, 999, 1_000, 1_500]) groups.add({ ...failed('broken', at), fault });
    expect(reads).toBe(2);
    expect(groups.list()[0]?.fault).toBe('stack 2');
  });

  it('have messages that are their own pattern', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (text) => {
        expect(patternOf(patternOf(text))).toBe(patternOf(text));
      }),
    );
    expect(patternOf('a'.repeat(500))).toBe('a'.repeat(500));
    expect(patternOf('_-'.repeat(250))).toBe('_-'.repeat(250));
  });
});
