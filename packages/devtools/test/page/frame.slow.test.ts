import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import { createDemo } from './demo-registry.js';
import { createTestSource, openTestPage } from './page-client.js';
import { serveDemo, serveHuge, throughCable } from './serve-demo.js';

const title = { name: /.+/ } as const;

describe('The frame of the page', () => {
  it('shows the server, its counts and the state of the connection', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    const header = page.getByRole('banner');
    await header.getByText('Connected', { exact: true }).waitFor();
    await header.getByText('22 tools').waitFor();
    expect(await header.innerText()).toContain('demo');
    expect(await header.innerText()).toContain('1.4.0');
    await page.getByRole('tree').waitFor();
    expect(await page.title()).toBe('Surface · demo');
  });

  it('removes the token from the address, and keeps it for a reload', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByRole('tree').waitFor();
  });

  it('keeps the token in its tab, where no request of another page and no later tab finds it', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url, { expectedProblems: [/401/] });
    await page.getByRole('tree').waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]');
    expect(await page.context().cookies()).toEqual([]);
    const later = await page.context().newPage();
    // An open tab would give the token to the other one.
    await page.close();
    await later.goto(url.slice(0, url.indexOf('#')));
    await later.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
  });

  it('lets no text become markup, whatever its scripts do', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url, { expectedProblems: [/trusted|TrustedHTML/i] });
    await page.getByRole('tree').waitFor();
    for (const code of [
      `document.createElement('div').innerHTML = '<b>x</b>'`,
      `new DOMParser().parseFromString('<b>x</b>', 'text/html')`,
      `trustedTypes.createPolicy('default', { createHTML: (text) => text })`,
    ])
      await expect(page.evaluate(code), code).rejects.toThrow(/TrustedHTML|createPolicy|policy/i);
  });

  it('says what to do if the address has no token', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url.slice(0, url.indexOf('#')), { expectedProblems: [/401/] });
    await page.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
    expect(await page.title()).toContain('Token needed');
    await expectAccessible(page);
  });

  it('takes the token of an address that is pasted into an open tab', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url.slice(0, url.indexOf('#')), { expectedProblems: [/401/] });
    await page.getByRole('heading', { level: 1, name: 'This address needs its token' }).waitFor();
    // Only the fragment changes, so that the browser does not load the page.
    await page.evaluate(`void (location.hash = '${new URL(url).hash}')`);
    await page.getByRole('tree').waitFor();
    expect(page.url()).not.toContain('token');
  });

  it('says in every section why the file behind it cannot be loaded', async () => {
    const { registry } = createDemo();
    const problem = 'server.ts cannot be loaded. Expected ")" but found ":"';
    const source = createTestSource({ registry, found: 'registry' }, { problem: () => problem });
    const { url } = await openTestPage(source);
    const page = await openPage(url);
    await page.getByText(problem).waitFor();
    await page.getByText('The last version keeps running.').waitFor();
    await page.getByRole('link', { name: 'Cost' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    expect(await page.getByText(problem).isVisible()).toBe(true);
    await expectAccessible(page);
  });

  it('has one first heading per section, moves the focus to it, and names the server in the title', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    const navigation = page.getByRole('navigation', { name: 'Sections', exact: true });
    await page.getByRole('tree').waitFor();
    for (const name of ['Cost', 'Try', 'Views', 'Live', 'Search', 'Code', 'Diff', 'Prompts and resources']) {
      await navigation.getByRole('link', { name }).click();
      await expect.poll(() => page.getByRole('heading', { level: 1, ...title }).count()).toBe(1);
      await expect.poll(() => page.title()).toContain('demo');
      await expect.poll(() => navigation.locator('[aria-current=page]').innerText()).toBe(name);
    }
    await navigation.getByRole('link', { name: 'Cost' }).click();
    await expect.poll(() => page.locator('h1:focus').count()).toBe(1);
    expect(await page.locator('h1').innerText()).toBe('Cost');
  });

  it.each([
    ['a file that was never loaded', new ToolRegistry({ name: 'empty' }), false],
    ['a server elsewhere', createDemo().registry, true],
  ])('promises no last version of %s', async (_, registry, isForwarded) => {
    const source = createTestSource(
      { registry, found: 'registry' },
      { problem: () => 'It broke.', isForwarded },
    );
    const { url } = await openTestPage(source);
    const page = await openPage(url);
    await page.getByText('It broke.').waitFor();
    expect(await page.getByText('The last version').count()).toBe(0);
  });

  it('keeps a title hidden that gets the focus, so that the section does not move', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    const filter = page.getByLabel('Filter tools and actions');
    await filter.waitFor();
    const before = await filter.boundingBox();
    const navigation = page.getByRole('navigation', { name: 'Sections', exact: true });
    await navigation.getByRole('link', { name: 'Live' }).click();
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    await navigation.getByRole('link', { name: 'Surface' }).click();
    await page.locator('h1:focus', { hasText: 'Surface' }).waitFor({ state: 'attached' });
    expect(await filter.boundingBox()).toEqual(before);
  });

  it('shows other items after one that it cannot show', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.route('**/api/item?address=shop', (route) => route.fulfill({ json: { address: 'shop' } }));
    await page.goto(at('surface/shop'));
    await page.getByRole('heading', { level: 1, name: 'This section failed' }).waitFor();
    await page.goto(at('surface/doStuff'));
    await page.getByRole('heading', { level: 2, name: 'doStuff' }).waitFor();
  });

  it('has a link that skips the navigation', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.locator('main:focus').count()).toBe(1);
    expect(page.url()).toContain('#/surface');
  });

  it('scrolls inside, and never as a whole document, which would leave an empty window', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { size: { width: 1280, height: 420 } });
    await page.getByRole('tree').waitFor();
    for (const [route, text] of [
      ['surface', 'Look here first'],
      ['surface/shop%2Forders.create', 'Answer of describe_tools'],
      ['cost', 'Every form and profile'],
      ['try/shop%2Forders.create', 'History'],
      ['views', 'Listed'],
      ['live', 'No calls yet'],
      ['search/list%20the%20orders%20of%20a%20customer', 'matching word'],
      ['code', 'Functions'],
      ['diff', 'There is no lockfile yet'],
      ['items', 'review_photo'],
    ] as const) {
      await page.goto(at(route));
      await page.locator('main').getByText(text).first().waitFor({ state: 'attached' });
      await expect.poll(() => page.locator('.spinner').count()).toBe(0);
      const room = 'document.scrollingElement.scrollHeight - window.innerHeight';
      expect(await page.evaluate(room), route).toBe(0);
    }
  });

  it('says that the server is gone, and connects again by itself', async () => {
    const { url } = await serveDemo();
    const cable = await throughCable(url);
    const page = await openPage(cable.url, { expectedProblems: [/net::ERR/] });
    const header = page.getByRole('banner');
    await header.getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('tree').waitFor();
    await cable.cut();
    await page.getByText('The server does not answer.').waitFor();
    expect(await page.getByRole('tree').isVisible()).toBe(true);
    await cable.mend();
    await header.getByText('Connected', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('The server does not answer.').count()).toBe(0);
  });

  it('does not say that it is connected while it says that the server behind it is down', async () => {
    let problem: string | undefined = 'The server is down: it does not answer.';
    const { registry } = createDemo();
    const source = createTestSource(
      { registry, found: 'registry' },
      { isForwarded: true, problem: () => problem },
    );
    const page = await openPage((await openTestPage(source)).url);
    const header = page.getByRole('banner');
    await page.getByText('The server is down').waitFor();
    await header.getByText('Server problem').waitFor();
    expect(await header.getByText('Connected').count()).toBe(0);
    problem = undefined;
    registry.register({ name: 'back', description: 'Answers again', inputSchema: {}, handler: () => 'yes' });
    await header.getByText('Connected', { exact: true }).waitFor();
  });

  it('shows changes of the tools without a reload', async () => {
    const { url, registry } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('banner').getByText('Connected', { exact: true }).waitFor();
    registry.register({
      name: 'brand_new',
      description: 'Appears while the page is open',
      readOnly: true,
      inputSchema: {},
      handler: () => 'new',
    });
    await page.getByRole('banner').getByText('23 tools').waitFor();
    await page.getByLabel('Filter tools and actions').fill('brand_new');
    await page.getByRole('treeitem', { name: 'brand_new' }).waitFor();
  });
});

describe('The theme', () => {
  it('follows the system until the user chooses, and remembers the choice', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url, { theme: 'dark' });
    await page.getByRole('tree').waitFor();
    const shown = () => page.locator('html').getAttribute('data-theme');
    expect(await shown()).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(shown).toBe('light');
    const button = page.locator('.theme-button');
    await button.click();
    await button.click();
    expect(await shown()).toBe('dark');
    await page.reload();
    await page.getByRole('tree').waitFor();
    expect(await shown()).toBe('dark');
    await button.click();
    expect(await shown()).toBe('light');
  });
});

describe('The palette', () => {
  it('opens with a shortcut, finds actions by address and description, and opens one', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Tool, action or section' });
    await expect.poll(() => input.evaluate((element) => element.matches(':focus'))).toBe(true);
    await expectAccessible(page);
    await input.pressSequentially('money back');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'orders.cancel' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.title()).toBe('shop/orders.cancel · Surface · demo');
  });

  it('opens with a slash, tries an action with Shift Enter, and closes with Escape', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Tool, action or section' }).pressSequentially('orders.list');
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => page.url()).toContain('#/try/shop%2Forders.list');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('finds sections, moves with the arrow keys, and says that there are no hits', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.getByRole('button', { name: 'Find tools and sections' }).click();
    await page.getByRole('option', { name: 'Surface section' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('[role=option][aria-selected=true]').innerText()).toContain('Cost');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Tool, action or section' }).fill('nothing has this');
    await page.getByText('Nothing has this in its address or description.').waitFor();
  });
});

describe('The palette of a server with many tools', () => {
  it('counts all hits, and lists the best of them', async () => {
    const { url } = await serveHuge(400);
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('status').getByText('The first 50 of 409 entries').waitFor();
    await page.keyboard.type('invoice');
    await dialog.getByRole('status').getByText('The first 50 of 56 hits').waitFor();
    expect(await dialog.getByRole('option').count()).toBe(50);
  });
});

describe('The help for the keyboard', () => {
  it('opens with a question mark, keeps the focus inside, and gives it back', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await tabTo(page, '.theme-button');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    await dialog.getByText('Leave the editor').waitFor();
    await dialog.getByText('Cancel the call').waitFor();
    await expectAccessible(page);
    for (let presses = 0; presses < 5; presses++) {
      await page.keyboard.press('Tab');
      expect(await page.locator('.frame :focus').count()).toBe(0);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.theme-button:focus').count()).toBe(1);
  });
});

describe('The page on a phone', () => {
  it('has its sections at the bottom, and all of them in a sheet', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url, { size: 'phone' });
    await page.getByRole('tree').waitFor();
    const bottom = page.getByRole('navigation', { name: 'Sections on small screens' });
    await bottom.getByRole('link', { name: 'Cost' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    await bottom.getByRole('button', { name: 'More' }).tap();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('link', { name: 'Views' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Views' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('does not break the words of its tables', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { size: 'phone' });
    await page.getByRole('tree').waitFor();
    const heightOf = async (role: 'rowheader' | 'columnheader', name: string) =>
      (await page.getByRole(role, { name, exact: true }).first().boundingBox())?.height;
    await page.goto(at('cost'));
    await page.getByRole('rowheader', { name: 'portable' }).waitFor();
    for (const profile of ['as written', 'openai-strict'])
      expect(await heightOf('rowheader', profile), profile).toBeLessThan(60);
    await page.goto(at('search/refund'));
    await page.locator('.hit-matches').first().waitFor();
    // Two lines, because one of the heads has several words.
    expect(await heightOf('columnheader', 'Word')).toBeLessThan(50);
    const row = await page.locator('.hit-matches tbody th').first().boundingBox();
    expect(row?.width).toBeGreaterThanOrEqual(60);
  });

  it('never scrolls sideways', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { size: 'phone' });
    await page.getByRole('tree').waitFor();
    for (const route of [
      'surface',
      'surface/shop%2Forders.create',
      'cost',
      'views',
      'diff',
      'search/refund',
      'items',
      'live',
      'code',
    ]) {
      await page.goto(at(route));
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await expect.poll(() => page.locator('.spinner').count()).toBe(0);
      expect(
        await page.evaluate(
          'Math.max(document.documentElement.scrollWidth, document.querySelector("main").scrollWidth)',
        ),
        route,
      ).toBeLessThanOrEqual(390);
    }
  });
});
