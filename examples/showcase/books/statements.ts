/** A bank's list of transactions as CSV: `date,payee,amount,memo`, with or without that first line. */
import { ErrToolFailed } from 'toolfold/errors';
import { createHash } from 'node:crypto';
import { dateSchema } from '../dates.js';
import type { Currency } from '../money.js';
import { parseAmount } from '../money.js';

export interface StatementLine {
  readonly date: string;
  readonly payee: string;
  readonly amount: bigint;
  readonly memo: string;
  /** Identifies the line: overlapping statements give the same line the same key. */
  readonly key: string;
}

const MAX_LINES = 5_000;
export const MAX_PAYEE = 120;
export const MAX_MEMO = 500;

export function readStatement(csv: string, currency: Currency): StatementLine[] {
  const rows = splitCsv(csv.replace(/^\uFEFF/, '')).filter(({ cells }) => cells.some((cell) => cell !== ''));
  const lines = rows[0]?.cells[0]?.toLowerCase() === 'date' ? rows.slice(1) : rows;
  if (lines.length === 0) throw new ErrToolFailed('The list has no lines. Each is: date,payee,amount,memo.');
  if (lines.length > MAX_LINES)
    throw new ErrToolFailed(`The list has more than ${MAX_LINES} lines. Split it.`);
  const seen = new Map<string, number>();
  return lines.map(({ cells, number }) => {
    const [date = '', payee = '', amount = '', memo = ''] = cells;
    const place = `Line ${number}`;
    if (!dateSchema.safeParse(date).success)
      throw new ErrToolFailed(`${place}: "${date}" is no date such as 2026-03-01.`);
    if (payee === '') throw new ErrToolFailed(`${place} names no payee.`);
    if (payee.length > MAX_PAYEE)
      throw new ErrToolFailed(`${place}: the payee has more than ${MAX_PAYEE} characters.`);
    if (memo.length > MAX_MEMO)
      throw new ErrToolFailed(`${place}: the memo has more than ${MAX_MEMO} characters.`);
    const line = { date, payee, amount: amountAt(place, amount, currency), memo };
    const content = JSON.stringify([date, payee.toLowerCase(), String(line.amount), memo]);
    // Two equal lines on one day are two transactions.
    const count = (seen.get(content) ?? 0) + 1;
    seen.set(content, count);
    const key = createHash('sha256').update(`${content}#${count}`).digest('hex').slice(0, 32);
    return { ...line, key };
  });
}

function amountAt(place: string, text: string, currency: Currency): bigint {
  try {
    return parseAmount(text, currency);
  } catch (error) {
    throw new ErrToolFailed(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Row {
  /** Number of the line on which the row begins. */
  readonly number: number;
  readonly cells: string[];
}

/** Splits CSV into rows. Cells may be quoted, and a quote inside a quoted cell is doubled. */
function splitCsv(text: string): Row[] {
  let row: Row = { number: 1, cells: [] };
  const rows = [row];
  let number = 1;
  const cell = /(?: *"([^"]*(?:""[^"]*)*)" *|([^",\r\n]*))(,|\r?\n|$)/y;
  while (true) {
    const match = cell.exec(text);
    if (!match) throw new ErrToolFailed(`Line ${number}: a quote is not closed, or stands inside a cell.`);
    const [whole, quoted, plain = '', end] = match;
    row.cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    number += whole.split('\n').length - 1;
    if (end === '') return rows;
    if (end !== ',') rows.push((row = { number, cells: [] }));
  }
}
