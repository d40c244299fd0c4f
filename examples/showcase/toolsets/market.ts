import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';
import { dateSchema } from '../dates.js';
import { NotFound } from '../errors.js';
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

const symbolField = z.string().min(1).max(12).describe('Symbol such as ANVL');
const period = { from: dateSchema.optional(), to: dateSchema.optional() };

/** Generated prices of companies that do not exist. */
export function marketTool({ market }: Finance) {
  return new GroupedToolBuilder('market')
    .description('Prices of shares and rates of currencies (generated data)')
    .group('quotes', 'Prices at the end of each day', (quotes) =>
      quotes
        .action({
          ...lists,
          name: 'symbols',
          description: 'Lists what is traded.',
          handler: () => market.listed,
        })
        .action({
          ...reads,
          name: 'latest',
          description: 'Shows the last price of up to 20 symbols, and how it has changed in a day.',
          inputSchema: z.object({ symbols: z.array(symbolField).min(1).max(20) }),
          textFormat: 'toon',
          handler: ({ input }) =>
            input.symbols.map((wanted) => {
              const { symbol, currency } = market.find(wanted);
              const [before, last] = market.closesOf(symbol).slice(-2) as [Close, Close];
              return {
                symbol,
                date: last.date,
                currency,
                price: formatAmount(last.price, currency),
                change: formatAmount(last.price - before.price, currency),
              };
            }),
        })
        .action({
          ...lists,
          name: 'history',
          description: 'Lists the prices of a symbol, day by day.',
          inputSchema: z.object({ symbol: symbolField, ...period }),
          handler: ({ input }) => {
            const { symbol, currency } = market.find(input.symbol);
            const closes = market.closesOf(symbol, input.from, input.to);
            return {
              symbol,
              currency,
              closes: closes.map(({ date, price }) => ({ date, price: formatAmount(price, currency) })),
            };
          },
        })
        .action({
          ...reads,
          name: 'compare',
          description: 'Shows how prices of up to 20 symbols have changed over a period, in percent.',
          inputSchema: z.object({ symbols: z.array(symbolField).min(1).max(20), ...period }),
          textFormat: 'toon',
          handler: ({ input }) =>
            input.symbols.map((wanted) => {
              const { symbol, currency } = market.find(wanted);
              const closes = market.closesOf(symbol, input.from, input.to);
              const [first, last] = [closes[0], closes.at(-1)];
              if (!first || !last) throw new NotFound('Nothing was traded in that period.');
              const hundredths = divideToEven((last.price - first.price) * 10_000n, first.price);
              return {
                symbol,
                from: first.date,
                to: last.date,
                first: formatAmount(first.price, currency),
                last: formatAmount(last.price, currency),
                percent: formatDecimal(hundredths, 2),
              };
            }),
        }),
    )
    .group('currencies', 'What one currency costs in another', (rates) =>
      rates.action({
        ...reads,
        name: 'convert',
        description: 'Converts an amount. Halves of the smallest unit go to the even neighbour.',
        inputSchema: z.object({ amount: amountSchema, from: currencySchema, to: currencySchema }),
        outputSchema: z.object({ amount: z.string(), currency: z.string(), rate: z.string() }),
        handler: ({ input: { amount, from, to } }) => {
          const rate = market.rate(from, to);
          return {
            amount: formatAmount(convertAmount(parseAmount(amount, from), from, to, rate), to),
            currency: to,
            rate: formatDecimal(rate, 6),
          };
        },
      }),
    );
}
