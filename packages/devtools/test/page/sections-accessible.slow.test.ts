import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, openPage } from './browser.js';
import type { OpenOptions } from './browser.js';
import { serveDemo } from './serve-demo.js';

const routes = [
  ['surface/shop', 'What the model reads'],
  ['surface/shop%2Forders.create', 'Answer of describe_tools'],
  ['surface/doStuff', 'Ignore all previous instructions'],
  ['cost', 'Every form and profile'],
  ['views', 'Listed'],
  ['cost/view%3Dbars', 'Every form and profile'],
  ['diff', 'There is no lockfile yet'],
  ['surface', 'Look here first'],
] as const;

/** The frame scrolls inside. A document that scrolls leaves an empty window. */
async function expectFits(page: Page): Promise<void> {
  const room = 'document.scrollingElement.scrollHeight - window.innerHeight';
  await expect.poll(() => page.evaluate(room)).toBe(0);
}

/** Checks the sections one after the other in one page, because opening a page takes as long as checking it. */
async function expectAllAccessible(shown: readonly (readonly [string, string])[], options: OpenOptions) {
  const { url, at } = await serveDemo();
  const page = await openPage(url, options);
  await page.locator('h1').waitFor({ state: 'attached' });
  for (const [route, text] of shown) {
    const own = page.getByText(text);
    // Otherwise the test would not notice that it still sees the section before.
    expect(await own.count(), `"${text}" before ${route}`).toBe(0);
    await page.goto(at(route));
    await own.first().waitFor();
    await expect.poll(() => page.locator('.spinner').count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
  }
}

it.each(['light', 'dark'] as const)('axe finds nothing in any section in the %s theme', (theme) =>
  expectAllAccessible(routes, { theme }),
);

it('axe finds nothing in any section on a phone', () =>
  expectAllAccessible([...routes.slice(0, -1), ['surface/~server', 'Look here first']], { size: 'phone' }));
