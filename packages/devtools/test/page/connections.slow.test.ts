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
      // Not "Run again" in the history, which uses the profile of an earlier call.
      await page.getByRole('button', { name: 'Run', exact: true }).click();
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

describe('the token of the page', () => {
  it.each(['Control', 'middle', 'menu'] as const)(
    'reaches a link that is opened in another tab: %s',
    async (way) => {
      const { url } = await serveDemo();
      const first = await openPage(url, { expectedProblems: [/401/] });
      const link = first
        .getByRole('navigation', { name: 'Sections' })
        .first()
        .getByRole('link', { name: 'Try' });
      await first.locator('.connection[data-state=live]').waitFor();
      const open = async (): Promise<Page> => {
        if (way !== 'menu') {
          const opened = first.context().waitForEvent('page');
          await link.click(way === 'middle' ? { button: 'middle' } : { modifiers: [way] });
          return opened;
        }
        await link.click({ button: 'right' });
        const second = await first.context().newPage();
        // The menu of the browser has read the address of the link.
        await second.goto(await link.evaluate<string, { href: string }>(({ href }) => href));
        return second;
      };
      const second = await open();
      await second.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
      expect(new URL(second.url()).hash).toBe('#/try');
      await link.click();
      await first.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
      expect(new URL(first.url()).hash).toBe('#/try');
    },
  );

  it('is given for a ticket once', async () => {
    const { url } = await serveDemo();
    const first = await openPage(url, { expectedProblems: [/401/] });
    await first.locator('.connection[data-state=live]').waitFor();
    const link = first
      .getByRole('navigation', { name: 'Sections' })
      .first()
      .getByRole('link', { name: 'Try' });
    await link.click({ button: 'right' });
    const href = await link.evaluate<string, { href: string }>((element) => element.href);
    const [second, third] = [await first.context().newPage(), await first.context().newPage()];
    await second.goto(href);
    await second.locator('.connection[data-state=live]').waitFor();
    await third.goto(href);
    await third.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
  });

  it('is replaced after a restart of the server, and the tab keeps its form meanwhile', async () => {
    const server = await serveDemo();
    const page = await openPage(server.url, { expectedProblems: [/401|503|ERR_/] });
    await loaded(page);
    await page.goto(server.at('try/shop%2Fcustomers.find'));
    const text = page.locator('.try-form input').first();
    await text.fill('Ada');
    await server.close();
    const restarted = await serveDemo({ port: Number(new URL(server.url).port) });
    await page.getByText('The server was started again and has a new token.').waitFor();
    expect(await text.inputValue()).toBe('Ada');
    await page.evaluate(`void (location.hash = '${new URL(restarted.url).hash}')`);
    await page.locator('.connection[data-state=live]').waitFor();
    expect(await text.inputValue()).toBe('Ada');
    expect(page.url()).toBe(server.at('try/shop%2Fcustomers.find'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('region', { name: /^Result in/ })
      .getByText('ok', { exact: true })
      .waitFor();
  });

  it('is used at once if it arrives while the server still refuses another one', async () => {
    const { url, at } = await serveDemo();
    const slow = await openPage(url, { expectedProblems: [/401/] });
    await slow.locator('.connection[data-state=live]').waitFor();
    const tab = await slow.context().newPage();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await tab.route(
      '**/api/events',
      async (route) => {
        const response = await route.fetch();
        await held;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await tab.goto(at('surface'));
    await tab.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
    await tab.evaluate(`void (location.hash = '${new URL(url).hash}')`);
    release();
    await tab.getByRole('tree').waitFor();
  });

  it('is checked when another address is pasted into a page that works', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url, { expectedProblems: [/401/] });
    await page.locator('.connection[data-state=live]').waitFor();
    await page.evaluate(`void (location.hash = '#token=stale')`);
    await page.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
    await page.evaluate(`void (location.hash = '${new URL(url).hash}')`);
    await page.getByRole('tree').waitFor();
  });

  it('is not given to a page of another origin', async () => {
    const [server, other] = [await serveDemo(), await serveDemo()];
    const first = await openPage(server.url);
    await loaded(first);
    const page = await openPage(other.at('surface'), { expectedProblems: [/401/] });
    await page.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
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
