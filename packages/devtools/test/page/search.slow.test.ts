import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import type { OpenOptions } from './browser.js';
import { serveDemo } from './serve-demo.js';

async function openSearch(
  { route = 'search', ...options }: OpenOptions & { route?: string } = {},
  registry?: ToolRegistry,
): Promise<Page> {
  const { url, at } = await serveDemo({}, ...(registry ? [{ registry }] : []));
  const page = await openPage(url, options);
  await page.locator('h1').waitFor({ state: 'attached' });
  await page.goto(at(route));
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  return page;
}

const question = (page: Page) => page.getByRole('searchbox', { name: /^Ask for a tool/ });

describe('The section Search', () => {
  it('answers as the developer types, with the reasons of each hit', async () => {
    const page = await openSearch();
    await page.getByText('Ask for what you want to do').waitFor();
    await question(page).fill('cancel an order of a customer');
    const first = page.getByRole('article').first();
    await expect.poll(() => first.getAttribute('aria-label')).toBe('1. shop/orders.cancel');
    const text = await first.innerText();
    expect(text).toContain('strong');
    expect(text).toMatch(/score [01]\.\d\d/);
    expect(text).toContain('Cancels an order. The customer gets the money back');
    expect(text).toMatch(/Words\s+[\d.]+[\s\S]*sum\s+[\d.]+/);
    const matches = first.getByRole('table');
    expect(await matches.innerText()).toMatch(/cancel\s+cancel\s+same word\s+name/);
    expect(await page.getByRole('group', { name: 'Words of the question' }).innerText()).toMatch(
      /cancel\s+in \d+ actions?[\s\S]*too general: an, of, a/,
    );
    expect(page.url()).toContain('query%3Dcancel');
    await first.getByRole('link', { name: 'Try' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
  });

  it('breaks the address of a hit after a slash or an underscore on a phone', async () => {
    const registry = new ToolRegistry({ name: 'long', version: '1' });
    registry.register({
      name: 'international_transfers_between_accounts_undo',
      description: 'Undoes a transfer',
      inputSchema: {},
      handler: () => 'x',
    });
    const page = await openSearch({ size: 'phone' }, registry);
    await question(page).fill('undo a transfer');
    await page.locator('.hit-link').first().waitFor();
    const parts = (await page.evaluate(readLines)) as readonly string[];
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.slice(0, -1).filter((part) => !part.endsWith('_'))).toEqual([]);
  });

  it('explains why a question finds nothing', async () => {
    const page = await openSearch();
    await question(page).fill('zxqvw flurb');
    await page.getByText('No tool matches').first().waitFor();
    await page.getByText('No tool has a word of the question, or a similar word.').waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: 'Words of the question' }).innerText())
      .toContain('unknown: no tool has it');
    await question(page).fill('of the');
    await page.getByText('Every word of the question is too general to search for.').waitFor();
  });

  it('explains why a tool is not found that the developer expected', async () => {
    const page = await openSearch({
      route: `search/${encodeURIComponent('query=cancel an order&tool=book_table')}`,
    });
    await page.getByRole('heading', { name: 'Why this tool is not a hit' }).waitFor();
    const asked = page.getByRole('group', { name: 'The tool that you asked about' });
    expect(await asked.innerText()).toMatch(/book_table[\s\S]*not found/);
    await page.getByRole('button', { name: 'Ask about no tool' }).click();
    await expect
      .poll(() => page.getByRole('heading', { name: 'Why this tool is not a hit' }).count())
      .toBe(0);
    await page.getByLabel('Why is this tool not a hit?').fill('notes/list');
    await page.getByRole('heading', { name: 'Why this tool is not a hit' }).waitFor();
    expect(page.url()).toContain('tool%3Dnotes%252Flist');
    await page.getByLabel('Why is this tool not a hit?').fill('shop/orders.cancel');
    await page.getByText('The search returns shop/orders.cancel in place 1.').waitFor();
  });

  it('compares two questions side by side', async () => {
    const page = await openSearch();
    await question(page).fill('cancel an order');
    await page.getByRole('button', { name: 'Compare with another question' }).click();
    await page.getByRole('searchbox', { name: 'Ask differently' }).fill('list orders');
    const second = page.getByRole('region', { name: 'Second question' }).getByRole('article').first();
    await expect.poll(() => second.getAttribute('aria-label')).toBe('1. shop/orders.list');
    const first = page.getByRole('region', { name: 'Question', exact: true }).getByRole('article').first();
    expect(await first.getAttribute('aria-label')).toBe('1. shop/orders.cancel');
    await page.getByRole('button', { name: 'End comparison' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Second question' }).count()).toBe(0);
  });

  it('remembers questions, and asks them again', async () => {
    const page = await openSearch();
    await question(page).fill('list orders');
    await question(page).press('Enter');
    await page.getByRole('article').first().waitFor();
    await question(page).fill('');
    await page
      .getByRole('region', { name: 'Recent questions' })
      .getByRole('button', { name: 'list orders' })
      .click();
    await page.getByRole('article').first().waitFor();
    await page.reload();
    await question(page).fill('');
    await page.getByRole('button', { name: 'list orders' }).waitFor();
    await page.getByRole('button', { name: 'Forget' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'list orders' }).count()).toBe(0);
  });

  it('shows hostile descriptions and questions as text', async () => {
    const registry = new ToolRegistry({ name: 'hostile' }).register({
      name: 'evil',
      description: `Evil <img src=x onerror=alert(1)> \u202Etxt ${'x'.repeat(5_000)}`,
      inputSchema: {},
      handler: () => 'done',
    });
    const page = await openSearch({}, registry);
    await question(page).fill('evil <script>alert(1)</script> \u202Eabc');
    await page.getByRole('article').first().waitFor();
    expect(await page.locator('main').innerText()).toContain('U+202E');
    expect(await page.locator('main img, main script').count()).toBe(0);
    const { clientWidth, scrollWidth } = await page.locator('main').evaluate(readWidths);
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  it('is operated with the keyboard alone', async () => {
    const page = await openSearch();
    await tabTo(page, 'main input[type=search]');
    await page.keyboard.type('cancel an order');
    await page.getByRole('article').first().waitFor();
    await tabTo(page, 'main article a[href*="surface"]');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders.cancel' }).first().waitFor();
  });
});

describe.each(['light', 'dark'] as const)('In the %s theme, axe finds nothing in Search', (theme) => {
  it.each(['desktop', 'phone'] as const)('on a %s', async (size) => {
    const page = await openSearch({ theme, size });
    await expectAccessible(page);
    await question(page).fill('cancel an order');
    await page.getByRole('article').first().waitFor();
    await page.getByRole('button', { name: 'Compare with another question' }).click();
    await page.getByRole('searchbox', { name: 'Ask differently' }).fill('zxqvw');
    await page.getByText('No tool matches').first().waitFor();
    await expect.poll(() => page.locator('.spinner').count()).toBe(0);
    await expectAccessible(page);
  });
});

function readWidths(element: unknown): { readonly clientWidth: number; readonly scrollWidth: number } {
  const { clientWidth, scrollWidth } = element as { clientWidth: number; scrollWidth: number };
  return { clientWidth, scrollWidth };
}

/** The lines of the first address as the browser breaks them. */
const readLines = `(() => {
  const lines = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector('.hit-link'), NodeFilter.SHOW_TEXT);
  let top;
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (let at = 0; at < node.length; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getBoundingClientRect();
      if (box.top !== top) lines.push('');
      top = box.top;
      lines.push(lines.pop() + node.data[at]);
    }
  return lines;
})()`;
