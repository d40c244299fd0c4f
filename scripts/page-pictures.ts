/**
 * Takes the pictures of the page in the docs, from the showcase: `npm run docs:pictures`. With names as arguments, takes only these:
 * `npm run docs:pictures -- surface live`.
 */
import { statSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../packages/devtools/test/page/chromium.js';
import { quantizePng } from './pictures/quantize-png.js';
import { showShowcase } from './pictures/showcase-page.js';
import type { ShownPage } from './pictures/showcase-page.js';

type Look = 'light' | 'dark' | 'phone';

interface Shot {
  readonly name: string;
  readonly route: string;
  readonly looks: readonly Look[];
  readonly prepare?: (page: Page, shown: ShownPage) => Promise<void>;
}

const every: readonly Look[] = ['light', 'dark', 'phone'];
const SETTLE_MS = 1_000;

/** The part of a route that belongs to the section, as the page writes it. */
const restOf = (fields: Readonly<Record<string, string>>): string =>
  encodeURIComponent(new URLSearchParams(fields).toString());

const press = async (page: Page, name: RegExp): Promise<void> => {
  await page.getByRole('main').getByRole('button', { name }).first().click();
};

const shots: readonly Shot[] = [
  { name: 'surface', route: 'surface/transfers%2Fmake', looks: every },
  { name: 'cost', route: 'cost', looks: every },
  {
    name: 'try',
    route: 'try/reports%2Fspending',
    looks: every,
    prepare: async (page) => {
      await press(page, /^Run$/);
      await page.waitForTimeout(SETTLE_MS);
      await page.mouse.move(700, 400);
      await page.mouse.wheel(0, -5_000);
    },
  },
  {
    name: 'views',
    route: `views/${restOf({ form: 'flat', scopes: 'finance%3Awrite', 'scopes-are': 'hidden' })}`,
    looks: ['light', 'phone'],
  },
  { name: 'live', route: 'live', looks: every, prepare: (_, { makeCalls }) => makeCalls(60) },
  {
    name: 'search',
    route: `search/${restOf({ query: 'how much did I spend on groceries last month' })}`,
    looks: ['light'],
  },
  { name: 'code', route: 'code', looks: ['dark'], prepare: (page) => press(page, /^Run$/) },
  { name: 'diff', route: 'diff', looks: ['light', 'phone'] },
  {
    name: 'items',
    route: 'items',
    looks: ['light'],
    prepare: (page) => page.getByRole('main').getByText('budget://default').first().click(),
  },
];

const [wanted, folder] = [process.argv.slice(2), new URL('../docs/pictures/', import.meta.url)];
const shown = await showShowcase();
const browser = await launchChromium();
try {
  await shown.makeCalls(120);
  for (const shot of shots) {
    if (wanted.length > 0 && !wanted.includes(shot.name)) continue;
    for (const look of shot.looks) await take(browser, shot, look);
  }
} finally {
  await browser.close();
  await shown.close();
}

async function take(from: Browser, { name, route, prepare }: Shot, look: Look): Promise<void> {
  const context = await from.newContext({
    colorScheme: look === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...(look === 'phone'
      ? { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
      : { viewport: { width: 1280, height: 800 } }),
  });
  const page = await context.newPage();
  await page.goto(shown.url);
  await page.locator('h1').first().waitFor();
  await page.goto(`${new URL('/', shown.url).href}#/${route}`);
  await page.waitForTimeout(SETTLE_MS);
  await prepare?.(page, shown);
  await page.waitForTimeout(SETTLE_MS);
  await page.locator('.spinner').first().waitFor({ state: 'hidden' });
  const file = new URL(`page-${name}-${look}.png`, folder);
  writeFileSync(file, quantizePng(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
  console.log(`${String(statSync(file).size).padStart(8)}  page-${name}-${look}.png`);
  await context.close();
}
