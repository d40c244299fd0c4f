/** A bank's list of transactions as CSV: `date,payee,amount,memo`, with or without that first line. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { InvalidInput } from '../errors.js';
import type { Currency } from '../money.js';
import { parseAmount } from '../money.js';

export interface StatementLine {
  readonly date: string;
  readonly payee: string;
  readonly amount: bigint;
  readonly memo: string;
  /** The same for the same line in every list that overlaps with this one. */
  readonly key: string;
}

const MAX_LINES = 5_000;

export function readStatement(csv: string, currency: Currency): StatementLine[] {
  const rows = splitCsv(csv).filter((row) => row.some((cell) => cell.trim() !== ''));
  const lines = rows[0]?.[0]?.trim().toLowerCase() === 'date' ? rows.slice(1) : rows;
  if (lines.length === 0) throw new InvalidInput('The list has no lines. Each is: date,payee,amount,memo.');
  if (lines.length > MAX_LINES)
    throw new InvalidInput(`The list has more than ${MAX_LINES} lines. Split it.`);
  const seen = new Map<string, number>();
  return lines.map((cells, index) => {
    const [date = '', payee = '', amount = '', memo = ''] = cells.map((cell) => cell.trim());
    const place = `Line ${index + 1}`;
    if (!z.iso.date().safeParse(date).success)
      throw new InvalidInput(`${place}: "${date}" is no date such as 2026-03-01.`);
    if (payee === '') throw new InvalidInput(`${place} names no payee.`);
    const line = { date, payee, amount: amountAt(place, amount, currency), memo };
    const content = JSON.stringify([date, payee.toLowerCase(), String(line.amount), memo]);
    // Two coffees on one day are two.
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
    throw new InvalidInput(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Cells may stand in quotes, and a quote in them is written twice. */
function splitCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
}
