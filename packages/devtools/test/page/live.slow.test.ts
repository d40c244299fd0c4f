import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PageSource } from '@toolfold/devtools/internal';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import type { OpenOptions } from './browser.js';
import type { BusyOrder, BusyReport } from './busy-server.js';
import { createLiveServer } from './live-server.js';
import { createTestSource, openTestPage } from './page-client.js';
import { serveDemo } from './serve-demo.js';

async function openLive(
  registry: ToolRegistry,
  { route = 'live', ...options }: OpenOptions & { route?: string } = {},
): Promise<Page> {
  const { url } = await serveDemo({}, { registry });
  return openLiveAt(url, route, options);
}

async function openLiveAt(url: string, route: string, options: OpenOptions = {}): Promise<Page> {
  const page = await openPage(url, options);
  await page.locator('h1').waitFor({ state: 'attached' });
  await page.goto(`${new URL(url).origin}/#/${route}`);
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  // The server tells of calls only to tabs that are connected.
  await page.locator('.connection[data-state=live]').waitFor({ state: 'attached' });
  return page;
}

const rows = (page: Page) => page.getByRole('listbox').getByRole('option');

describe('The section Live', () => {
  it('explains how to make calls before there are any', async () => {
    const page = await openLive(createLiveServer().registry);
    await page.getByText('No calls yet').first().waitFor();
    await page.getByText('/mcp/grouped/').waitFor();
    await page.getByRole('link', { name: 'Make a call in Try' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
  });

  it('says of a server elsewhere that only the calls of the page appear, and of a saved list that there are none', async () => {
    const { registry } = createLiveServer();
    const open = async (others: Partial<PageSource>) => {
      const { url } = await openTestPage(createTestSource({ registry, found: 'registry' }, others));
      const page = await openLiveAt(url, 'live');
      await page.getByText('No calls yet').first().waitFor();
      return page.getByRole('main').innerText();
    };
    const forwarded = await open({ isForwarded: true });
    expect(forwarded).toContain('Only calls through this page appear here');
    expect(forwarded).toContain('Make a call in Try');
    const saved = await open({ canCall: false, isForwarded: true });
    expect(saved).toContain('A saved list has no server');
    expect(saved).not.toContain('Make a call in Try');
  });

  it('keeps its tab while another section is shown', async () => {
    const page = await openLive(createLiveServer().registry);
    const navigation = page.getByRole('navigation', { name: 'Sections', exact: true });
    const selected = page.getByRole('tab', { selected: true });
    await page.getByRole('tab', { name: 'By tool' }).click();
    await navigation.getByRole('link', { name: 'Cost' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    await navigation.getByRole('link', { name: 'Live' }).click();
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    expect(await selected.innerText()).toBe('By tool');
    await page.getByRole('tab', { name: 'Calls' }).click();
    expect(await selected.innerText()).toBe('Calls');
  });

  it('shows calls as they arrive, the newest first, with everything about them', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    await call('list', { state: 'open' });
    await call('cancel', { id: 'o-7' }, 'grace');
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await rows(page).first().innerText()).toMatch(
      /shop\/cancel\s+grace\s+cursor 1\.7\s+[\d.]+ [mµ]s\s+ErrToolFailed/,
    );
    expect(await rows(page).nth(1).innerText()).toMatch(/shop\/list\s+ada\s/);
    expect(await rows(page).nth(1).locator('.live-tokens').innerText()).toMatch(/^[1-9]/);
    await rows(page).first().click();
    const details = page.getByRole('complementary', { name: 'Call of shop/cancel' });
    await details.getByText('Order o-7 has no lines').first().waitFor();
    expect(await details.getByLabel('Stack', { exact: true }).innerText()).toContain('TypeError');
    await details.getByRole('figure', { name: /^Code at live-server\.ts:\d+:\d+$/ }).waitFor();
    expect(await details.getByLabel('arguments', { exact: true }).innerText()).toContain('"id": "o-7"');
    expect(await details.innerText()).toMatch(/≈ \d+ tokens?/);
    expect(await page.locator('.live-head').innerText()).toContain('≈ Tokens');
    expect(await details.innerText()).toMatch(/Steps\s+Find[\s\S]*Run/);
    await page.getByTestId('totals').getByText('Calls since').waitFor();
    await expect.poll(() => page.getByTestId('total-calls').innerText()).toBe('2');
    expect(await page.getByTestId('shown').innerText()).toMatch(/^Showing 2 of 2 calls since [\d:]+\.$/);
  });

  it('opens Try with the arguments of a call', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    await call('list', { state: 'shipped' });
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Try with these arguments' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
    await expect
      .poll(async () => JSON.stringify(await page.locator('input, textarea').evaluateAll(readValues)))
      .toContain('shipped');
  });

  it('filters by text, outcome, tool and duration, and keeps the filters in the route', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    for (let at = 0; at < 3; at++) await call('list');
    await call('cancel', { id: 'o-9' }, 'grace');
    await expect.poll(() => rows(page).count()).toBe(4);
    await page.getByLabel('Address, message or caller').fill('O-9');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByLabel('Address, message or caller').fill('');
    await page.getByRole('button', { name: 'Errors', exact: true }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(page.url()).toContain('outcome%3Derror');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByLabel('Tool', { exact: true }).selectOption('shop/list');
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(3);
    await page.getByLabel('Least duration').fill('60000');
    await page.getByText('No call matches the filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows(page).count()).toBe(4);
  });

  it('pauses without losing the count', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    await call('list');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    for (let at = 0; at < 5; at++) await call('list');
    await expect.poll(() => page.getByTestId('missed').innerText()).toBe('Paused: 5 new calls');
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => rows(page).count()).toBe(6);
  });

  it('groups errors with their count, and lists the figures of each tool', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    for (let at = 0; at < 3; at++) await call('cancel', { id: 'o-1' });
    await call('cancel');
    await call('list');
    await page.getByRole('tab', { name: /^Error groups/ }).click();
    const groups = page.getByRole('tabpanel').getByRole('listitem');
    await expect.poll(() => groups.count()).toBe(2);
    expect(await groups.nth(1).innerText()).toMatch(/shop\/cancel[\s\S]*3 times[\s\S]*First at .*, last at /);
    await groups.nth(1).getByText('Stack of the last error').click();
    await groups.nth(1).getByText('TypeError: Order o-1 has no lines').waitFor();
    await page.getByRole('tab', { name: /^By tool/ }).click();
    const table = page.getByRole('table', { name: 'Calls, errors, durations' });
    await expect
      .poll(async () => (await table.getByRole('row').allInnerTexts())[1])
      .toMatch(/shop\/cancel\s+4\s+4 \(100 %\)/);
    await table.getByRole('button', { name: 'Tool' }).click();
    expect(await table.getByRole('columnheader', { name: 'Tool' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await table.getByRole('link', { name: 'shop/list' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  it('lists the median and the 95th percentile of the durations of each tool', async () => {
    const registry = new ToolRegistry({ name: 'slow' }).register({
      name: 'wait',
      description: 'Waits',
      inputSchema: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
      handler: ({ input }) =>
        new Promise((resolve) => setTimeout(() => resolve('done'), (input as { ms: number }).ms)),
    });
    const page = await openLive(registry, { route: 'live/tab%3Dtools' });
    for (let at = 0; at < 20; at++)
      await registry.executeTool({ name: 'wait', arguments: { ms: at < 17 ? 0 : 900 } });
    const table = page.getByRole('table', { name: 'Calls, errors, durations' });
    const textsOf = (row: number) => table.getByRole('row').nth(row).locator('th, td').allInnerTexts();
    const cellOf = async (name: string) => {
      const [titles, texts] = [await textsOf(0), await textsOf(1)];
      return texts[titles.findIndex((title) => title.trim() === name)];
    };
    await expect.poll(() => cellOf('Calls')).toBe('20');
    expect(Number.parseFloat((await cellOf('p50')) ?? '')).toBeLessThan(800);
    expect(await cellOf('p95')).toMatch(/^(?:[89]\d\d ms|\d\.\d+ s)/);
  });

  it('lists the questions to the search with their hits and misses, and opens them in Search', async () => {
    const { registry } = createLiveServer();
    const { url, at } = await serveDemo({ view: { form: 'search' } }, { registry });
    const page = await openPage(url);
    await page.locator('h1').waitFor({ state: 'attached' });
    await page.goto(at('live/tab%3Dquestions'));
    await page.getByText('Nobody has searched yet').waitFor();
    await askSearch(page, ['list orders', 'zxqvw flurb']);
    const questions = page.getByRole('tabpanel').locator('.live-group');
    await expect.poll(() => questions.count()).toBe(2);
    const texts = (await questions.allInnerTexts()).join('\n');
    expect(texts).toMatch(/miss\s+zxqvw flurb/);
    expect(texts).toMatch(/hits?\s+list orders[\s\S]*shop\/list/);
    await page.getByRole('link', { name: 'zxqvw flurb' }).click();
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await page.getByText('No tool matches').first().waitFor();
  });

  it('counts the same calls in the head and above the list, and says where those that it does not list are', async () => {
    const { registry, call } = createLiveServer();
    const { url } = await serveDemo({}, { registry });
    const made = 300;
    for (let at = 0; at < made; at++) await call('list');
    const page = await openLiveAt(url, 'live');
    const shown = page.getByTestId('shown');
    await expect.poll(() => page.getByTestId('total-calls').innerText()).toBe('300');
    await expect
      .poll(() => shown.innerText())
      .toMatch(
        /^Showing (\d+) of 300 calls since [\d:]+\. Not shown: \d+ made while this tab was not connected\.$/,
      );
    const [listed = 0, , away = 0] = numbersOf(await shown.innerText());
    expect(listed + away).toBe(made);
    await call('list');
    await expect.poll(() => page.getByTestId('total-calls').innerText()).toBe('301');
    await expect.poll(() => shown.innerText()).toContain(`Showing ${listed + 1} of 301 calls since`);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('No calls since you cleared the list').waitFor();
    expect(await shown.innerText()).toMatch(
      /^Showing 0 of 301 calls since [\d:]+\. Not shown: 301 cleared\.$/,
    );
    await page.getByLabel('Least duration').fill('60000');
    await call('list');
    await expect.poll(() => shown.innerText()).toMatch(/Not shown: 1 hidden by the filters, 301 cleared\.$/);
  });

  it('counts every one of 1,000 calls per second, lists a sample, and stays responsive', async () => {
    const busy = await startBusyServer();
    const page = await openLiveAt(busy.url, 'live');
    await page.evaluate(watchTasks);
    const order = { calls: 5_500, perSecond: 1_250, failEvery: 100 };
    const made = busy.make(order);
    // Everything can be used while the calls arrive.
    await page.getByRole('button', { name: 'Errors', exact: true }).click();
    await rows(page).first().click();
    await page.getByRole('complementary', { name: 'Call of shop/cancel' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    const { ms, largestBurst } = await made;
    expect(order.calls / (ms / 1_000)).toBeGreaterThanOrEqual(1_000);
    // The calls were spread over the time instead of sent all at once. A busy machine may delay some of them.
    expect(largestBurst).toBeLessThan(order.calls / 2);

    const shown = page.getByTestId('shown');
    await expect.poll(() => page.getByTestId('total-calls').innerText()).toBe('5,500');
    await expect.poll(() => shown.innerText()).toMatch(/ of 5,500 calls since .* left out of the sample\.$/);
    const text = await shown.innerText();
    const [listed = 0, , ...notListed] = numbersOf(text);
    expect(
      notListed.reduce((sum, count) => sum + count, listed),
      text,
    ).toBe(order.calls);
    expect(await rows(page).count()).toBeLessThan(80);
    expect(await page.locator('*').count()).toBeLessThan(2_500);
    // A task of the page takes some milliseconds, and much longer if other processes need the processor.
    expect(await page.evaluate(longestTask)).toBeLessThan(2_000);
    await page.getByRole('tab', { name: /^By tool/ }).click();
    const table = page.getByRole('table', { name: 'Calls, errors, durations' });
    await expect
      .poll(async () => (await table.getByRole('row').allInnerTexts()).join('\n'))
      .toMatch(/shop\/list\s+5,445\s+0\s[\s\S]*shop\/cancel\s+55\s/);
  });

  it('draws the charts with the colours of the new theme after a change, and keeps their values', async () => {
    const { registry, call } = createLiveServer();
    // The browser warns about tests that read a canvas.
    const page = await openLive(registry, { expectedProblems: [/willReadFrequently/] });
    for (let at = 0; at < 20; at++) await call('list');
    const charts = page.locator('.live-canvas canvas');
    await expect.poll(() => charts.count()).toBe(2);
    for (const theme of ['light', 'dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe(theme);
      for (const [at, name] of (['--chart-1', '--chart-2'] as const).entries())
        await expect
          .poll(() => charts.nth(at).evaluate(hasColour, name), { message: `${name} in the ${theme} theme` })
          .toBe(true);
      expect(await charts.count()).toBe(2);
    }
  });

  it('draws p50 over p95, so that both are visible for a single call', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry, { expectedProblems: [/willReadFrequently/] });
    const chart = page.locator('.live-canvas canvas').nth(1);
    await chart.waitFor();
    await call('list');
    for (const name of ['--chart-2', '--chart-3'])
      await expect.poll(() => chart.evaluate(hasColour, name), { message: name }).toBe(true);
  });

  it('shows prompts and resources as such, filters them, and opens them in their section', async () => {
    const { registry } = createLiveServer();
    registry.registerPrompt({
      name: 'welcome',
      description: 'Greets',
      handler: () => {
        throw new Error('No words');
      },
    });
    const { url } = await serveDemo({}, { registry });
    const page = await openLiveAt(url, 'live');
    await ask(page, 'prompts/get', { name: 'welcome' });
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await rows(page).first().innerText()).toContain('prompt welcome');
    await page.getByRole('tab', { name: /^Error groups/ }).click();
    await page.getByRole('link', { name: 'prompt welcome' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    expect(await page.getByRole('button', { name: 'Try with these arguments' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Open in Prompts and resources' }).click();
    await page.getByRole('heading', { level: 2, name: 'welcome' }).waitFor();
  });

  it('has room for the names of tools on a phone', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry, { size: 'phone', route: 'live/tab%3Dtools' });
    for (let at = 0; at < 20; at++) await call('list');
    const link = page.getByRole('link', { name: 'shop/list' });
    await link.waitFor();
    expect((await link.boundingBox())?.height).toBeLessThan(30);
    const { clientWidth, scrollWidth } = await page.locator('main').evaluate(readWidths);
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  it('holds the list while the developer scrolls in it', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    for (let at = 0; at < 120; at++) await call('list');
    await expect.poll(() => page.getByTestId('shown').innerText()).toContain('of 120 calls');
    await page
      .getByRole('listbox')
      .evaluate((list) => ((list as unknown as { scrollTop: number }).scrollTop = 600));
    await page.getByText('Held while you scroll').waitFor();
    const first = await rows(page).first().innerText();
    for (let at = 0; at < 5; at++) await call('list');
    await expect.poll(() => page.getByTestId('missed').innerText()).toContain('5 new calls');
    expect(await rows(page).first().innerText()).toBe(first);
    await page.getByRole('button', { name: 'Show newest' }).click();
    await expect.poll(() => page.getByTestId('missed').count()).toBe(0);
  });

  it('is operated with the keyboard alone', async () => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry);
    await call('list');
    await call('cancel', { id: 'o-3' });
    await expect.poll(() => rows(page).count()).toBe(2);
    await tabTo(page, '[role=listbox]');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary', { name: 'Call of shop/cancel' }).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('complementary', { name: 'Call of shop/list' }).waitFor();
    const active = await page.getByRole('listbox').getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await tabTo(page, 'button:has-text("Try with these arguments")');
    await tabTo(page, '[aria-label="Close details"]', 200);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  });

  it('shows hostile texts of callers and errors as text', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202Egnp.exe';
    const registry = new ToolRegistry({ name: 'hostile' }).register({
      name: 'evil',
      description: 'Fails',
      inputSchema: {},
      handler: () => {
        throw new Error(`${hostile} ${'long'.repeat(2_000)}`);
      },
    });
    const page = await openLive(registry);
    await registry.executeTool({
      name: 'evil',
      arguments: { text: hostile },
      caller: { client: { name: hostile, version: '1' } },
    } as never);
    await registry.executeTool({ name: hostile } as never);
    await expect.poll(() => rows(page).count()).toBe(2);
    await rows(page).nth(1).click();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.locator('main').innerText()).toContain('U+202E');
    await page.getByRole('tab', { name: /^Error groups/ }).click();
    await page.getByText('<img src=x').first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const { clientWidth, scrollWidth } = await page.locator('main').evaluate(readWidths);
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });
});

describe.each(['light', 'dark'] as const)('In the %s theme, axe finds nothing in Live', (theme) => {
  it.each(['desktop', 'phone'] as const)('on a %s', async (size) => {
    const { registry, call } = createLiveServer();
    const page = await openLive(registry, { theme, size });
    await expectAccessible(page);
    await call('list');
    await call('cancel', { id: 'o-3' });
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.locator('.live-canvas canvas').nth(1).waitFor();
    await expectAccessible(page);
    await rows(page).first().click();
    await page.getByText('Stack of the error').first().waitFor();
    await expectAccessible(page);
    if (size === 'phone') await page.keyboard.press('Escape');
    for (const tab of ['By tool', 'Error groups', 'Search questions']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
      await expectAccessible(page);
    }
  });
});

async function askSearch(page: Page, queries: readonly string[]): Promise<void> {
  for (const query of queries) {
    const { status, text } = await ask(page, 'tools/call', { name: 'search_tools', arguments: { query } });
    expect(status, text).toBe(200);
  }
}

/** Sends a request to the page's own MCP endpoint. */
async function ask(
  page: Page,
  method: string,
  params: { readonly name: string; readonly arguments?: object },
) {
  const token = await page.evaluate(() =>
    (globalThis as unknown as PageGlobals).sessionStorage.getItem('toolfold-token'),
  );
  const response = await fetch(`${new URL(page.url()).origin}/mcp/search/none`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-toolfold-token': String(token),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return { status: response.status, text: await response.text() };
}

/** Starts `busy-server.ts`, until the test ends. */
async function startBusyServer() {
  const child = fork(fileURLToPath(new URL('./busy-server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  onTestFinished(() => void child.kill());
  const answer = <T>() =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (message) => resolve(message as T));
      child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
  const { url } = await answer<{ readonly url: string }>();
  return {
    url,
    make: (order: BusyOrder): Promise<BusyReport> => {
      child.send(order);
      return answer();
    },
  };
}

/** The whole numbers of a text, without those of a time. */
function numbersOf(text: string): number[] {
  return Array.from(text.replace(/\d+(?::\d+)+/g, '').matchAll(/[\d,]*\d/g), ([found]) =>
    Number(found.replaceAll(',', '')),
  );
}

/** Collects the long tasks of the page, in the page. */
function watchTasks(): void {
  const page = globalThis as unknown as PageGlobals;
  page.longTasks = [];
  const observer = new page.PerformanceObserver((list) =>
    page.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  );
  observer.observe({ type: 'longtask' });
}

function longestTask(): number {
  return Math.max(0, ...(globalThis as unknown as PageGlobals).longTasks);
}

/** Whether a canvas has a pixel of a colour of the current theme. Runs in the page. */
function hasColour(element: unknown, name: string): boolean {
  const { getComputedStyle, document } = globalThis as unknown as PageGlobals;
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const canvas = element as Canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255 && wanted.every((value, part) => Math.abs(value - (data[at + part] ?? 0)) <= 2))
      return true;
  return false;
}

/** The globals of the page that these tests use. The tests are compiled without the types of browsers. */
interface PageGlobals {
  readonly sessionStorage: { getItem(key: string): string | null };
  readonly document: { readonly documentElement: unknown };
  readonly getComputedStyle: (element: unknown) => { getPropertyValue(name: string): string };
  readonly PerformanceObserver: new (
    listener: (list: { getEntries(): readonly { readonly duration: number }[] }) => void,
  ) => { observe(options: { readonly type: 'longtask' }): void };
  longTasks: number[];
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: ArrayLike<number> };
  };
}

function readValues(elements: readonly unknown[]): string[] {
  return elements.map((element) => (element as { readonly value: string }).value);
}

function readWidths(element: unknown): { readonly clientWidth: number; readonly scrollWidth: number } {
  const { clientWidth, scrollWidth } = element as { clientWidth: number; scrollWidth: number };
  return { clientWidth, scrollWidth };
}
