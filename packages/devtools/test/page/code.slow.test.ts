import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import type { OpenOptions } from './browser.js';
import { serveDemo } from './serve-demo.js';

function createServer() {
  const refunded: string[] = [];
  const shop = new GroupedToolBuilder('shop')
    .description('Orders of the shop')
    .group('orders', 'What was bought', (group) =>
      group
        .action({
          name: 'list',
          description: 'Lists <img src=x onerror=alert(1)> the orders of a customer',
          readOnly: true,
          inputSchema: z.object({
            customer: z.string().describe('The id of the customer'),
            state: z.enum(['open', 'closed']).optional().describe('Only orders in this state'),
          }),
          handler: ({ input }) => [
            { order: 'o1', customer: input.customer, note: '<b>bold</b>\u202Eevil' },
            { order: 'o2', customer: input.customer, note: 'plain' },
          ],
        })
        .action({
          name: 'refund',
          description: 'Pays the price of an order back',
          destructive: true,
          inputSchema: z.object({ order: z.string() }),
          handler: ({ input }) => {
            refunded.push(input.order);
            return `refunded ${input.order}`;
          },
        })
        .action({
          name: 'wait',
          description: 'Waits until the call is cancelled',
          readOnly: true,
          inputSchema: z.object({}),
          handler: ({ context }) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
        }),
    );
  const registry = new ToolRegistry({ name: 'acme' }).register(shop as unknown as GroupedToolBuilder);
  return { registry, refunded };
}

async function openCode(
  registry: ToolRegistry,
  { allow = 'write', ...options }: OpenOptions & { allow?: 'read' | 'write' } = {},
): Promise<Page> {
  const { url, at } = await serveDemo({ view: { form: 'code', code: { allow } } }, { registry });
  const page = await openPage(url, options);
  await page.locator('h1').waitFor({ state: 'attached' });
  await page.goto(at('code'));
  await page.locator('.cm-content').waitFor();
  return page;
}

/** Replaces the code in the editor. Brackets are not typed, because the editor closes them. */
async function write(page: Page, code: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(code);
  await page.keyboard.press('Escape');
}

const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });
const completions = (page: Page) => page.locator('.cm-tooltip-autocomplete [role=option]');

/** Accepts the selected completion. The editor ignores Enter for a moment after the list has opened, because people may not have seen it. */
async function accept(page: Page): Promise<void> {
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
}

describe('The editor of the section Code', () => {
  it('completes paths level by level, then fields and values of the argument', async () => {
    const page = await openCode(createServer().registry);
    await write(page, '');
    await page.keyboard.type('await tools.');
    await expect.poll(() => completions(page).allInnerTexts()).toEqual([expect.stringContaining('shop')]);
    await accept(page);
    await page.keyboard.type('.');
    await expect.poll(() => completions(page).first().innerText()).toContain('orders');
    await accept(page);
    await page.keyboard.type('.');
    await expect
      .poll(async () => (await completions(page).allInnerTexts()).join('\n'))
      .toMatch(/list[\s\S]*refund/);
    await page.keyboard.type('li');
    await expect.poll(() => completions(page).count()).toBe(1);
    // The panel beside the list shows the description as text.
    await page.locator('.cm-completionInfo').getByText('<img src=x').waitFor();
    await accept(page);
    await expect
      .poll(() => page.locator('.cm-line').allInnerTexts())
      .toEqual(['await tools.shop.orders.list({ customer:  })']);
    await page.keyboard.type("'c1', ");
    await page.keyboard.press('Control+Space');
    await expect.poll(() => completions(page).first().innerText()).toContain('state');
    await accept(page);
    await page.keyboard.press('Control+Space');
    await expect.poll(() => completions(page).allInnerTexts()).toEqual(["'open'", "'closed'"]);
    await accept(page);
    expect(await page.locator('.cm-line').allInnerTexts()).toEqual([
      "await tools.shop.orders.list({ customer: 'c1', state: 'open' })",
    ]);
    const signature = page.getByRole('region', { name: 'Function at the cursor' });
    expect(await signature.innerText()).toMatch(/tools\.shop\.orders\.list[\s\S]*The id of the customer/);
  });

  it('shows the signature and the description of a function under the pointer, as text', async () => {
    const page = await openCode(createServer().registry);
    await write(page, "await tools.shop.orders.list({ customer: 'c1' });");
    const tip = page.locator('.cm-tooltip-hover');
    const line = page.locator('.cm-line').first();
    // The colours of the syntax split the line, and each name of a path is an element of its own.
    await line.getByText('list', { exact: true }).hover();
    await tip.getByText('Lists <img src=x onerror=alert(1)> the orders of a customer').waitFor();
    expect(await tip.innerText()).toContain("customer: string, state?: 'open'|'closed'");
    expect(await tip.locator('img').count()).toBe(0);
    // A namespace is no function.
    await line.getByText('shop', { exact: true }).hover();
    await tip.waitFor({ state: 'detached' });
  });

  it('takes every character that is typed, also those that are shortcuts of the page elsewhere', async () => {
    const page = await openCode(createServer().registry);
    await write(page, '');
    await page.keyboard.type('// a ? 1 / 2 : 3');
    expect(await page.locator('.cm-line').allInnerTexts()).toEqual(['// a ? 1 / 2 : 3']);
    expect(await page.locator('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Tool, action or section' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.cm-content:focus').count()).toBe(1);
  });

  it('inserts functions of the list, which has a search', async () => {
    const page = await openCode(createServer().registry);
    await write(page, '');
    await page.getByLabel('Find a function').fill('refund');
    await page.getByText('1 of 3 functions').waitFor();
    await page.getByRole('button', { name: 'shop.orders.refund' }).click();
    await expect
      .poll(() => page.locator('.cm-line').allInnerTexts())
      .toEqual(["await tools.shop.orders.refund({ order: '' })"]);
  });

  it('is left with Escape and Tab, and the rest works with the keyboard alone', async () => {
    const page = await openCode(createServer().registry);
    await tabTo(page, '.cm-content');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('1 + 1');
    await page.keyboard.press('Tab');
    expect(await page.locator('.cm-content:focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByText('Tab leaves the editor now').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator('.cm-content:focus').count()).toBe(0);
    await page.keyboard.press('Shift+Tab');
    expect(await page.locator('.cm-content:focus').count()).toBe(1);
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => result(page).innerText()).toContain('done');
    await page.keyboard.press('Escape');
    await tabTo(page, '[aria-label="Find a function"]');
    await tabTo(page, 'button:has-text("Run")');
    await page.keyboard.press('Enter');
    await expect.poll(() => result(page).innerText()).toContain('done');
  });
});

describe.each(['2026', '2025'] as const)('A run of a %s client', (era) => {
  it('shows the value, the logs and the calls with their durations', async () => {
    const page = await openCode(createServer().registry);
    await page.getByRole('button', { name: `${era} client` }).click();
    await write(page, "console.log('hello <b>');\nreturn tools.shop.orders.list({ customer: 'c1' });");
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => result(page).innerText()).toMatch(/done[\s\S]*client/);
    await result(page).getByText('hello <b>').waitFor();
    const text = await result(page).innerText();
    expect(text).toContain('<b>bold</b>');
    expect(text).toContain('U+202E');
    expect(await page.locator('main b, main img').count()).toBe(0);
    const calls = result(page).getByRole('table', { name: 'Calls that the code made' });
    await expect.poll(() => calls.innerText()).toMatch(/1\s+shop\/orders\.list\s+ok[\s\S]*(?:ms|µs|s)/);
  });

  it('asks before a destructive call, and runs it only if it is allowed', async () => {
    const { registry, refunded } = createServer();
    const page = await openCode(registry);
    await page.getByRole('button', { name: `${era} client` }).click();
    await write(
      page,
      "const refund = (order) => tools.shop.orders.refund({ order }).catch(({ message }) => message);\nreturn Promise.all(['o1', 'o2'].map(refund));",
    );
    await page.keyboard.press('Control+Enter');
    for (const answer of ['true', 'false']) {
      const dialog = page.getByRole('dialog');
      await dialog.getByText(answer === 'true' ? '"o1"' : '"o2"').waitFor();
      await dialog.getByRole('radio', { name: answer }).check();
      await dialog.getByRole('button', { name: 'Accept' }).click();
    }
    await expect.poll(() => result(page).innerText()).toContain('refunded o1');
    expect(await result(page).innerText()).toContain('A person declined this call');
    expect(refunded).toEqual(['o1']);
  });

  it('stops when the developer stops it', async () => {
    const page = await openCode(createServer().registry);
    await page.getByRole('button', { name: `${era} client` }).click();
    await write(page, 'await tools.shop.orders.wait({})');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => result(page).innerText()).toContain('stopped');
    await page.getByRole('button', { name: 'Run' }).waitFor();
  });
});

describe('The result of a run', () => {
  it('marks the place of an error in the code, and the mark goes when the code changes', async () => {
    const page = await openCode(createServer().registry);
    await write(
      page,
      "const orders = await tools.shop.orders.list({ customer: 'c1' });\nreturn orders[5].order;",
    );
    await page.keyboard.press('Control+Enter');
    await result(page).getByRole('alert').getByText('TypeError').waitFor();
    await expect.poll(() => page.locator('.cm-error-line').innerText()).toBe('return orders[5].order;');
    expect(await page.locator('.cm-error-place').innerText()).toBe('orders');
    expect(await result(page).getByRole('table').innerText()).toMatch(/shop\/orders\.list\s+ok/);
    await result(page).getByRole('button', { name: 'Go to line 2, column 8' }).click();
    await page.keyboard.type('x');
    expect(await page.locator('.cm-line').nth(1).innerText()).toBe('return xorders[5].order;');
    expect(await page.locator('.cm-error-line').count()).toBe(0);
  });

  it('lists the writes of a dry run instead of performing them', async () => {
    const { registry, refunded } = createServer();
    const page = await openCode(registry);
    await page.getByRole('checkbox', { name: 'Dry run' }).check();
    await write(page, "await tools.shop.orders.refund({ order: 'o1' })");
    await page.keyboard.press('Control+Enter');
    const calls = result(page).getByRole('table', { name: 'Calls that the code made' });
    await expect.poll(() => calls.innerText()).toMatch(/shop\/orders\.refund\s+planned\s+\{"order":"o1"\}/);
    expect(refunded).toEqual([]);
  });

  it('says that code may only read, and starts from examples of the server', async () => {
    const page = await openCode(createServer().registry, { allow: 'read' });
    await page.getByText('Code may call actions that only read.').waitFor();
    expect(await page.getByRole('button', { name: 'shop.orders.refund' }).count()).toBe(0);
    await page.getByLabel('Start from an example').selectOption({ label: 'Catch the error of a call' });
    await expect.poll(() => page.locator('.cm-content').innerText()).toContain('catch (error)');
    await write(page, "await tools.shop.orders.refund({ order: 'o1' })");
    await page.keyboard.press('Control+Enter');
    await result(page).getByText('code may only read here').first().waitFor();
  });

  it('keeps the code when the page is loaded again', async () => {
    const page = await openCode(createServer().registry);
    await write(page, 'return 42;');
    await page.reload();
    await expect.poll(() => page.locator('.cm-content').innerText()).toBe('return 42;');
  });
});

describe.each(['light', 'dark'] as const)('In the %s theme, axe finds nothing in Code', (theme) => {
  it.each(['desktop', 'phone'] as const)('on a %s', async (size) => {
    const page = await openCode(createServer().registry, { theme, size });
    await expectAccessible(page);
    await write(page, "console.log('hello');\nawait tools.shop.orders.list({ customer: 'c1' })");
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => result(page).innerText()).toContain('done');
    await result(page).getByRole('table', { name: 'Calls that the code made' }).waitFor();
    await expectAccessible(page);
    await write(page, 'return nothing.at.all;');
    await page.keyboard.press('Control+Enter');
    await page.locator('.cm-error-line').waitFor();
    await expectAccessible(page);
    await page.locator('.cm-content').click();
    await page.keyboard.type('\ntools.');
    await completions(page).first().waitFor();
    await expectAccessible(page);
  });
});
