import type { Random } from './random.js';
import type { BudgetSeed, DayMaker, SeedDay } from './year.js';

/** The books of a small design studio, in another currency. */
export const studio: BudgetSeed = {
  name: 'Studio',
  currency: 'USD',
  seed: 7_719,
  accounts: [
    { name: 'Business checking', kind: 'checking', opening: 1_250_000 },
    { name: 'Tax reserve', kind: 'savings', opening: 400_000 },
  ],
  categories: {
    Income: ['Projects', 'Licences'],
    Running: ['Office', 'Software', 'Travel', 'Contractors', 'Bank fees'],
    Taxes: ['Income tax'],
  },
  income: ['Projects', 'Licences'],
  planned: {
    Office: 65_000,
    Software: 21_000,
    Travel: 40_000,
    Contractors: 150_000,
    'Bank fees': 1_500,
    'Income tax': 90_000,
  },
  payees: { 'Loft Offices': 'Office', 'Pixel Cloud': 'Software', 'First Harbor Bank': 'Bank fees' },
  rules: [{ name: 'Cloud services', contains: 'cloud', category: 'Software' }],
  goals: [{ name: 'New camera', target: 420_000, saved: 120_000, inDays: 150 }],
  day: makeDay,
};

const clients = ['Ostrich Bicycles', 'Museum of Maps', 'Harbor Radio', 'Tall Tree Press'] as const;

function makeDay({ dayOfMonth, month }: SeedDay, random: Random, { pay, move }: DayMaker): void {
  const account = 'Business checking';
  if (dayOfMonth === 1) pay(account, 'Loft Offices', 'Office', -65_000);
  if (dayOfMonth === 4) pay(account, 'Pixel Cloud', 'Software', -14_900);
  if (dayOfMonth === 9) pay(account, 'Type Library', 'Software', -5_900);
  if (dayOfMonth === 30) pay(account, 'First Harbor Bank', 'Bank fees', -1_200);
  if (dayOfMonth === 15 && month % 3 === 0)
    pay('Tax reserve', 'Revenue Service', 'Income tax', -random.whole(200_000, 260_000));
  if (random.chance(8)) {
    const fee = random.whole(180_000, 620_000);
    pay(account, random.pick(clients), 'Projects', fee);
    move(account, 'Tax reserve', Math.floor(fee / 4), 'Set aside for taxes');
  }
  if (dayOfMonth === 20) pay(account, 'Stock Shelf', 'Licences', random.whole(9_000, 31_000));
  if (random.chance(6)) pay(account, 'Northern Rail', 'Travel', -random.whole(4_500, 28_000));
  if (random.chance(5))
    pay(account, random.pick(['Ines Prado', 'Max Oduya']), 'Contractors', -random.whole(60_000, 140_000));
}
