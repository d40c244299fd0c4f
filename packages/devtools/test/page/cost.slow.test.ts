import { ToolRegistry } from 'toolfold';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openPage, tabTo } from './browser.js';
import { serveDemo, serveHuge } from './serve-demo.js';

describe('The section Cost', () => {
  it('shows the tokens of the server, their share of a context, and their parts', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    await page.getByText(/of a 200,000-token context/).waitFor();
    await page.getByText('descriptions of fields').waitFor();
    await page.getByRole('list', { name: 'Tokens as areas' }).getByRole('link').first().waitFor();
  });

  it('labels all areas that have room, and colours each like its largest part in the legend', async () => {
    const registry = new ToolRegistry({ name: 'shop' });
    const words = 'Finds what customers ordered. '.repeat(20);
    const add = (name: string, description: string, inputSchema: z.ZodObject) =>
      registry.register({ name, description, inputSchema, handler: () => 'done' });
    add('a_long_description', words, z.object({ id: z.string() }));
    add('a_long_field', 'Finds', z.object({ id: z.string().describe(words) }));
    for (let index = 0; index < 12; index++) add(`small_${index}`, 'Finds', z.object({ id: z.string() }));
    const { url, at } = await serveDemo({}, { registry });
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    const areas = page.getByRole('list', { name: 'Tokens as areas' });
    await areas.getByRole('link', { name: /^shop, / }).waitFor({ state: 'attached' });
    const unlabelled = await areas.locator('.cost-tile, .cost-inner').evaluateAll((all) =>
      all.flatMap((each) => {
        const { width, height } = each.getBoundingClientRect();
        const hasRoom = Math.min(width, height) >= 16 && Math.max(width, height) > 60;
        return hasRoom && each.innerText.trim() === '' ? [`${each.title} ${width} × ${height}`] : [];
      }),
    );
    expect(unlabelled).toEqual([]);
    const legend = await page
      .locator('.cost-legend > li')
      .evaluateAll((all) =>
        all.map((each) => [
          each.innerText.replace(/ [\d,]+ \(.*/, '').trim(),
          each.children[0].style.background,
        ]),
      );
    const colours = new Map(legend as [string, string][]);
    const tiles = await areas.locator('[title*="largest part"]').evaluateAll((all) =>
      all.map((each) => {
        const area = each.closest('.cost-inner, .cost-tile') as typeof each;
        return [/largest part: (.*)/.exec(each.title)?.[1], area.style.getPropertyValue('--hue')];
      }),
    );
    expect(new Set(tiles.map(([part]) => part)).size).toBe(3);
    for (const [part, colour] of tiles as [string, string][]) expect(colour).toBe(colours.get(part));
  });

  it('goes into an area and back with the keyboard', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    const areas = page.getByRole('list', { name: 'Tokens as areas' });
    await areas.getByRole('link', { name: /^in no toolset, [\d,]+ tokens, \d+ %, largest part: / }).waitFor();
    await tabTo(page, '.cost-link');
    await page.keyboard.press('Enter');
    await areas.getByRole('link', { name: /^shop, / }).waitFor();
    await areas.getByRole('link', { name: /^shop, / }).focus();
    await page.keyboard.press('Enter');
    await areas.getByRole('link', { name: /^orders, / }).waitFor();
    const path = page.getByRole('navigation', { name: 'Path' });
    expect(await path.innerText()).toContain('shop');
    await path.getByRole('link', { name: 'All tools' }).click();
    await areas.getByRole('link', { name: /^Billing, / }).waitFor({ state: 'attached' });
    await page.goBack();
    await areas.getByRole('link', { name: /^orders, / }).waitFor();
  });

  it('shows the same as bars, which lead to tools', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    await page.getByRole('button', { name: 'Bars' }).click();
    const bars = page.getByRole('list', { name: 'Tokens as bars' });
    await bars.getByRole('link', { name: 'Support' }).click();
    await bars.getByRole('link', { name: 'list_tickets' }).click();
    await page.getByRole('heading', { level: 2, name: 'list_tickets' }).waitFor();
  });

  it('compares every form and profile, and switches to one of them', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    const table = page.getByRole('table', { name: 'Tokens of every form and profile' });
    await table.getByRole('link', { name: /^flat, gemini: [\d,]+ ?tokens, ?\d+ tools$/ }).click();
    await expect.poll(() => page.getByLabel('Form', { exact: true }).inputValue()).toBe('flat');
    expect(await page.getByLabel('Profile', { exact: true }).inputValue()).toBe('gemini');
    expect(await table.locator('[aria-current]').innerText()).toContain('flat, gemini');
    await page.reload();
    await expect.poll(() => page.getByLabel('Form', { exact: true }).inputValue()).toBe('flat');
  });

  it('draws a bounded number of areas and bars for 500 tools', async () => {
    const { url, at } = await serveHuge(500);
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('cost'));
    const areas = page.getByRole('list', { name: 'Tokens as areas' });
    await areas.getByRole('link').first().waitFor({ timeout: 60_000 });
    expect(await areas.getByRole('listitem').count()).toBeLessThanOrEqual(80);
    await page.getByRole('button', { name: 'Bars' }).click();
    const bars = page.getByRole('list', { name: 'Tokens as bars' });
    await bars.getByRole('listitem').first().waitFor();
    expect(await bars.getByRole('listitem').count()).toBeLessThan(60);
  });
});
