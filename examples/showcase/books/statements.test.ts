import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount } from '../money.js';
import { readStatement } from './statements.js';

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('a bank statement', () => {
  it('is read with or without a first line, and with quotes', () => {
    const csv =
      'Date,Payee,Amount,Memo\r\n2026-03-01,"Bäcker, Söhne",-4.50,"says ""hi"""\n2026-03-02,Boss,10\n\n';
    expect(readStatement(csv, 'EUR')).toMatchObject([
      { date: '2026-03-01', payee: 'Bäcker, Söhne', amount: -450n, memo: 'says "hi"' },
      { date: '2026-03-02', payee: 'Boss', amount: 1_000n, memo: '' },
    ]);
  });

  it('is read with a byte order mark', () => {
    expect(readStatement('\uFEFFdate,payee,amount\n2026-03-01,A,1', 'EUR')).toHaveLength(1);
  });

  it('gives two equal lines different keys, which are the same in the next statement', () => {
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
    ['2026-03-01,A,1,\n2026-01-01,"unclosed,1,\n', 'Line 2: a quote is not closed'],
    ['2026-03-01,A "B" C,1,', 'Line 1: a quote'],
    ['date,payee,amount,memo\n\n2026-03-01,"A\nB",1,\n2026-03-01,,1,', 'Line 5 names no payee'],
    [`2026-03-01,${'x'.repeat(121)},1,`, 'Line 1: the payee has more than 120 characters'],
    [`2026-03-01,A,1,${'x'.repeat(501)}`, 'Line 1: the memo has more than 500 characters'],
    ['0000-03-01,A,1,', 'Line 1: "0000-03-01" is no date'],
    ['2026-03-01,A,-,', 'Line 1: "-" is no amount'],
  ])('with a mistake (%j) is rejected with its line number', (csv, problem) => {
    expect(() => readStatement(csv, 'EUR')).toThrow(problem);
  });

  it('is read unchanged after any content was written as CSV', () => {
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
