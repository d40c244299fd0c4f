import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devtools } from '@toolfold/devtools';
import type { Devtools } from '@toolfold/devtools';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage } from './browser.js';
import { createDemo } from './demo-registry.js';
import { serveDemo } from './serve-demo.js';

let registry: ToolRegistry;
let demo: Devtools;

beforeAll(async () => {
  const created = createDemo();
  ({ registry } = created);
  let price = 1;
  registry.registerResource({
    name: 'ticker',
    uri: 'demo://ticker',
    mimeType: 'application/json',
    handler: () => JSON.stringify({ price: price++, note: '<img src=x onerror=alert(1)>' }),
  });
  demo = await devtools(registry, { toolsets: created.toolsets });
});

afterAll(() => demo.close());

/** Opens an item, such as `prompt/welcome`. */
async function openItem(rest: string, options?: Parameters<typeof openPage>[1]): Promise<Page> {
  const page = await openPage(demo.url ?? '', options);
  await page.getByRole('navigation', { name: 'Sections' }).first().waitFor();
  await page.evaluate(`location.hash = '#/items/' + encodeURIComponent(${JSON.stringify(rest)})`);
  await page.getByRole('heading', { name: 'Prompts and resources', level: 1 }).waitFor();
  return page;
}

const eras = ['2026', '2025'] as const;
const revision = { 2026: '2026-07-28', 2025: '2025-11-25' } as const;

async function chooseEra(page: Page, era: '2026' | '2025'): Promise<void> {
  await page.getByRole('group', { name: 'Era' }).getByRole('button', { name: era }).click();
}

const result = (page: Page, era: '2026' | '2025' = '2026'): Locator =>
  page.getByRole('region', { name: `Result in ${revision[era]}` });

describe.each(eras)('Prompts and resources in the era %s', (era) => {
  it('gets a prompt with the suggestions of the server for its arguments', async () => {
    const page = await openItem('prompt/welcome');
    await chooseEra(page, era);
    await page.getByRole('button', { name: 'Get the prompt' }).click();
    await page.getByText('is required').waitFor();
    await page.getByLabel('customer').fill('Ada');
    await page.getByLabel('city').fill('p');
    await page
      .getByRole('group', { name: 'Suggestions for city' })
      .getByRole('button', { name: 'Prague' })
      .click();
    await page.getByRole('button', { name: 'Get the prompt' }).click();
    await result(page, era).getByText('Write a friendly greeting to Ada of Prague.').waitFor();
    await result(page, era)
      .getByRole('tab', { name: /Messages/ })
      .click();
    await result(page, era).getByText('prompts/get').waitFor();
  });

  it('reads resources by their kind, and templates with their variables', async () => {
    const page = await openItem('resource/demo://manual');
    await chooseEra(page, era);
    await page.getByRole('button', { name: 'Read again' }).click();
    await result(page, era).getByText('Orders are shipped on weekdays.').waitFor();
    await page.getByRole('link', { name: /demo:\/\/logo/ }).click();
    await result(page, era).locator('img[src^="data:"]').waitFor();
    await page.getByRole('link', { name: /demo:\/\/orders/ }).click();
    await page.getByLabel('id', { exact: true }).fill('o-2');
    await page.getByText('demo://orders/o-2').waitFor();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await result(page, era).getByText('"o-2"').waitFor();
  });

  it('follows the updates of a resource', async () => {
    const page = await openItem('resource/demo://ticker');
    await chooseEra(page, era);
    await page.getByRole('button', { name: 'Follow updates' }).click();
    await expect
      .poll(async () => {
        registry.notifyResourceUpdated('demo://ticker');
        return page.getByText(/updated \d+ times?/).count();
      })
      .toBe(1);
  });
});

describe('Prompts and resources', () => {
  it('are listed with a search', async () => {
    const page = await openItem('');
    await page.getByLabel('Find prompts and resources').fill('photo');
    await page.getByRole('link', { name: /review_photo/ }).click();
    await page.getByRole('button', { name: 'Get the prompt' }).click();
    await result(page).locator('img').waitFor();
    await result(page).getByText('What is wrong with this photo?').waitFor();
  });

  it('shows hostile contents as text', async () => {
    const page = await openItem('resource/demo://ticker');
    await result(page).getByText('<img src=x onerror=alert(1)>').waitFor();
  });

  it('explains an unknown resource', async () => {
    const page = await openItem('resource/demo://nothing', { expectedProblems: [/40\d/] });
    await result(page)
      .getByText(/invalid params|unknown resource/)
      .waitFor();
  });

  it('are listed and opened if half of a character is missing in a name', async () => {
    const name = 'broken \ud800 name';
    registry.registerPrompt({ name, description: 'Broken \udc00.', handler: () => 'Still here.' });
    const page = await openItem('');
    await page.getByLabel('Find prompts and resources').fill('broken');
    await page.getByRole('link', { name: /broken . name/ }).click();
    await page.getByRole('heading', { level: 2, name: /broken/ }).waitFor();
    await page.getByRole('button', { name: 'Get the prompt' }).waitFor();
  });

  it('lead back from an unknown item on a phone', async () => {
    const page = await openItem('prompt/nothing', { size: 'phone' });
    await page.getByText('There is no such item').waitFor();
    await page.getByRole('link', { name: 'All prompts and resources' }).click();
    await page.getByRole('link', { name: /welcome/ }).waitFor();
  });

  it('say once that a server has none', async () => {
    const { url, at } = await serveDemo({}, { registry: new ToolRegistry({ name: 'empty' }) });
    const page = await openPage(url);
    await page.getByText('This server has no tools').waitFor();
    await page.goto(at('items'));
    await page.getByText('This server has no prompts and resources').waitFor();
    expect(await page.locator('.empty').count()).toBe(1);
    await expectAccessible(page);
  });

  it('copies a request as a command for curl that works', async () => {
    const page = await openItem('resource/demo://prices');
    await page.getByText('Copy as').click();
    await page.getByRole('button', { name: 'curl' }).click();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    const token = String(await page.evaluate(`sessionStorage.getItem('toolfold-token')`));
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], {
      env: { ...process.env, TOOLFOLD_TOKEN: token },
    });
    expect(stdout).toContain('A-100,3.50');
  });

  it.each(['light', 'dark'] as const)('have no violations that axe finds in the %s theme', async (theme) => {
    const page = await openItem('prompt/welcome', { theme });
    await page.getByLabel('customer').fill('Ada');
    await page.getByRole('button', { name: 'Get the prompt' }).click();
    await result(page)
      .getByText(/friendly greeting/)
      .waitFor();
    await expectAccessible(page);
  });

  it('fit the width of a phone', async () => {
    const page = await openItem('prompt/welcome', { size: 'phone' });
    await page.getByRole('button', { name: 'Get the prompt' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await expectAccessible(page);
  });
});
