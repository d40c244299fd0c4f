/** Writes quotes.json: prices of companies that do not exist. `npx tsx examples/showcase/market/generate.ts` */
import { writeFileSync } from 'node:fs';
import { addDays } from '../dates.js';
import { createRandom } from '../seed/random.js';

const companies = [
  { symbol: 'ANVL', name: 'Anvil Works', currency: 'USD', price: 4_210 },
  { symbol: 'BRGD', name: 'Bridge & Daughters', currency: 'EUR', price: 8_865 },
  { symbol: 'CORK', name: 'Cork Oak Holdings', currency: 'EUR', price: 1_935 },
  { symbol: 'DUNE', name: 'Dune Solar', currency: 'USD', price: 2_718 },
  { symbol: 'FERN', name: 'Fern Pharmaceuticals', currency: 'GBP', price: 6_140 },
  { symbol: 'HALO', name: 'Halo Lighting', currency: 'USD', price: 13_350 },
  { symbol: 'KITE', name: 'Kite Logistics', currency: 'GBP', price: 975 },
  { symbol: 'WRLD', name: 'Whole World Index Fund', currency: 'EUR', price: 7_402 },
];
const FIRST = '2025-11-03';
const LAST = '2026-11-13';

const days: string[] = [];
for (let day = FIRST; day <= LAST; day = addDays(day, 1))
  if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) days.push(day);
const random = createRandom(42);
const quotes = companies.map(({ price, ...company }) => {
  let current = price;
  const closes = days.map(() => {
    // Prices change by up to 2 % a day, with a slight upward trend.
    current = Math.max(1, current + Math.round((current * (random.whole(0, 401) - 198)) / 10_000));
    return current;
  });
  return { ...company, closes };
});
const euroRates = { CHF: 942_300, EUR: 1_000_000, GBP: 861_450, JPY: 163_820_000, USD: 1_084_600 };
writeFileSync(
  new URL('quotes.json', import.meta.url),
  `${JSON.stringify({ notice: 'Generated data, see NOTICE.md', days, quotes, euroRates })}\n`,
);
