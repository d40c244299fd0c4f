import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountSchema,
  convertAmount,
  currencies,
  divideToEven,
  formatAmount,
  parseAmount,
  parsePositive,
} from './money.js';

const currency = fc.constantFrom(...currencies);
const amount = fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n });

describe('amounts', () => {
  it('are unchanged after formatting and parsing', () => {
    fc.assert(
      fc.property(amount, currency, (value, unit) => {
        expect(parseAmount(formatAmount(value, unit), unit)).toBe(value);
      }),
    );
  });

  it('are formatted with the digits of their currency', () => {
    expect(formatAmount(0n, 'EUR')).toBe('0.00');
    expect(formatAmount(5n, 'EUR')).toBe('0.05');
    expect(formatAmount(-5n, 'USD')).toBe('-0.05');
    expect(formatAmount(-1_234n, 'EUR')).toBe('-12.34');
    expect(formatAmount(1_234n, 'JPY')).toBe('1234');
  });

  it('are never floating-point numbers: ten times 0.1 is 1, and all sums are exact', () => {
    const tenth = parseAmount('0.10', 'EUR');
    expect(Array.from({ length: 10 }, () => tenth).reduce((sum, each) => sum + each, 0n)).toBe(
      parseAmount('1', 'EUR'),
    );
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 50 }), (values) => {
        const total = values
          .map((value) => parseAmount(formatAmount(value, 'EUR'), 'EUR'))
          .reduce((sum, each) => sum + each, 0n);
        expect(total).toBe(values.reduce((sum, each) => sum + each, 0n));
      }),
    );
  });

  it.each(['', '1e3', '1,50', '0x10', '12.345', '--1', '1.', '.5', ' 1', 'NaN', '1234567890123'])(
    'cannot be parsed from %j',
    (text) => {
      expect(() => parseAmount(text, 'EUR')).toThrow('is no amount of EUR');
    },
  );

  it('accept redundant zeros', () => {
    expect(parseAmount('1.500', 'EUR')).toBe(150n);
    expect(parseAmount('15.0', 'JPY')).toBe(15n);
    expect(() => parseAmount('15.5', 'JPY')).toThrow('0 digits after the point');
  });

  it('are positive if the direction is known', () => {
    expect(parsePositive('0.01', 'EUR')).toBe(1n);
    expect(() => parsePositive('0.00', 'EUR')).toThrow('above zero');
    expect(() => parsePositive('-1', 'EUR')).toThrow('above zero');
  });

  it('are rejected by the schema whenever parsing would fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), amount.map(String)), (text) => {
        if (!amountSchema.safeParse(text).success) return;
        expect(() => parseAmount(text.replace(/(\.\d\d)\d$/, '$1'), 'EUR')).not.toThrow();
      }),
    );
  });
});

describe('division', () => {
  it('is off by at most half a unit, and rounds halves to even', () => {
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 9n }), (dividend, divisor) => {
        const twice = 2n * (dividend - divideToEven(dividend, divisor) * divisor);
        const distance = twice < 0n ? -twice : twice;
        expect(distance <= divisor).toBe(true);
        if (distance === divisor) expect(divideToEven(dividend, divisor) % 2n).toBe(0n);
      }),
    );
  });

  it('gives the same result whichever side has the sign', () => {
    expect([divideToEven(5n, 2n), divideToEven(-5n, 2n), divideToEven(5n, -2n)]).toEqual([2n, -2n, -2n]);
    expect([divideToEven(7n, 2n), divideToEven(-7n, 2n)]).toEqual([4n, -4n]);
  });
});

describe('conversion', () => {
  it('respects the number of digits of each currency', () => {
    expect(convertAmount(100n, 'EUR', 'JPY', 163_820_000n)).toBe(164n);
    expect(convertAmount(164n, 'JPY', 'EUR', 6_104n)).toBe(100n);
    expect(convertAmount(1_000n, 'EUR', 'USD', 1_084_600n)).toBe(1_085n);
  });

  it('at a rate of one changes nothing', () => {
    fc.assert(
      fc.property(amount, currency, (value, unit) => {
        expect(convertAmount(value, unit, unit, 1_000_000n)).toBe(value);
      }),
    );
  });
});
