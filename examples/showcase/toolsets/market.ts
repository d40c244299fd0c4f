import { GroupedToolBuilder } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { assertInOrder, daysBetween, fromField, toField } from '../dates.js';
import type { Finance } from '../finance.js';
import type { Close } from '../market/market.js';
import {
  amountSchema,
  convertAmount,
  currencySchema,
  divideToEven,
  formatAmount,
  formatDecimal,
  parseAmount,
} from '../money.js';
import { lists, reads } from './actions.js';

const symbolField = z
  .string()
  .min(1)
  .max(12)
  .describe('Symbol such as ANVL; market/quotes.symbols lists all');
const symbolsField = z.array(symbolField).min(1).max(20).describe('Symbols such as ANVL');
const period = { from: fromField, to: toField };

/** Generated prices of companies that do not exist. */
export function marketTool({ market, today }: Finance) {
  return new GroupedToolBuilder('market')
    .description(
      'Prices of shares and exchange rates of currencies. All of it is generated: companies and rates are not real',
    )
    .group('quotes', 'Closing prices of trading days, in the currency of the symbol', (quotes) =>
      quotes
        .action({
          ...lists,
          name: 'symbols',
          description: 'Lists the symbols that have prices, with name and currency.',
          handler: () => market.listed,
        })
        .action({
          ...reads,
          name: 'latest',
          description:
            'Shows the latest closing price of up to 20 symbols, its change since the trading day before, and how many days old it is.',
          inputSchema: z.object({ symbols: symbolsField }),
          textFormat: 'toon',
          handler: async ({ input }) => {
            const day = await today();
            return input.symbols.map((wanted) => {
              const { symbol, currency } = market.find(wanted);
              const [before, last] = market.closesOf(symbol).slice(-2) as [Close, Close];
              return {
                symbol,
                date: last.date,
                currency,
                price: formatAmount(last.price, currency),
                change: formatAmount(last.price - before.price, currency),
                days_old: daysBetween(last.date, day),
              };
            });
          },
        })
        .action({
          ...lists,
          name: 'history',
          description: 'Lists the closing prices of one symbol, the oldest first.',
          inputSchema: z.object({ symbol: symbolField, ...period }),
          handler: ({ input }) => {
            assertInOrder(input);
            const { symbol, currency } = market.find(input.symbol);
            const closes = market.closesOf(symbol, input.from, input.to);
            return {
              symbol,
              currency,
              prices_until: lastTraded(),
              closes: closes.map(({ date, price }) => ({ date, price: formatAmount(price, currency) })),
            };
          },
        })
        .action({
          ...reads,
          name: 'compare',
          description: 'Shows how the prices of up to 20 symbols changed in a period, in percent.',
          inputSchema: z.object({ symbols: symbolsField, ...period }),
          textFormat: 'toon',
          handler: ({ input }) => {
            assertInOrder(input);
            return input.symbols.map((wanted) => {
              const { symbol, currency } = market.find(wanted);
              const closes = market.closesOf(symbol, input.from, input.to);
              const [first, last] = [closes[0], closes.at(-1)];
              if (!first || !last)
                throw new ErrToolFailed(`There are no prices in that period. There are prices ${traded()}.`);
              const hundredths = divideToEven((last.price - first.price) * 10_000n, first.price);
              return {
                symbol,
                from: first.date,
                to: last.date,
                prices_until: lastTraded(),
                first: formatAmount(first.price, currency),
                last: formatAmount(last.price, currency),
                percent: formatDecimal(hundredths, 2),
              };
            });
          },
        }),
    )
    .group('currencies', 'Exchange rates, which are the same on every day', (rates) =>
      rates.action({
        ...reads,
        name: 'convert',
        description:
          'Converts an amount from one currency to another, such as dollars to yen, at a generated rate that is the same on every day.',
        inputSchema: z.object({
          amount: amountSchema.describe('Amount in from_currency. Decimal text such as "12.50", not cents'),
          from_currency: currencySchema.describe('Currency of the amount'),
          to_currency: currencySchema.describe('Currency of the result'),
        }),
        outputSchema: z.object({
          amount: z.string().describe('Rounded to the smallest unit; halves go to the even neighbour'),
          currency: z.string(),
          rate: z.string().describe('Units of to_currency for one unit of from_currency'),
          rate_source: z.string().describe('Where the rate comes from, and for which days it is'),
        }),
        handler: ({ input: { amount, from_currency: from, to_currency: to } }) => {
          const rate = market.rate(from, to);
          return {
            amount: formatAmount(convertAmount(parseAmount(amount, from), from, to, rate), to),
            currency: to,
            rate: formatDecimal(rate, 6),
            rate_source: 'generated, the same on every day',
          };
        },
      }),
    );

  /** A model would take later days for days without trade. */
  function lastTraded(): string {
    return market.closesOf(market.listed[0]?.symbol ?? '').at(-1)?.date ?? '';
  }

  /** The days of the first and the last price. */
  function traded(): string {
    const closes = market.closesOf(market.listed[0]?.symbol ?? '');
    return `from ${closes[0]?.date} to ${closes.at(-1)?.date}`;
  }
}
