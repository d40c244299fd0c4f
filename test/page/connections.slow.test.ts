import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPage } from './browser.js';
import { serveDemo } from './serve-demo.js';
import { createAskingServer } from './try-servers.js';

/** Browsers open six connections to a host, for all tabs together. */
const LIMIT = 6;

const loaded = (page: Page) => page.getByRole('navigation', { name: 'Sections' }).first().waitFor();

/** Whether the page can still reach its server. */
async function expectAnswer(page: Page): Promise<void> {
  const status = await page.evaluate(
    `fetch('/api/server', { headers: { 'x-toolfold-token': sessionStorage.getItem('toolfold-token') }, signal: AbortSignal.timeout(20000) }).then(({ status }) => status)`,
  );
  expect(status).toBe(200);
}

describe('the connections of the page', () => {
  it('do not run out when calls of the era 2025 use more profiles than browsers open connections', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await loaded(page);
    await page.goto(at('try/shop%2Forders.list'));
    await page.getByRole('group', { name: 'Era' }).getByRole('button', { name: '2025' }).click();
    const profiles = ['none', 'portable', 'anthropic', 'openai', 'gemini', 'cursor', 'vscode'];
    expect(profiles.length).toBeGreaterThan(LIMIT);
    for (const profile of profiles) {
      const listed = page.waitForResponse(
        (response) =>
          /\/api\/listing\b/.test(response.url()) && response.url().endsWith(`profile=${profile}`),
      );
      await page.getByLabel('Profile').first().selectOption(profile);
      await listed;
      const answered = page.waitForResponse(
        (response) =>
          response.url().endsWith(`/${profile}`) &&
          (response.request().postData() ?? '').includes('tools/call'),
      );
      await page
        .getByRole('button', { name: /^Run/ })
        .and(page.locator(':not([aria-disabled=true])'))
        .first()
        .click();
      expect((await answered).status()).toBe(200);
    }
    await expectAnswer(page);
  });

  it('are given up by hidden tabs, so that another tab can load, and come back when a tab is shown', async () => {
    const { url } = await serveDemo();
    const first = await openPage(url);
    await loaded(first);
    const tabs = [first];
    const open = async (count: number) => {
      for (let opened = 0; opened < count; opened++) {
        const page = await first.context().newPage();
        await page.goto(url);
        await loaded(page);
        tabs.push(page);
      }
    };
    // Chromium without a window shows every tab, so the test hides them as a window would.
    const show = (page: Page, state: 'hidden' | 'visible') =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await open(3);
    await Promise.all(
      tabs.map(async (page) => {
        const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/events'));
        await show(page, 'hidden');
        await ended;
      }),
    );
    await open(4);
    expect(tabs.length).toBeGreaterThan(LIMIT);
    await show(first, 'visible');
    await first.locator('.connection[data-state=live]').waitFor();
  });
});

describe('the page', () => {
  it('has an icon of its own, so that browsers do not ask for another one', async () => {
    const { url } = await serveDemo({}, { registry: createAskingServer() });
    const page = await openPage(url);
    await loaded(page);
    const href = await page.locator('link[rel=icon]').getAttribute('href');
    const icon = await page.request.get(new URL(href ?? '', url).href);
    expect([icon.status(), icon.headers()['content-type']]).toEqual([200, 'image/svg+xml']);
  });
});
