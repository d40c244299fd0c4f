import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSavedList } from '../../../cli/src/ui/saved-registry.js';
import type { SourceOptions } from '../../../cli/src/ui/shown-server.js';
import { devtools } from '@toolfold/devtools';
import type { Devtools } from '@toolfold/devtools';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import { createDemo } from './demo-registry.js';
import { createTestSource, openTestPage } from './page-client.js';
import { throughCable } from './serve-demo.js';
import { createAskingServer } from './try-servers.js';

let demo: Devtools;
let asking: Devtools;

beforeAll(async () => {
  const { registry, toolsets } = createDemo();
  demo = await devtools(registry, { toolsets });
  asking = await devtools(createAskingServer());
});

afterAll(async () => {
  await demo.close();
  await asking.close();
});

type Options = Parameters<typeof openPage>[1];

/** Opens Try for an action. */
async function openTry({ url }: Devtools, address: string, options?: Options): Promise<Page> {
  const page = await openPage(url ?? '', options);
  await page.getByRole('navigation', { name: 'Sections' }).first().waitFor();
  await go(page, address);
  return page;
}

async function go(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = '#/try/' + encodeURIComponent(${JSON.stringify(address)})`);
  await page.getByRole('heading', { name: address, exact: true }).waitFor();
  // The form runs nothing before the page knows how the action is called, and then offers to copy the call.
  const isKnown = page.locator('.try-form').getByText('Copy as');
  await isKnown.or(page.getByText('The server does not answer.')).first().waitFor();
}

/** The control of a field, by the name at the beginning of its label. */
function field(scope: Page | Locator, name: string): Locator {
  return scope.locator('input, textarea, select').and(scope.getByLabel(new RegExp(`^${name}( |$)`)));
}

const eras = ['2026', '2025'] as const;
const revision = { 2026: '2026-07-28', 2025: '2025-11-25' } as const;

async function chooseEra(page: Page, era: '2026' | '2025' | 'both'): Promise<void> {
  await page.getByRole('group', { name: 'Era' }).getByRole('button', { name: era }).click();
}

const run = (page: Page): Promise<void> => page.getByRole('button', { name: /^Run/ }).first().click();
const result = (page: Page, era: '2026' | '2025' = '2026'): Locator =>
  page.getByRole('region', { name: `Result in ${revision[era]}` });

describe.each(eras)('Try in the era %s', (era) => {
  it('calls an action through its form, and shows the result, the steps and the messages', async () => {
    const page = await openTry(demo, 'shop/orders.list');
    await chooseEra(page, era);
    await page
      .getByRole('group', { name: /^state/ })
      .getByLabel('paid')
      .check();
    await run(page);
    const panel = result(page, era);
    await panel.getByText('ok', { exact: true }).waitFor();
    await panel.getByRole('cell', { name: 'Grace' }).waitFor();
    expect(await panel.getByRole('cell', { name: 'Ada' }).count()).toBe(0);
    await panel.getByRole('img', { name: /Duration of the steps.*find.*admit.*run/ }).waitFor();
    // The steps and the rest fill the bar, and no duration is shown as 0.0 ms.
    const [bar, parts] = await Promise.all([
      panel.locator('.meter').evaluate((element) => element.getBoundingClientRect().width),
      panel
        .locator('.meter-part')
        .evaluateAll((all) => all.reduce((sum, each) => sum + each.getBoundingClientRect().width, 0)),
    ]);
    expect(parts / bar).toBeGreaterThan(0.97);
    expect(await panel.locator('.try-legend').innerText()).not.toMatch(/\b0\.0 ms/);
    await panel.getByText(/≈ \d+ tokens/).waitFor();
    await panel.getByRole('tab', { name: /Messages/ }).click();
    await panel.getByRole('button', { name: /sent tools\/call/ }).click();
    await panel.getByText(revision[era], { exact: true }).first().waitFor();
    await panel.getByText('mcp-protocol-version').waitFor();
  });

  it('asks the questions of the server in dialogs', async () => {
    const page = await openTry(asking, 'ask/form');
    await chooseEra(page, era);
    await field(page, 'greeting').fill('Hello');
    await run(page);
    const dialog = page.getByRole('dialog', { name: 'The server asks' });
    await dialog.getByText('Who are you? <b>Really</b>').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.getByText('is required').waitFor();
    await field(dialog, 'name').fill('Ada');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await result(page, era).getByText('Hello accept Ada').waitFor();
    await run(page);
    await dialog.getByRole('button', { name: 'Decline' }).click();
    await result(page, era).getByText('Hello decline nobody').waitFor();
    await run(page);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await result(page, era).getByText('Hello cancel nobody').waitFor();
  });

  it('asks no question of a call that was cancelled before', async () => {
    const page = await openTry(asking, 'ask/form');
    await chooseEra(page, era);
    await field(page, 'greeting').fill('Hello');
    const dialog = page.getByRole('dialog');
    const ended = page.getByRole('region', { name: 'History' }).getByRole('listitem');
    for (const [index, delay] of [0, 5, 10, 20].entries()) {
      // Waits until the button is enabled again, because the click below does not.
      await page.getByRole('button', { name: 'Run', exact: true }).click({ trial: true });
      await page.evaluate(`new Promise((resolve) => {
        document.querySelector('.try-form [type=submit]').click();
        setTimeout(() => {
          dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
          resolve();
        }, ${delay});
      })`);
      await expect.poll(async () => (await dialog.count()) + (await ended.count())).toBeGreaterThan(index);
      await page.waitForTimeout(300);
      // The question may have arrived first. Then Esc belongs to its dialog, and the call ends with its answer.
      if ((await ended.count()) === index) await page.keyboard.press('Escape');
      else expect(await dialog.count()).toBe(0);
      await expect.poll(() => ended.count()).toBe(index + 1);
    }
  });

  it('shows the address of a page, and links only to the web', async () => {
    const page = await openTry(asking, 'ask/page');
    await chooseEra(page, era);
    await field(page, 'url').fill('https://example.com/login');
    await run(page);
    const dialog = page.getByRole('dialog', { name: /open a page/ });
    const link = dialog.getByRole('link', { name: 'Open in a new tab' });
    expect(await link.getAttribute('href')).toBe('https://example.com/login');
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await result(page, era).getByText('page: accept').waitFor();
  });

  it('lets the developer answer for the model and for the roots', async () => {
    const page = await openTry(asking, 'ask/model');
    await chooseEra(page, era);
    await run(page);
    const model = page.getByRole('dialog', { name: 'The server asks the model' });
    await model.getByText('Say something').waitFor();
    await model.getByLabel('Your answer').fill('Something');
    await model.getByRole('button', { name: 'Answer' }).click();
    await result(page, era)
      .getByText(/the model said.*Something/)
      .waitFor();
    await go(page, 'ask/roots');
    await run(page);
    const roots = page.getByRole('dialog', { name: 'The server asks for roots' });
    await roots.getByLabel('Roots').fill('file:///home/ada');
    await roots.getByRole('button', { name: 'Answer' }).click();
    await result(page, era).getByText('roots: file:///home/ada').waitFor();
  });

  it('shows progress, and cancels with a button and with Esc', async () => {
    const page = await openTry(asking, 'ask/slow');
    await chooseEra(page, era);
    await run(page);
    await result(page, era)
      .getByText(/of 1,000 · step \d+/)
      .waitFor();
    await result(page, era).getByRole('button', { name: 'Cancel' }).click();
    await result(page, era).getByText('The call was cancelled. It may have taken effect.').waitFor();
    await run(page);
    await result(page, era)
      .getByText(/of 1,000 · step \d+/)
      .waitFor();
    await page.keyboard.press('Escape');
    await result(page, era).getByText('The call was cancelled. It may have taken effect.').waitFor();
  });
});

describe('Try', () => {
  it.each(['desktop', 'phone'] as const)(
    'shows the result of a form that is longer than the window of a %s',
    async (size) => {
      const page = await openTry(demo, 'shop/orders.create', { size });
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      const lines = Array.from({ length: 8 }, () => ({ article: 'a', quantity: 1 }));
      await page
        .getByLabel('Arguments as JSON')
        .fill(JSON.stringify({ customer: 'Ada', lines, payment: { method: 'invoice', days: 8 } }));
      await page.getByRole('button', { name: 'Form', exact: true }).click();
      await run(page);
      await result(page).getByText('"Ada"').waitFor();
      const { height } = page.viewportSize() ?? { height: 0 };
      const top = async () => (await result(page).boundingBox())?.y;
      await expect.poll(top).toBeLessThan(height * 0.6);
      expect(await top()).toBeGreaterThanOrEqual(0);
    },
  );

  it('focuses the first invalid field, and lists all of them', async () => {
    const page = await openTry(demo, 'shop/orders.create');
    const focused = page.locator(':focus');
    await run(page);
    await expect.poll(() => field(page, 'customer').and(focused).count()).toBe(1);
    const notice = page.getByRole('alert').filter({ hasText: 'fields need your attention' });
    await notice.getByRole('button', { name: 'payment.number' }).click();
    await expect.poll(() => field(page, 'number').and(focused).count()).toBe(1);
    await notice.getByRole('button', { name: 'lines' }).click();
    await expect.poll(() => focused.innerText()).toBe('Add item to lines');
  });

  it('focuses the first field of a new item, and keeps the buttons of an item beside its label', async () => {
    const page = await openTry(demo, 'shop/orders.create');
    const focused = page.locator(':focus');
    await page.getByRole('button', { name: 'Add item to lines' }).click();
    await expect.poll(() => field(page, 'article').and(focused).count()).toBe(1);
    const button = await page.getByRole('button', { name: 'Move item 1 down' }).boundingBox();
    expect(button?.height).toBeLessThan(40);
    const [article, customer] = await Promise.all(
      ['article', 'customer'].map((name) => field(page, name).boundingBox()),
    );
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(article?.y ?? 0);
    // Two levels of nesting are indented, and nothing else takes width.
    expect((customer?.width ?? 0) - (article?.width ?? 0)).toBeLessThan(60);
  });

  it('does not call an action a second time while it runs', async () => {
    const page = await openTry(asking, 'ask/slow');
    const history = page.getByRole('region', { name: 'History' });
    const cancelled = result(page).getByText('The call was cancelled. It may have taken effect.');
    const button = page.getByRole('button', { name: 'Run', exact: true });
    await run(page);
    await result(page)
      .getByText(/step \d+/)
      .waitFor();
    await result(page).getByRole('button', { name: 'Cancel' }).click();
    await cancelled.waitFor();
    await run(page);
    await result(page)
      .getByText(/step \d+/)
      .waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await button.click({ force: true });
    await field(page, 'steps').press('Control+Enter');
    await history.getByRole('button', { name: 'Run again: ask/slow' }).click();
    await page.getByText('ask/slow is still running.').first().waitFor();
    await page.getByRole('form', { name: 'Arguments' }).getByRole('button', { name: 'Cancel' }).click();
    await cancelled.waitFor();
    await expect.poll(() => history.getByRole('listitem').count()).toBe(2);
    expect(await button.getAttribute('aria-disabled')).not.toBe('true');
  });

  it('shows the result of an earlier call, and compares no result with a cancelled call', async () => {
    const page = await openTry(asking, 'strict');
    const history = page.getByRole('region', { name: 'History' });
    await field(page, 'number').fill('2');
    await run(page);
    await result(page).getByText('even: 2').waitFor();
    await go(page, 'ask/slow');
    await run(page);
    await result(page).getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => history.getByRole('listitem').count()).toBe(2);
    await history.getByRole('button', { name: 'Show the result of strict' }).click();
    const shown = page.getByRole('dialog', { name: 'Result of an earlier call' });
    await shown.getByText('even: 2').waitFor();
    await shown.getByRole('heading', { name: /^strict, .*, ok/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await history.getByRole('button', { name: 'Compare' }).first().click();
    await history.getByRole('button', { name: 'Compare' }).last().click();
    const dialog = page.getByRole('dialog', { name: 'Compare two calls' });
    await dialog.getByText('Cancelled: no result').waitFor();
    await dialog.getByRole('heading', { name: 'Result: not compared' }).waitFor();
    for (const name of [/^ask\/slow, .*, cancelled/, /^strict, .*, ok/])
      await dialog.getByRole('heading', { name }).waitFor();
    expect(await dialog.getByText('not kept').count()).toBe(0);
    await expectAccessible(page);
  });

  it('hides the progress of a call that has ended well', async () => {
    const page = await openTry(asking, 'ask/uncounted');
    await run(page);
    await result(page).getByRole('progressbar').waitFor();
    await result(page).getByText('arrived').waitFor();
    expect(await result(page).getByRole('progressbar').count()).toBe(0);
    expect(await result(page).getByText('7 · somewhere').count()).toBe(0);
  });

  it('runs in both eras at once, side by side', async () => {
    const page = await openTry(demo, 'shop_stats');
    await chooseEra(page, 'both');
    await run(page);
    for (const era of eras) await result(page, era).getByText('ok', { exact: true }).waitFor();
    const [one, other] = await Promise.all(eras.map((era) => result(page, era).boundingBox()));
    expect(one?.y).toBe(other?.y);
  });

  it('names profiles, messages and fields as the other sections do', async () => {
    const page = await openTry(demo, 'shop_stats');
    const profile = field(page, 'Profile');
    await profile.selectOption({ label: 'as written' });
    expect(await profile.inputValue()).toBe('none');
    await run(page);
    await result(page)
      .getByRole('tab', { name: /Messages/ })
      .click();
    await result(page)
      .getByRole('button', { name: /^Show connection messages \(\d+\)$/ })
      .waitFor();
  });

  it('keeps the form while the server is gone, and does not run it', async () => {
    const cable = await throughCable(demo.url ?? '');
    const page = await openTry({ url: cable.url } as Devtools, 'shop/orders.create', {
      expectedProblems: [/ERR_/],
    });
    // The code of a section is loaded when the section is first shown.
    await page.evaluate(`location.hash = '#/surface'`);
    await page.getByRole('heading', { name: 'Surface', level: 1 }).waitFor();
    await go(page, 'shop/orders.create');
    await field(page, 'customer').fill('Ada');
    await cable.cut();
    await page.getByText('The server does not answer.').waitFor();
    await page.evaluate(`location.hash = '#/surface'`);
    await page.getByRole('heading', { name: 'Surface', level: 1 }).waitFor();
    await go(page, 'shop/orders.create');
    expect(await field(page, 'customer').inputValue()).toBe('Ada');
    const button = page.getByRole('button', { name: 'Run', exact: true });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    await cable.mend();
    await page.getByRole('button', { name: 'Connect now' }).click();
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
    expect(await field(page, 'customer').inputValue()).toBe('Ada');
  });

  it('centres the checkbox for tasks beside its label', async () => {
    const page = await openTry(asking, 'ask/task');
    const box = page.getByLabel('as a task');
    const middles = await box.evaluate((input) =>
      [input, input.closest('label')].map((each) => {
        const { top = 0, height = 0 } = each?.getBoundingClientRect() ?? {};
        return top + height / 2;
      }),
    );
    expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 9))).toBeLessThan(1);
  });

  it('finds actions, and begins with a list of them', async () => {
    const page = await openTry(demo, 'shop_stats');
    await page.getByRole('link', { name: 'Other actions' }).click();
    await page.getByLabel('Find an action to try').fill('order cancel');
    await page.getByRole('link', { name: /shop\/orders.cancel/ }).click();
    await page.getByRole('heading', { name: 'shop/orders.cancel' }).waitFor();
  });

  it('fills in unions, lists, nested objects and dates, and sends what was entered', async () => {
    const page = await openTry(demo, 'shop/orders.create');
    await field(page, 'customer').fill('Ada');
    await page.getByRole('button', { name: 'Add item to lines' }).click();
    await field(page, 'article').fill('A-1');
    await field(page, 'quantity').fill('2');
    await page.getByRole('button', { name: 'Add item to lines' }).click();
    await field(page, 'article').nth(1).fill('A-2');
    await field(page, 'quantity').nth(1).fill('3');
    await page.getByRole('button', { name: 'Move item 2 up' }).click();
    expect(await field(page, 'article').first().inputValue()).toBe('A-2');
    await page.getByRole('button', { name: 'method: invoice' }).click();
    await field(page, 'days').fill('70');
    await page.getByText('must be at most 60').waitFor();
    await field(page, 'days').fill('14');
    await page.getByRole('button', { name: 'Add ship' }).click();
    await field(page, 'street').fill('Main Street 1');
    await field(page, 'city').fill('Berlin');
    await field(page, 'country').fill('DE');
    await field(page, 'on').fill('2026-03-01');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = page.getByLabel('Arguments as JSON');
    expect(JSON.parse(await json.inputValue())).toEqual({
      customer: 'Ada',
      lines: [
        { article: 'A-2', quantity: 3 },
        { article: 'A-1', quantity: 2 },
      ],
      payment: { method: 'invoice', days: 14 },
      ship: { to: { street: 'Main Street 1', city: 'Berlin', country: 'DE' }, on: '2026-03-01' },
    });
    await json.fill('{"customer": ');
    await page.getByText(/This is not JSON yet/).waitFor();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    expect(await json.inputValue()).toBe('{"customer": ');
    await json.fill(
      '{"customer":"Grace","lines":[{"article":"x","quantity":1}],"payment":{"method":"transfer","iban":"DE021234567890123"}}',
    );
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    expect(await field(page, 'iban').inputValue()).toBe('DE021234567890123');
    await run(page);
    await result(page).getByText('"Grace"').waitFor();
  });

  it('sends a file as base64', async () => {
    const page = await openTry(demo, 'acme:travel/trips.upload_ticket');
    await field(page, 'traveller').fill('Ada');
    await field(page, 'name').fill('ticket');
    await field(page, 'file').setInputFiles({
      name: 'ticket.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.alloc(70_000, 7),
    });
    await page.getByText('ticket.pdf, 68.4 KiB').waitFor();
    await run(page);
    await result(page).getByText('70000').waitFor();
  });

  it('marks what is missing before it calls, and what the server rejects', async () => {
    const page = await openTry(asking, 'strict');
    await run(page);
    await page.getByText('A field needs your attention').waitFor();
    await field(page, 'number').fill('3');
    await run(page);
    await result(page).getByText('ErrValidationFailed').waitFor();
    await page.locator('.field-error').getByText('must be even').waitFor();
    await field(page, 'number').fill('4');
    await run(page);
    await result(page).getByText('even: 4').waitFor();
  });

  it('asks before destructive actions, once if the developer says so', async () => {
    const page = await openTry(asking, 'wipe');
    await field(page, 'what').fill('all');
    await run(page);
    const dialog = page.getByRole('dialog', { name: 'Run a destructive action?' });
    await dialog.getByRole('button', { name: 'Do not run' }).click();
    await run(page);
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await result(page).getByText('wiped 1').waitFor();
    const again = page.getByRole('button', { name: 'Run again: wipe' });
    await again.click();
    await dialog.getByRole('button', { name: 'Do not run' }).click();
    await again.click();
    await dialog.getByLabel(/Do not ask again/).check();
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await result(page).getByText('wiped 2').waitFor();
    await run(page);
    await result(page).getByText('wiped 3').waitFor();
    await again.first().click();
    await result(page).getByText('wiped 4').waitFor();
  });

  it('asks before an action that declares nothing, as the code form does', async () => {
    const page = await openTry(asking, 'silent');
    const dialog = page.getByRole('dialog', { name: 'Run an action that may be destructive?' });
    await run(page);
    await dialog.getByText('does not declare whether it changes or destroys data').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Do not run' }).click();
    await run(page);
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await result(page).getByText('done 1').waitFor();
    await go(page, 'ask/form');
    await field(page, 'greeting').fill('Hello');
    await run(page);
    await page.getByRole('dialog', { name: 'The server asks' }).waitFor();
  });

  it('follows a task, with its question and its result', async () => {
    const page = await openTry(asking, 'ask/task');
    await page.getByLabel('as a task').check();
    await run(page);
    const dialog = page.getByRole('dialog', { name: 'The server asks' });
    await dialog.getByText('Go on?').waitFor();
    await dialog.getByLabel('true').check();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await result(page).getByText('task: true').waitFor();
    await result(page).getByText('completed', { exact: true }).waitFor();
  });

  it('explains a missing scope, and gives it to the caller', async () => {
    const page = await openTry(asking, 'guarded', { expectedProblems: [/403/] });
    await page.getByRole('link', { name: /as page with all scopes/ }).click();
    await page.getByRole('checkbox', { name: 'secret:read' }).uncheck();
    await page.getByRole('button', { name: 'Try as this caller' }).click();
    await go(page, 'guarded');
    await run(page);
    await result(page).getByText('The caller needs').waitFor();
    await result(page).getByRole('button', { name: 'Give the caller these scopes' }).click();
    await run(page);
    await result(page).getByText('the secret').waitFor();
  });

  it.each([
    ['show_image', 'img[src^="data:"]'],
    ['play_tone', 'audio[src^="data:"]'],
    ['price_table', 'table'],
    ['deep_json', '[role=tree]'],
    ['long_text', 'pre'],
  ])('shows the result of %s by its kind', async (name, selector) => {
    const page = await openTry(demo, name);
    await run(page);
    await result(page).locator(selector).first().waitFor();
  });

  it('shows embedded resources, links, errors and faults', async () => {
    const page = await openTry(demo, 'get_manual');
    await run(page);
    await result(page).getByText('# Manual').waitFor();
    await result(page).getByRole('link', { name: 'Read this resource' }).waitFor();
    await go(page, 'fail_with_error');
    await run(page);
    await result(page).getByText('The warehouse is closed. Try again on Monday.').waitFor();
    await go(page, 'throw_error');
    await run(page);
    await result(page).getByText('ErrToolFailed').waitFor();
    const place = result(page)
      .getByRole('region', { name: 'Stack trace' })
      .getByRole('link', { name: /content-tools\.ts:\d+:\d+$/ })
      .first();
    const href = (await place.getAttribute('href')) ?? '';
    expect(href).toMatch(/^vscode:\/\/file\/.*\/content-tools\.ts:\d+:\d+$/);
    const code = result(page).getByRole('figure', { name: /^Code at content-tools\.ts:\d+:\d+$/ });
    expect(await code.locator('[aria-current]').innerText()).toMatch(/^\d+\s*.*throw new Error/);
    expect(await code.getByRole('link').getAttribute('href')).toBe(href);
    await expectAccessible(page);
    await go(page, 'shop/orders.cancel');
    await field(page, 'id').fill('o-9');
    await run(page);
    await page.getByRole('button', { name: 'Run it' }).click();
    await result(page)
      .getByText(/Did you mean "o-1"/)
      .waitFor();
  });

  it('sorts a table, and renders only the visible rows of a huge one', async () => {
    const page = await openTry(asking, 'huge');
    await run(page);
    const table = result(page).getByRole('table');
    await table.waitFor();
    expect(await table.locator('tbody tr').count()).toBeLessThan(80);
    await table.getByRole('button', { name: 'id' }).click();
    await table.getByRole('button', { name: 'id' }).click();
    await table.getByRole('cell', { name: 'row 19999' }).waitFor();
    await go(page, 'long');
    await run(page);
    await result(page)
      .getByText(/word word/)
      .first()
      .waitFor();
  });

  it('draws the first columns of a wide table, and all of them if the developer wants', async () => {
    const page = await openTry(asking, 'wide');
    await run(page);
    const table = result(page).getByRole('table');
    await table.waitFor();
    expect(await table.getByRole('columnheader').count()).toBe(40);
    await page.getByRole('button', { name: 'Show all 85 columns' }).press('Enter');
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(85);
    await table.getByRole('cell', { name: '0.84', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(40);
    await expectAccessible(page);
  });

  it('shows and copies all digits of large numbers', async () => {
    const page = await openTry(asking, 'digits');
    const panel = result(page);
    // The structured content of servers that are not written in JavaScript has such numbers too.
    await page.route('**/mcp/**', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll('"many"', '12345678901234567892');
      await route.fulfill({ response, body });
    });
    await run(page);
    await panel.getByRole('cell', { name: '12345678901234567891' }).waitFor();
    await panel.getByRole('tree', { name: 'structured content' }).getByText('12345678901234567892').waitFor();
    await panel.getByRole('button', { name: 'Tree' }).last().click();
    await panel.getByText('12345678901234567890').waitFor();
    await panel.getByRole('tab', { name: 'Raw result' }).click();
    await panel.getByRole('button', { name: 'Copy raw result' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"total": 12345678901234567892');
    await panel.getByRole('tab', { name: /Messages/ }).click();
    await panel.getByRole('button', { name: /received result/ }).click();
    await panel.getByText('12345678901234567892').waitFor();
  });

  it('shows the steps of every round of a call, and the time for connecting and answering beside the duration', async () => {
    const page = await openTry(asking, 'ask/form');
    await field(page, 'greeting').fill('Hello');
    await run(page);
    const dialog = page.getByRole('dialog', { name: 'The server asks' });
    await field(dialog, 'name').fill('Ada');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    for (const round of ['Round 1 of 2', 'Round 2 of 2'])
      await result(page)
        .getByRole('img', { name: new RegExp(`${round}.*find.*admit.*run`) })
        .waitFor();
    await result(page)
      .getByText(/of it for your answers$/)
      .waitFor();
    await result(page)
      .getByText(/^connected in \d/)
      .waitFor();
    await go(page, 'guarded');
    await run(page);
    await result(page).getByText('the secret').waitFor();
    expect(
      await result(page)
        .getByText(/^connected in/)
        .count(),
    ).toBe(0);
    expect(
      await result(page)
        .getByText(/Round|answers/)
        .count(),
    ).toBe(0);
  });

  it('shows hostile texts as text, and makes no request for them', async () => {
    const page = await openTry(asking, 'hostile');
    await run(page);
    const panel = result(page);
    await panel.getByText('<script>document.title="pwned"</script>').waitFor();
    await panel.getByText('U+202E').first().waitFor();
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    expect(await page.title()).not.toContain('pwned');
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    const link = panel.getByRole('link', { name: 'https://example.com/a' });
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    const drawing = panel.locator('canvas');
    await expect.poll(() => drawing.evaluate<number, { width: number }>(({ width }) => width)).toBe(20);
    expect(await panel.getByRole('img', { name: 'Image of' }).count()).toBe(1);
    const colour = `[...document.querySelector('.try-outcomes canvas').getContext('2d').getImageData(9, 9, 1, 1).data]`;
    expect(await page.evaluate(colour)).toEqual([0, 0, 255, 255]);
    await expectAccessible(page);
  });

  it('shows an empty history as a line below the form, and calls beside it', async () => {
    const page = await openTry(asking, 'strict');
    const history = page.getByRole('region', { name: 'History' });
    const form = page.getByRole('form', { name: 'Arguments' });
    const [empty, wide] = [await history.boundingBox(), await form.boundingBox()];
    expect(empty?.height).toBeLessThan(60);
    expect(empty?.y).toBeGreaterThan((wide?.y ?? 0) + (wide?.height ?? 0));
    await field(page, 'number').fill('2');
    await run(page);
    await history.getByRole('listitem').waitFor();
    const [full, narrow] = [await history.boundingBox(), await form.boundingBox()];
    expect(full?.x).toBeGreaterThan((narrow?.x ?? 0) + (narrow?.width ?? 0));
    expect(narrow?.width).toBeLessThan(wide?.width ?? 0);
  });

  it.each(['desktop', 'phone'] as const)(
    'keeps Run in the window beside a long form on a %s',
    async (size) => {
      const page = await openTry(demo, 'shop/orders.create', { size });
      const button = page.getByRole('button', { name: 'Run', exact: true });
      const main = page.getByRole('main');
      const isSeen = async () => {
        const [seen, around] = [await button.boundingBox(), await main.boundingBox()];
        if (!seen || !around) return false;
        return seen.y >= around.y && seen.y + seen.height <= around.y + around.height;
      };
      expect(
        await main.evaluate(({ scrollHeight, clientHeight }) => scrollHeight / clientHeight),
      ).toBeGreaterThan(1.3);
      expect(await isSeen()).toBe(true);
      await field(page, 'key').focus();
      expect(await isSeen()).toBe(true);
      // The buttons must not cover the field that has the focus.
      const [last, row] = [await field(page, 'key').boundingBox(), await button.boundingBox()];
      expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(row?.y ?? 0);
    },
  );

  it('has one input for each date, and a button that picks a time in UTC', async () => {
    const page = await openTry(demo, 'shop/orders.list');
    const since = page.locator(`[data-path='["since"]']`);
    expect(await since.getByRole('textbox').count()).toBe(1);
    await since.getByRole('button', { name: 'Pick since in UTC' }).click();
    await page.keyboard.press('Escape');
    await since.locator('[type=datetime-local]').fill('2026-03-01T12:30');
    expect(await field(page, 'since').first().inputValue()).toBe('2026-03-01T12:30:00Z');
  });

  it('keeps a history: replay, edit, compare and clear', async () => {
    const page = await openTry(asking, 'strict');
    for (const number of ['2', '4']) {
      await field(page, 'number').fill(number);
      await run(page);
      await result(page).getByText(`even: ${number}`).waitFor();
    }
    const history = page.getByRole('region', { name: 'History' });
    const place = await history.boundingBox();
    await history.getByRole('button', { name: 'Compare' }).first().click();
    await history.getByRole('button', { name: 'Compare' }).last().click();
    const dialog = page.getByRole('dialog', { name: 'Compare two calls' });
    await dialog.getByRole('heading', { name: 'Arguments: 1 difference' }).waitFor();
    expect(await history.boundingBox()).toEqual(place);
    await page.keyboard.press('Escape');
    await history.getByRole('button', { name: 'Edit strict again' }).last().click();
    await expect.poll(() => field(page, 'number').inputValue()).toBe('2');
    // The call is repeated as it was made, whatever is chosen now.
    await chooseEra(page, '2025');
    await history.getByRole('button', { name: 'Run again: strict' }).last().click();
    await result(page).getByText('even: 2').waitFor();
    await page.reload();
    await expect.poll(() => history.getByRole('listitem').count()).toBe(3);
    // Arguments may be secret, so that the history ends with its tab.
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
    const other = await page.context().newPage();
    await other.goto(asking.url ?? '');
    await other.getByRole('navigation', { name: 'Sections' }).first().waitFor();
    await go(other, 'strict');
    await other.getByRole('region', { name: 'History' }).getByText('No calls yet').waitFor();
    await other.close();
    await history.getByRole('button', { name: 'Clear' }).click();
    await history.getByText('No calls yet').waitFor();
  });

  it.each(eras)('copies a call as a command for curl that works in the era %s', async (era) => {
    const page = await openTry(demo, 'shop/customers.find');
    await chooseEra(page, era);
    await field(page, 'text').fill('O\'Neil $(id) "x"');
    await page.getByText('Copy as').first().click();
    await page.getByText('The token is the part after #token= in the address').first().waitFor();
    await page.getByRole('button', { name: 'curl' }).first().click();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    const token = String(await page.evaluate(`sessionStorage.getItem('toolfold-token')`));
    expect(command).not.toContain(token);
    // The server runs in this process, so the command must not block it.
    const { stdout: answer } = await promisify(execFile)('/bin/sh', ['-c', command], {
      env: { ...process.env, TOOLFOLD_TOKEN: token },
    });
    expect(answer).toContain("O'Neil $(id)");
    expect(answer).not.toContain('"error"');
  });

  it('copies the arguments that a 2026 request repeats in headers', async () => {
    const page = await openTry(asking, 'routed');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByText('Copy as').first().click();
    const token = String(await page.evaluate(`sessionStorage.getItem('toolfold-token')`));
    for (const input of [
      { region: 'eu', size: 42, dry: false, inner: { note: 'plain' } },
      { region: ' Zürich €\n', size: -1, dry: true, inner: { note: "O'Neil $(id)" } },
      { region: '', inner: { note: '=?base64?x?=' } },
    ]) {
      await page.getByLabel('Arguments as JSON').fill(JSON.stringify(input));
      await page.getByRole('button', { name: 'curl' }).first().click();
      const command = String(await page.evaluate('navigator.clipboard.readText()'));
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], {
        env: { ...process.env, TOOLFOLD_TOKEN: token },
      });
      expect(stdout).toContain(JSON.stringify(`routed: ${JSON.stringify(input)}`));
    }
  });

  it('shows the properties beside the rows of a table, and nested cells as JSON', async () => {
    const page = await openTry(asking, 'accounts');
    await run(page);
    const panel = result(page);
    await panel.getByRole('cell', { name: '{"name":"Grace"}' }).waitFor();
    const facts = await panel.locator('.facts').innerText();
    expect(facts.split('\n')).toEqual(['currency', 'EUR', 'total', '5', 'accounts', 'the table below']);
    await expectAccessible(page);
  });

  it('shows the message of an error first, each text once, and a closed stack if it was thrown on purpose', async () => {
    const page = await openTry(asking, 'frozen');
    await run(page);
    const panel = result(page);
    await panel.getByText('The account is frozen').first().waitFor();
    const stack = panel.locator('details', { hasText: 'Stack trace' });
    await stack.waitFor();
    expect(await stack.getAttribute('open')).toBeNull();
    const [message, steps] = await Promise.all(
      ['.notice-error', '.try-steps'].map((each) => panel.locator(each).first().boundingBox()),
    );
    expect(message?.y).toBeLessThan(steps?.y ?? 0);
    expect(await panel.getByRole('heading', { name: 'Suggestions' }).count()).toBe(0);
  });

  it('draws no button over another one in lists of objects', async () => {
    const page = await openTry(asking, 'invite');
    await page.getByRole('button', { name: 'Add item to people' }).click();
    await page.getByRole('button', { name: 'Add item to tags' }).click();
    await page.getByRole('button', { name: 'Unset tags' }).waitFor();
    const boxes = await Promise.all(
      (await page.locator('.try-form button:visible').all()).map((each) => each.boundingBox()),
    );
    const overlaps = boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .filter(
          (other) =>
            one &&
            other &&
            one.x < other.x + other.width - 1 &&
            other.x < one.x + one.width - 1 &&
            one.y < other.y + other.height - 1 &&
            other.y < one.y + one.height - 1,
        ),
    );
    expect(overlaps).toEqual([]);
    await page.getByRole('button', { name: 'Unset people' }).click();
    await page.getByRole('button', { name: 'Remove item 1' }).waitFor({ state: 'detached' });
  });

  it('opens an action whose schema requires itself', async () => {
    const page = await openTry(asking, 'maze');
    expect(await page.locator('.try-form fieldset').count()).toBeLessThan(600);
  });

  it('says once that an action is gone, runs it no more, and leads to the others', async () => {
    const action = (name: string) => ({
      name,
      description: 'Greets',
      readOnly: true as const,
      inputSchema: {},
      handler: () => 'hello',
    });
    const load = (name: string) => ({
      registry: new ToolRegistry({ name: 'greeter', version: '1.0.0' }).register(action(name)),
      found: 'registry',
    });
    let loaded = load('greet');
    const listeners = new Set<() => void>();
    const source = createTestSource(() => loaded, {
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const { url } = await openTestPage(source);
    const page = await openTry({ url } as Devtools, 'greet', { expectedProblems: [/404/] });
    loaded = load('welcome');
    for (const listener of listeners) listener();
    await page.getByRole('alert').waitFor();
    const button = page.getByRole('button', { name: 'Run' });
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    await page.waitForTimeout(500);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.getByRole('link', { name: 'List of all actions' }).click();
    await page.getByRole('link', { name: /welcome/ }).waitFor();
  });

  it('says that a forwarded call has the credentials of toolfold ui', async () => {
    const registry = createAskingServer();
    const { url } = await openTestPage(
      createTestSource({ registry, found: 'registry' }, { isForwarded: true }),
    );
    const page = await openTry({ url } as Devtools, 'digits');
    await page.getByText('with the credentials of toolfold ui').waitFor();
    expect(await page.getByText('all scopes').count()).toBe(0);
  });

  it('reports invalid JSON once, and says why the form is not shown', async () => {
    const page = await openTry(asking, 'strict');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByLabel('Arguments as JSON').fill('{"number": 2,\n "inner" 3}');
    await run(page);
    await expect.poll(() => page.locator(':focus').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText(/JSON yet|needs? your attention/).allInnerTexts()).toEqual([
      expect.stringMatching(/^This is not JSON yet: .*line 2 column 10/),
    ]);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByText('The form cannot show this text. Correct the JSON first.').first().waitFor();
    await expectAccessible(page);
  });

  it('keeps what was entered when the page is loaded again', async () => {
    const page = await openTry(asking, 'invite');
    await page.getByRole('button', { name: 'Add item to people' }).click();
    await field(page, 'name').fill('Ada');
    await page.reload();
    expect(await field(page, 'name').inputValue()).toBe('Ada');
    await page.getByRole('button', { name: 'Add item to people' }).click();
    expect(await field(page, 'name').count()).toBe(2);
    expect(await field(page, 'name').last().inputValue()).toBe('');
  });

  it('asks for a second call to compare with', async () => {
    const page = await openTry(asking, 'digits');
    await run(page);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Compare', { exact: true }).click();
    await history.getByText('Choose a second call').waitFor();
  });

  it('can be used with the keyboard alone', async () => {
    const page = await openTry(asking, 'ask/form');
    await tabTo(page, 'form input');
    await page.keyboard.type('Hi');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'The server asks' });
    await dialog.waitFor();
    await tabTo(page, 'dialog input');
    await page.keyboard.type('Ada');
    await page.keyboard.press('Enter');
    await result(page).getByText('Hi accept Ada').waitFor();
    await tabTo(page, '[role=tab][aria-selected=true]');
    await page.keyboard.press('End');
    await result(page)
      .getByText(/of which|messages/)
      .first()
      .waitFor();
  });

  it.each(['light', 'dark'] as const)('has no violations that axe finds in the %s theme', async (theme) => {
    const page = await openTry(demo, 'shop/orders.create', { theme });
    await run(page);
    await page.getByText(/fields need your attention/).waitFor();
    await expectAccessible(page);
    await go(page, 'acme:travel/trips.plan');
    await expectAccessible(page);
    await go(page, 'price_table');
    await run(page);
    await result(page).locator('table').waitFor();
    await expectAccessible(page);
    await result(page)
      .getByRole('tab', { name: /Messages/ })
      .click();
    await result(page)
      .getByRole('button', { name: /received result/ })
      .click();
    await expectAccessible(page);
    await go(page, 'throw_error');
    await run(page);
    await result(page).getByText('ErrToolFailed').waitFor();
    await expectAccessible(page);
  });

  it('fits the width of a phone', async () => {
    const page = await openTry(demo, 'shop/orders.create', { size: 'phone' });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await expectAccessible(page);
  });
});

describe('Try for a server that Toolfold forwards to', () => {
  it('says that the messages are not those that the server gets', async () => {
    const { registry } = createDemo();
    const target = 'https://remote.example/mcp';
    const source = createTestSource({ registry, found: 'registry' }, { target, isForwarded: true });
    const { url } = await openTestPage(source);
    const page = await openTry({ url } as Devtools, 'shop_stats');
    await run(page);
    await result(page)
      .getByRole('tab', { name: /Messages/ })
      .click();
    await result(page)
      .getByText(`Between this page and Toolfold, which forwards the call to ${target}`)
      .waitFor();
    await page.getByRole('link', { name: 'Views' }).first().click();
    await page.getByText('so the caller cannot be chosen here').waitFor();
    expect(await page.getByLabel('Name of the caller').count()).toBe(0);
  });
});

describe('Try for a saved list of tools', () => {
  it('checks and copies calls, and says why it cannot run them', async () => {
    const tools = [
      {
        name: 'greet',
        description: 'Greets somebody',
        inputSchema: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 2 }, times: { type: 'integer', maximum: 3 } },
          required: ['name'],
        },
      },
    ];
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-try-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'tools.json');
    writeFileSync(file, JSON.stringify({ tools }));
    const terminal = { notify: () => {} } as unknown as SourceOptions['terminal'];
    const { loaded, canCall = true } = await loadSavedList(file, { terminal } as SourceOptions);
    const { url } = await openTestPage(createTestSource(loaded, { target: file, canCall }));
    const page = await openTry({ url } as Devtools, 'greet');
    await page.getByText('A saved list of tools has no server behind it').waitFor();
    const button = page.getByRole('button', { name: 'Run' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await field(page, 'times').fill('5');
    await page.getByText('must be at most 3').waitFor();
    await field(page, 'times').fill('2');
    await field(page, 'name').fill('Ada');
    expect(await page.locator('.field-error').count()).toBe(0);
    await button.click({ force: true });
    await field(page, 'name').press('Control+Enter');
    await page.getByText('The result appears here.').waitFor();
    await page.getByText('No calls yet').waitFor();
    await page.getByText('Copy as').click();
    expect(await page.getByRole('group', { name: 'Copy as' }).getByRole('button').count()).toBe(1);
    await page.getByRole('button', { name: 'JSON' }).last().click();
    expect(JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')))).toEqual({
      name: 'greet',
      arguments: { name: 'Ada', times: 2 },
    });
    await expectAccessible(page);
  });
});
