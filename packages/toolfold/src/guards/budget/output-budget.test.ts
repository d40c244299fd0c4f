import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { assertBudget } from './output-budget.js';
import type { OutputBudget } from './output-budget.js';

describe('assertBudget', () => {
  it('accepts whole numbers of bytes, tokens or both', () => {
    for (const budget of [{ bytes: 1 }, { tokens: 5000 }, { bytes: 1, tokens: 1, countTokens: () => 1 }]) {
      expect(() => assertBudget(budget, 'budget')).not.toThrow();
    }
  });

  it.each([
    [{ bytes: 0 }, 'budget.bytes'],
    [{ bytes: Number.NaN }, 'budget.bytes'],
    [{ tokens: 1.5 }, 'budget.tokens'],
    [{ tokens: Infinity }, 'budget.tokens'],
    [{ bytes: '10' }, 'budget.bytes'],
    [{ tokens: 10, countTokens: 4 }, 'budget.countTokens'],
    [{ tokens: 10, byte: 4 }, 'Did you mean "bytes"?'],
    [{}, 'budget'],
  ])('rejects %j and names %s', (budget, field) => {
    const attempt = (): void => assertBudget(budget as OutputBudget, 'budget');
    expect(attempt).toThrow(ErrInvalidOptions);
    expect(attempt).toThrow(field);
  });
});
