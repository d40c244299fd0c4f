import { describe, expect, it } from 'vitest';
import { openPage } from './browser.js';
import { serveDemo, serveHuge } from './serve-demo.js';

describe('The section Views', () => {
  it('shows what a caller without scopes is challenged for', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    await page.getByText('Challenged actions are listed.').waitFor();
    await page.getByRole('tab', { name: 'Challenged 0' }).waitFor();
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.getByRole('tab', { name: /^Challenged [1-9]/ }).click();
    const list = page.getByRole('list', { name: 'Challenged actions' });
    const row = list.getByRole('listitem').filter({ hasText: 'shop/orders.cancel' });
    expect(await row.innerText()).toContain('money');
    await page.getByRole('button', { name: 'hidden', exact: true }).click();
    await page.getByRole('tab', { name: 'Challenged 0' }).waitFor();
    await page.getByRole('tab', { name: /^Hidden/ }).click();
    await page.getByRole('list', { name: 'Hidden actions' }).getByText('shop/orders.cancel').waitFor();
  });

  it('says why something is hidden, grouped by reason', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    await page.getByLabel('Only actions that read').check();
    await page.getByRole('tab', { name: /^Hidden [1-9]/ }).click();
    const hidden = page.getByRole('list', { name: 'Hidden actions' });
    expect(await hidden.locator('.views-reason').first().innerText()).toContain('read-only');
    await hidden.getByRole('link', { name: 'shop/orders.create' }).click();
    await page.getByRole('heading', { level: 2, name: 'orders.create' }).waitFor();
  });

  it('keeps its choices in the address, so that a link can be shared', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    await page.getByLabel('Client', { exact: true }).selectOption({ label: 'cursor*' });
    await page.getByLabel('Without these tools').fill('doStuff, do_stuff');
    await page.getByLabel('Name of the caller').fill('ada');
    await page.getByLabel('Further claims').fill('{ "tenant": "acme" }');
    await expect.poll(() => page.url()).toContain('acme');
    await page.getByText(/row "cursor\*" of the table/).waitFor();
    await page.reload();
    await page.getByText(/row "cursor\*" of the table/).waitFor();
    expect(await page.getByLabel('Without these tools').inputValue()).toBe('doStuff, do_stuff');
    expect(await page.getByLabel('Name of the caller').inputValue()).toBe('ada');
    expect(await page.getByRole('link', { name: 'doStuff', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('link', { name: 'doStuff', exact: true }).waitFor({ state: 'attached' });
    expect(await page.getByLabel('Name of the caller').inputValue()).toBe('');
  });

  it('keeps a bounded number of rows for 2,000 tools', async () => {
    const { url, at } = await serveHuge(2_000);
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    const listed = page.getByRole('list', { name: 'Listed tools' }).getByRole('listitem');
    await listed.first().waitFor();
    expect(await listed.first().getAttribute('aria-setsize')).toBe('2000');
    expect(await listed.count()).toBeLessThan(100);
    await page.getByLabel('Only actions that read').check();
    await page.getByRole('tab', { name: 'Hidden 1,000' }).click();
    const hidden = page.getByRole('list', { name: 'Hidden actions' }).getByRole('listitem');
    await hidden.first().waitFor();
    expect(await hidden.count()).toBeLessThan(100);
  });

  it('explains claims that are not a JSON object', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    const claims = page.getByLabel('Further claims');
    await claims.fill('{ tenant');
    await expect.poll(() => claims.getAttribute('aria-invalid')).toBe('true');
    await claims.fill('[1]');
    await page.getByText('Claims are an object.').waitFor();
  });

  it('leads to Try with this caller', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    await page.getByRole('button', { name: 'Try as this caller' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
  });

  it('lets every section say as whom the page calls, until the caller is reset', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('views'));
    await page.getByRole('button', { name: 'None' }).click();
    await page.getByText('hidden', { exact: true }).click();
    // A text takes effect when the developer pauses, and here when the field loses the focus.
    await page.getByLabel('Name of the caller').fill('ada');
    await page.getByRole('button', { name: 'Try as this caller' }).click();
    const bar = page.getByText('The page calls as ada with no scopes.');
    await bar.waitFor();
    expect(await bar.innerText()).toContain('do not apply to calls');
    const navigation = page.getByRole('navigation', { name: 'Sections', exact: true });
    for (const name of ['Surface', 'Cost', 'Live', 'Search', 'Code', 'Diff', 'Prompts and resources']) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor({ state: 'attached' });
      expect(await bar.isVisible(), name).toBe(true);
    }
    await page.getByRole('button', { name: 'Reset', exact: true }).first().click();
    await bar.waitFor({ state: 'detached' });
  });
});
