import { addDays } from '../dates.js';
import type { Random } from './random.js';
import type { BudgetSeed, DayMaker, SeedDay } from './year.js';

/** A household of two with one salary, a rented flat and a card. */
export const household: BudgetSeed = {
  name: 'Household',
  currency: 'EUR',
  seed: 20_260_728,
  accounts: [
    { name: 'Checking', kind: 'checking', opening: 241_580 },
    { name: 'Savings', kind: 'savings', opening: 850_000 },
    { name: 'Card', kind: 'card', opening: 0 },
    { name: 'Cash', kind: 'cash', opening: 12_000 },
  ],
  categories: {
    Income: ['Salary', 'Other income'],
    Home: ['Rent', 'Electricity', 'Internet', 'Insurance', 'Household goods'],
    Everyday: ['Groceries', 'Restaurants', 'Coffee', 'Transport', 'Fuel', 'Pharmacy', 'Clothing'],
    Fun: ['Streaming', 'Sports', 'Books', 'Holidays', 'Gifts'],
  },
  income: ['Salary', 'Other income'],
  planned: {
    Rent: 98_000,
    Electricity: 7_500,
    Internet: 3_995,
    Insurance: 6_200,
    'Household goods': 4_000,
    Groceries: 52_000,
    Restaurants: 16_000,
    Coffee: 3_000,
    Transport: 4_900,
    Fuel: 9_000,
    Pharmacy: 2_500,
    Clothing: 7_000,
    Streaming: 2_298,
    Sports: 3_490,
    Books: 2_500,
    Holidays: 18_000,
    Gifts: 4_000,
  },
  payees: {
    'Nordlicht Software': 'Salary',
    'Hausverwaltung Brandt': 'Rent',
    Stadtwerke: 'Electricity',
    'Glasfaser Direkt': 'Internet',
    'Albatros Versicherung': 'Insurance',
    'Green Corner Market': 'Groceries',
    'Bäckerei Hölzl': 'Groceries',
    'City Transit': 'Transport',
    Flixbox: 'Streaming',
    Tonspur: 'Streaming',
    'Boulderhalle West': 'Sports',
  },
  rules: [
    { name: 'Supermarkets', contains: 'market', category: 'Groceries' },
    { name: 'Coffee bars', contains: 'espresso', category: 'Coffee' },
    { name: 'Petrol stations', contains: 'tank', category: 'Fuel' },
  ],
  goals: [
    { name: 'Bicycle', target: 180_000, saved: 64_000, inDays: 200 },
    { name: 'Three months of rent', target: 294_000, saved: 150_000, inDays: 400 },
  ],
  day: makeDay,
};

const shops = ['Green Corner Market', 'Bäckerei Hölzl', 'Kaufgut Market', 'Wochenmarkt am Fluss'] as const;
const restaurants = ['Trattoria Nino', 'Saigon Küche', 'Zum Anker', 'Burger Werk'] as const;

function makeDay(day: SeedDay, random: Random, { pay, move, balanceOf }: DayMaker): void {
  const { dayOfMonth, weekday, month } = day;
  if (dayOfMonth === 25) pay('Checking', 'Nordlicht Software', 'Salary', month === 11 ? 481_200 : 320_800);
  if (dayOfMonth === 1) pay('Checking', 'Hausverwaltung Brandt', 'Rent', -98_000);
  if (dayOfMonth === 5) pay('Checking', 'Stadtwerke', 'Electricity', -7_150 - 10 * random.whole(0, 60));
  if (dayOfMonth === 8) pay('Checking', 'Glasfaser Direkt', 'Internet', -3_995);
  if (dayOfMonth === 12 && month % 3 === 1) pay('Checking', 'Albatros Versicherung', 'Insurance', -18_600);
  if (dayOfMonth === 15) pay('Card', 'Flixbox', 'Streaming', -1_299);
  if (dayOfMonth === 17) pay('Card', 'Tonspur', 'Streaming', -999);
  if (dayOfMonth === 2) pay('Card', 'City Transit', 'Transport', -4_900);
  if (dayOfMonth === 3) pay('Checking', 'Boulderhalle West', 'Sports', -3_490);
  if (dayOfMonth === 26) move('Checking', 'Savings', 40_000, 'Saving');
  if (balanceOf('Cash') < 2_000) move('Checking', 'Cash', 8_000, 'Cash machine');
  if (dayOfMonth === 28 && balanceOf('Card') < 0) move('Checking', 'Card', -balanceOf('Card'), 'Card bill');
  if (weekday === 6 || weekday === 2 || random.chance(25))
    pay(
      random.chance(70) ? 'Card' : 'Checking',
      random.pick(shops),
      'Groceries',
      -random.whole(1_250, 8_900),
    );
  if (random.chance(weekday === 5 || weekday === 6 ? 45 : 10))
    pay('Card', random.pick(restaurants), 'Restaurants', -random.whole(1_800, 7_400));
  if (weekday >= 1 && weekday <= 5 && random.chance(45) && balanceOf('Cash') > 1_000)
    pay('Cash', 'Espresso am Eck', 'Coffee', -random.whole(280, 560));
  if (random.chance(9)) pay('Card', 'Tankhof Süd', 'Fuel', -random.whole(3_800, 7_900));
  if (random.chance(6)) pay('Card', 'Apotheke zum Löwen', 'Pharmacy', -random.whole(490, 3_400));
  if (random.chance(5)) pay('Card', 'Stoff & Faden', 'Clothing', -random.whole(2_500, 14_900));
  if (random.chance(5)) pay('Card', 'Buchhandlung Seite 7', 'Books', -random.whole(900, 3_200));
  if (random.chance(7)) pay('Card', 'Haus und Garten', 'Household goods', -random.whole(800, 6_500));
  if (month === 6 && dayOfMonth === 11) pay('Card', 'Küstenbahn', 'Holidays', -38_740);
  if (month === 6 && dayOfMonth >= 18 && dayOfMonth <= 27 && random.chance(60))
    pay('Card', 'Pension Seeblick', 'Holidays', -random.whole(4_500, 12_900));
  if ((month === 11 && dayOfMonth >= 8 && dayOfMonth <= 22 && random.chance(40)) || random.chance(2))
    pay('Card', 'Spielzeug Lotte', 'Gifts', -random.whole(1_500, 6_900));
  // A payment that was entered twice, for the user to find.
  if (day.date === addDays(day.last, -12)) {
    pay('Card', 'Apotheke zum Löwen', 'Pharmacy', -2_345);
    pay('Card', 'Apotheke zum Löwen', 'Pharmacy', -2_345);
  }
  // Some transactions of the last three weeks have no category, so that the user has something to categorise.
  if (day.date > addDays(day.last, -21) && random.chance(35))
    pay(
      'Card',
      random.pick(['Kaufgut Market', 'Espresso Central', 'Tankhof Nord', 'Kiosk 24']),
      undefined,
      -random.whole(350, 5_900),
    );
}
