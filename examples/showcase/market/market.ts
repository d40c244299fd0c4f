/** Closing prices from a generated file, see NOTICE.md. */
import { ErrToolFailed } from 'toolfold/errors';
import { readFileSync } from 'node:fs';
import { divideToEven, RATE_UNIT } from '../money.js';
import type { Currency } from '../money.js';

interface MarketFile {
  readonly days: readonly string[];
  readonly quotes: readonly (Listed & { readonly closes: readonly number[] })[];
  /** Units per euro, in millionths. */
  readonly euroRates: Readonly<Record<Currency, number>>;
}

export interface Listed {
  readonly symbol: string;
  readonly name: string;
  readonly currency: Currency;
}

export interface Close {
  readonly date: string;
  readonly price: bigint;
}

export interface Market {
  readonly listed: readonly Listed[];
  find(symbol: string): Listed;
  /** Closing prices of the trading days in a period, oldest first. */
  closesOf(symbol: string, from?: string, to?: string): readonly Close[];
  /** Units of `to` for one unit of `from`, in millionths. */
  rate(from: Currency, to: Currency): bigint;
}

export function loadMarket(file: URL = new URL('quotes.json', import.meta.url)): Market {
  const { days, quotes, euroRates } = JSON.parse(readFileSync(file, 'utf8')) as MarketFile;
  const find = (symbol: string): MarketFile['quotes'][number] => {
    const found = quotes.find((quote) => quote.symbol === symbol.toUpperCase());
    if (found) return found;
    throw new ErrToolFailed(
      `Nothing is traded as "${symbol}". There are: ${quotes.map((each) => each.symbol).join(', ')}.`,
    );
  };
  return {
    listed: quotes.map(({ symbol, name, currency }) => ({ symbol, name, currency })),
    find,
    closesOf: (symbol, from = '', to = '9999') => {
      const { closes } = find(symbol);
      return days
        .map((date, index) => ({ date, price: BigInt(closes[index] ?? 0) }))
        .filter(({ date }) => date >= from && date <= to);
    },
    rate: (from, to) => divideToEven(BigInt(euroRates[to]) * RATE_UNIT, BigInt(euroRates[from])),
  };
}
