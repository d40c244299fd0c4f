import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, openPage } from './browser.js';
import { serveDemo } from './serve-demo.js';

const routes = [
  ['surface', 'Look here first'],
  ['surface/shop', 'What the model reads'],
  ['surface/shop%2Forders.create', 'Answer of describe_tools'],
  ['surface/doStuff', 'Ignore all previous instructions'],
  ['cost', 'Every form and profile'],
  ['cost/view%3Dbars', 'Every form and profile'],
  ['views', 'Listed'],
  ['diff', 'There is no lockfile yet'],
] as const;

/** The frame scrolls inside. A document that scrolls leaves an empty window. */
async function expectFits(page: Page): Promise<void> {
  const room = 'document.scrollingElement.scrollHeight - window.innerHeight';
  await expect.poll(() => page.evaluate(room)).toBe(0);
}

describe.each(['light', 'dark'] as const)('In the %s theme', (theme) => {
  it.each(routes)('axe finds nothing in %s', async (route, text) => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { theme });
    await page.locator('h1').waitFor({ state: 'attached' });
    await page.goto(at(route));
    await page.getByText(text).first().waitFor();
    await expect.poll(() => page.locator('.spinner').count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
  });
});

describe('On a phone', () => {
  const phoneRoutes = [...routes.slice(1), ['surface/~server', 'Look here first'] as const];
  it.each(phoneRoutes)('axe finds nothing in %s', async (route, text) => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { size: 'phone' });
    await page.locator('h1').waitFor({ state: 'attached' });
    await page.goto(at(route));
    await page.getByText(text).first().waitFor();
    await expect.poll(() => page.locator('.spinner').count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
  });
});
