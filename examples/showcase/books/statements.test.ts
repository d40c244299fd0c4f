import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount } from '../money.js';
import { readStatement } from './statements.js';

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('a list from a bank', () => {
  it('is read with or without a first line, and with quotes', () => {
    const csv =
      'Date,Payee,Amount,Memo\r\n2026-03-01,"Bäcker, Söhne",-4.50,"says ""hi"""\n2026-03-02,Boss,10\n\n';
    expect(readStatement(csv, 'EUR')).toMatchObject([
      { date: '2026-03-01', payee: 'Bäcker, Söhne', amount: -450n, memo: 'says "hi"' },
      { date: '2026-03-02', payee: 'Boss', amount: 1_000n, memo: '' },
    ]);
  });

  it('holds two equal lines apart, and gives each the same key the next time', () => {
    const line = '2026-03-01,Coffee,-2.50,';
    const twice = readStatement(`${line}\n${line}`, 'EUR').map(({ key }) => key);
    expect(new Set(twice).size).toBe(2);
    expect(readStatement(`${line}\n${line}\n${line}`, 'EUR').map(({ key }) => key)).toEqual(
      expect.arrayContaining(twice),
    );
  });

  it.each([
    ['2026-02-30,A,1,', 'Line 1: "2026-02-30" is no date'],
    ['2026-03-01,A,1,\n2026-03-02,,1,', 'Line 2 names no payee'],
    ['2026-03-01,A,1.234,', 'Line 1: "1.234" is no amount of EUR'],
    ['date,payee,amount,memo', 'no lines'],
  ])('that is wrong (%j) says where', (csv, problem) => {
    expect(() => readStatement(csv, 'EUR')).toThrow(problem);
  });

  it('says what was written into it, whatever that is', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((each) => `x${each}x`);
    const lines = fc.array(fc.record({ payee: text, memo: text, amount: fc.bigInt(-99_999n, 99_999n) }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(lines, (wanted) => {
        const csv = wanted
          .map(({ payee, memo, amount }) =>
            ['2026-03-01', quote(payee), formatAmount(amount, 'EUR'), quote(memo)].join(','),
          )
          .join('\n');
        expect(readStatement(csv, 'EUR').map(({ payee, memo, amount }) => ({ payee, memo, amount }))).toEqual(
          wanted,
        );
      }),
    );
  });
});
