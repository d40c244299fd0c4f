import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { expectAccessible, openPage, tabTo } from './browser.js';
import { createTestSource, openTestPage } from './page-client.js';
import { serveDemo, serveHuge } from './serve-demo.js';

const createOrder = 'surface/shop%2Forders.create';

describe('The tree of the section Surface', () => {
  it('filters as the user types, and by findings, risk and scope', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    const items = page.getByRole('treeitem');
    await items.first().waitFor();
    // Long names are cut.
    expect(await page.locator('.surface-name', { hasText: 'doStuff' }).getAttribute('title')).toBe('doStuff');
    const filter = page.getByLabel('Filter tools and actions');
    await filter.fill('customers');
    await expect
      .poll(() => items.allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('customers.find')]));
    expect(await page.getByRole('treeitem', { name: 'book_table' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Destructive' }).click();
    await page.getByRole('treeitem', { name: 'customers.forget' }).waitFor();
    expect(await page.getByRole('treeitem', { name: 'customers.find' }).count()).toBe(0);
    await filter.fill('no such thing');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('treeitem', { name: 'list_tickets' }).waitFor();
  });

  it('is operated with the keyboard alone', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('treeitem').first().waitFor();
    await tabTo(page, '[role=tree][aria-label=Tools]');
    const tree = page.getByRole('tree', { name: 'Tools', exact: true });
    const active = async () => {
      // A row far away exists after the tree has scrolled to it.
      await page.locator('[role=tree][aria-activedescendant]').waitFor();
      return page.locator(`[id="${await tree.getAttribute('aria-activedescendant')}"]`);
    };
    await page.keyboard.type('shop');
    expect(await (await active()).innerText()).toContain('shop');
    await page.keyboard.press('ArrowLeft');
    expect(await (await active()).getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await (await active()).innerText()).toContain('orders');
    expect(await (await active()).getAttribute('aria-level')).toBe('2');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'orders.list' }).waitFor();
    // The focus stays in the tree, so that the next item is one key away.
    expect(await page.locator('[role=tree]:focus').count()).toBe(1);
    // To the group, which closes, and to its tool.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await (await active()).innerText()).toContain('shop');
    await page.keyboard.press('End');
    expect(await (await active()).getAttribute('aria-posinset')).toBe(
      await (await active()).getAttribute('aria-setsize'),
    );
  });

  it('shows the item of a link, and keeps open nodes while another section is shown', async () => {
    const registry = new ToolRegistry({ name: 'many', version: '1' });
    const handler = () => 'x';
    for (let index = 0; index < 30; index++)
      registry.register(
        new GroupedToolBuilder(`tool_${index}`)
          .description('Does things')
          .action({ name: 'list', description: 'Lists things', readOnly: true, handler })
          .action({ name: 'add', description: 'Adds a thing', handler }),
      );
    const { url, at } = await serveDemo({}, { registry });
    const page = await openPage(url);
    const tools = page.getByRole('treeitem', { expanded: false });
    await tools.first().waitFor();
    await tools.nth(4).locator('.tree-twist').click();
    const action = page.getByRole('treeitem', { level: 2 }).first();
    await action.click();
    await page.getByRole('heading', { level: 2, name: 'list' }).waitFor();
    const link = new URL(page.url()).hash.slice(2);
    await page.goto(at('surface'));
    await page.getByRole('heading', { level: 2, name: 'many' }).waitFor();
    await page.goto(at('cost'));
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    await page.goto(at('surface'));
    await action.waitFor();
    await page.reload();
    await tools.first().waitFor();
    expect(await action.count()).toBe(0);
    await page.goto(at(link));
    await page.reload();
    await page.getByRole('treeitem', { name: 'list', selected: true }).waitFor();
  });

  it('goes to the neighbours of an item with brackets', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at(createOrder));
    await page.getByRole('heading', { level: 2, name: 'orders.create' }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { level: 2, name: 'orders.cancel' }).waitFor();
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.getByRole('heading', { level: 2, name: 'orders.list' }).waitFor();
  });
});

describe('An item of the section Surface', () => {
  it('shows annotations, scopes, the schema as outline and JSON, and findings at their fields', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at(createOrder));
    const article = page.getByRole('article');
    await article.getByText('Idempotency key').waitFor();
    const head = await article.locator('header').first().innerText();
    expect(head).toContain('writes');
    expect(head).toContain('orders:write');
    const outline = article.getByRole('tabpanel');
    expect(await outline.innerText()).toContain('2 fields "to", "on" have no description.');
    expect(await outline.innerText()).toContain('method = "card"');
    await article.getByRole('tab', { name: 'Input as JSON' }).click();
    await article.getByRole('tree', { name: 'input schema' }).waitFor();
    await article.getByRole('link', { name: 'www.anthropic.com' }).first().waitFor();
  });

  it('compares forms and profiles side by side, and adds and removes columns', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at(createOrder));
    const columns = page.getByRole('region', { name: /^Column / });
    await expect.poll(() => columns.count()).toBe(3);
    await expect
      .poll(() => columns.locator('.surface-column-tokens').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^[\d,]+\s+tokens for \d+ actions$/),
        expect.stringMatching(/^[\d,]+\s+tokens$/),
        expect.stringMatching(/^[\d,]+\s+tokens, shared by many actions$/),
      ]);
    expect(await columns.nth(0).innerText()).toContain('action: "orders.create"');
    await page.getByRole('button', { name: 'Remove column 3' }).click();
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.getByLabel('Profile of column 3').selectOption('openai-strict');
    await page
      .getByRole('region', { name: 'Column 3: flat, openai-strict' })
      .getByText(/rewritten/)
      .waitFor();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await expect.poll(() => columns.getByRole('tree', { name: 'input schema' }).count()).toBe(3);
  });

  it('keeps the controls of a narrow column inside of it', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at(createOrder));
    await page.getByLabel('Profile of column 1').selectOption('none');
    const column = await page.getByRole('region', { name: /^Column 1/ }).boundingBox();
    const button = await page.getByRole('button', { name: 'Remove column 1' }).boundingBox();
    const end = (box: typeof column): number => (box ? box.x + box.width : NaN);
    expect(end(button)).toBeLessThanOrEqual(end(column) - 4);
  });

  it('groups findings by rule, with one fix and all places for each rule', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    const source = 'https://example.com/rule';
    const untitled = { rule: 'title', severity: 'note', fix: 'Add a title.', source, date: '2026-07' };
    const vague = { rule: 'vague', severity: 'warning', fix: 'Say what it returns.', source, date: '' };
    await page.route('**/api/item/findings*', (route) =>
      route.fulfill({
        json: [
          { ...untitled, action: 'orders.list', pointer: '/title', reason: 'It has no title.' },
          { ...vague, pointer: '/description', reason: 'The description is vague.' },
          ...Array.from({ length: 24 }, (_, index) => ({
            ...untitled,
            pointer: `/inputSchema/properties/f${index}`,
            reason: `Field ${index} has no title.`,
          })),
        ],
      }),
    );
    await page.goto(at(createOrder));
    const rules = page.getByRole('article').locator('.surface-finding');
    await page.getByRole('heading', { name: '26 findings' }).waitFor();
    expect(await rules.count()).toBe(2);
    const [titles, others] = await rules.allInnerTexts();
    expect(titles).toMatch(
      /title[\s\S]*25 places[\s\S]*It has no title\. orders\.list\/title[\s\S]*5 more places/,
    );
    expect(titles?.match(/Fix: Add a title\./g)).toHaveLength(1);
    expect(titles?.match(/Source: example\.com, 2026-07/g)).toHaveLength(1);
    expect(others).toMatch(/vague[\s\S]*The description is vague\.[\s\S]*Fix: Say what it returns\./);
    expect(others).not.toContain('place');
    await expectAccessible(page);
  });

  it('shows the first of two toolsets that have a tool with the same name, and how to show both', async () => {
    const tool = (name: string) => ({ name, description: 'Finds', inputSchema: {}, handler: () => name });
    const toolsets = {
      catalog: {
        books: { name: 'Books', description: 'Books', tools: [tool('find')] },
        films: { name: 'Films', description: 'Films', tools: [tool('find'), tool('play')] },
      },
      startup: { mode: 'DYNAMIC' as const },
    };
    const registry = new ToolRegistry({ name: 'media' });
    const { url } = await serveDemo({}, { registry, toolsets });
    const page = await openPage(url);
    const tree = page.getByRole('tree', { name: 'Tools', exact: true });
    await tree.getByRole('treeitem', { name: /^find/ }).waitFor();
    expect(await tree.getByRole('treeitem').count()).toBe(2);
    await page.getByText(/about the whole list/).click();
    await page
      .getByText(/The toolset "films" cannot be loaded: Two tools would both be called "find"/)
      .waitFor();
    await page.getByText(/rename one of the two or set exposurePolicy\.namespaceToolsWithSetKey/).waitFor();
  });

  it('shows the source of a finding without a date', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    const finding = { rule: 'r', severity: 'note', pointer: '', reason: 'Why.', fix: 'So.', date: '' };
    await page.route('**/api/item/findings*', (route) =>
      route.fulfill({ json: [{ ...finding, source: 'https://example.com/rule' }] }),
    );
    await page.goto(at(createOrder));
    await page.getByText(/^Source: example\.com$/).waitFor();
  });

  it('says so if an address does not exist any more', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url, { expectedProblems: [/404/] });
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at('surface/gone'));
    await page.getByText('There is no such tool or action').waitFor();
  });

  it('leads to Try and copies the address', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at(createOrder));
    await page.getByRole('button', { name: 'Copy address' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('shop/orders.create');
    await page.getByRole('article').getByRole('link', { name: 'Try' }).click();
    await expect.poll(() => page.url()).toContain('#/try/shop%2Forders.create');
  });
});

describe('The overview of the section Surface', () => {
  it('shows the instructions, the counts, and where to look first', async () => {
    const { url } = await serveDemo();
    const page = await openPage(url);
    const article = page.getByRole('article');
    await article.getByText('A shop with orders, customers and reports.').waitFor();
    await article.getByRole('link', { name: 'doStuff' }).click();
    await page.getByRole('heading', { level: 2, name: 'doStuff' }).waitFor();
  });

  it('explains an empty server', async () => {
    const registry = new ToolRegistry({ name: 'empty', version: '0.0.0' });
    const { url } = await serveDemo({}, { registry });
    const page = await openPage(url);
    await page.getByText('This server has no tools').waitFor();
    await expectAccessible(page);
  });
});

describe('Hostile texts', () => {
  it('are shown as text, with hidden characters made visible', async () => {
    const registry = new ToolRegistry({ name: 'evil <b>server</b>', version: '1' });
    registry.register({
      name: 'steal',
      description: 'Safe \u202Etxet desrever\u202C <img src=x onerror=alert(1)> \u200Bend',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: { '<script>': { type: 'string', description: `${'long'.repeat(2000)} </textarea>` } },
      },
      handler: () => 'x',
    });
    const { url, at } = await serveDemo({}, { registry });
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at('surface/steal'));
    const text = page.locator('.surface-description');
    await text.waitFor();
    expect(await text.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await text.innerText()).toContain('U+202E');
    expect(await text.innerText()).not.toContain('\u202E');
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectAccessible(page);
  });
});

describe('Hidden characters', () => {
  const hidden = '\u202E';
  const shown = /U\+202E/;

  it('are made visible in the names that another server uses', async () => {
    const registry = new ToolRegistry({ name: 'other', version: '1' }).register({
      name: 'bidi_gnp',
      description: 'Returns a picture',
      inputSchema: {},
      handler: () => 'x',
    });
    const inputSchema = { type: 'object' as const };
    const tool = { name: `bidi${hidden}gnp`, description: 'Returns a picture', inputSchema };
    const source = createTestSource(
      { registry, found: 'registry' },
      { upstream: () => ({ kind: 'http', tools: new Map([['bidi_gnp', tool]]), leftOut: new Map() }) },
    );
    const { url } = await openTestPage(source);
    const page = await openPage(url);
    const item = page.getByRole('tree', { name: 'Tools', exact: true }).getByRole('treeitem').first();
    await item.waitFor();
    expect(await item.innerText()).toContain('bidiU+202Egnp');
    expect(await page.locator('body').innerText()).not.toContain(hidden);
  });

  it('are made visible in the keys and texts of a schema, as an outline and as JSON', async () => {
    const registry = new ToolRegistry({ name: 'evil', version: '1' }).register({
      name: 'steal',
      description: 'Steals',
      readOnly: true,
      inputSchema: {
        type: 'object',
        properties: {
          [`key${hidden}a`]: { type: 'string', description: `text${hidden}b`, default: `c${hidden}d` },
        },
      },
      handler: () => 'x',
    });
    const { url, at } = await serveDemo({}, { registry });
    const page = await openPage(url);
    await page.getByRole('tree', { name: 'Tools', exact: true }).waitFor();
    await page.goto(at('surface/steal'));
    const article = page.getByRole('article');
    await expect
      .poll(() => article.getByRole('tabpanel').innerText())
      .toMatch(/keyU\+202Ea[\s\S]*textU\+202Eb/);
    await article.getByRole('tab', { name: 'Input as JSON' }).click();
    const json = article.getByRole('tree', { name: 'input schema' }).first();
    await json.getByText(shown).first().waitFor();
    expect(await json.innerText()).toMatch(/keyU\+202Ea[\s\S]*textU\+202Eb/);
    expect(await page.locator('body').innerText()).not.toContain(hidden);
  });
});

describe('A server with 2,000 tools', () => {
  it('keeps a bounded number of rows, scrolls to the end, and finds a tool', async () => {
    const { url } = await serveHuge(2_000);
    const page = await openPage(url);
    const items = page.getByRole('treeitem');
    await items.first().waitFor();
    expect(await items.count()).toBeLessThan(100);
    await page.getByRole('tree', { name: 'Tools', exact: true }).focus();
    await page.keyboard.press('End');
    await page.getByRole('treeitem', { name: '_1999' }).waitFor();
    expect(await items.count()).toBeLessThan(100);
    await page
      .getByRole('tree')
      .evaluate((element) => ((element as unknown as { scrollTop: number }).scrollTop = 30_000));
    await expect.poll(() => items.count()).toBeLessThan(100);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Tool, action or section' }).fill('_1777');
    await page.getByRole('option', { name: /_1777/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: /_1777/ }).waitFor();
    // The tree follows what was opened elsewhere.
    await page.locator('[role=treeitem][aria-selected=true]', { hasText: '_1777' }).waitFor();
    await page.getByLabel('Filter tools and actions').fill('_123');
    await page.getByText('11 hits').waitFor();
  });
});
