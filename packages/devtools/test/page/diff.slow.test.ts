import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLoaded, readSurface, writeLockfile } from '@toolfold/analysis/internal';
import { ToolRegistry } from 'toolfold';
import { expectAccessible, openPage } from './browser.js';
import { serveDemo } from './serve-demo.js';

function createShop(isNew: boolean): ToolRegistry {
  const registry = new ToolRegistry({ name: 'shop', version: '1.0.0' });
  registry.register({
    name: 'refund',
    description: isNew
      ? 'Returns money to a customer at once, without asking anybody'
      : 'Returns money to a customer after a manager has agreed',
    destructive: true,
    inputSchema: {
      type: 'object',
      properties: { amount: { type: 'integer', description: 'Cents', ...(isNew ? { maximum: 100 } : {}) } },
      required: ['amount'],
    },
    handler: () => 'done',
  });
  registry.register({
    name: isNew ? 'pay' : 'charge',
    description: isNew ? 'Pays a bill of a supplier' : 'Takes money from a card',
    inputSchema: {},
    handler: () => 'done',
  });
  return registry;
}

/** Writes the lockfile of a server, or another text, into a folder of its own. */
async function writeLock(content: ToolRegistry | string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolfold-diff-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const lockfile = join(folder, 'toolfold.lock.json');
  if (typeof content === 'string') await writeFile(lockfile, content);
  else {
    const opened = await openLoaded('shop', { registry: content, found: 'registry' }, {});
    await writeFile(lockfile, writeLockfile(readSurface(opened)));
    await opened.close();
  }
  return lockfile;
}

describe('The section Diff', () => {
  it('says how to write the first lockfile', async () => {
    const { url, at } = await serveDemo();
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('diff'));
    await page.getByText('There is no lockfile yet').waitFor();
    expect(await page.getByRole('region', { name: 'command' }).innerText()).toContain('toolfold lock');
  });

  it('groups changes by severity, with a value that shows the difference and the changed words', async () => {
    const lockfile = await writeLock(createShop(false));
    const { url, at } = await serveDemo({ lockfile }, { registry: createShop(true) });
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('diff'));
    const breaking = page.getByRole('region', { name: /^breaking/ });
    await breaking.waitFor();
    expect(await breaking.innerText()).toContain('charge');
    const witness = breaking.getByRole('tree', { name: 'witness' });
    expect(await witness.innerText()).toMatch(/amount/);
    expect(await breaking.innerText()).toContain('Was accepted before, and is rejected now:');
    await page.locator('del').first().waitFor();
    expect(await page.locator('ins').first().innerText()).toContain('at once');
    await page.getByRole('heading', { level: 2, name: 'Accept the changes' }).waitFor();
    await expectAccessible(page);
    await breaking.getByRole('link', { name: 'refund' }).first().click();
    await page.getByRole('heading', { level: 2, name: 'refund' }).waitFor();
  });

  it('says that nothing has changed', async () => {
    const lockfile = await writeLock(createShop(false));
    const { url, at } = await serveDemo({ lockfile }, { registry: createShop(false) });
    const page = await openPage(url);
    await page.getByRole('tree').waitFor();
    await page.goto(at('diff'));
    await page.getByText('The tools match the lockfile.').waitFor();
  });

  it('says that the lockfile is damaged, and reads it again', async () => {
    const lockfile = await writeLock('{ "toolfoldLock": 1, "tools": ');
    const { url, at } = await serveDemo({ lockfile }, { registry: createShop(false) });
    const page = await openPage(url, { expectedProblems: [/422/] });
    await page.getByRole('tree').waitFor();
    await page.goto(at('diff'));
    await page.getByRole('alert').getByText('Write it again').waitFor();
    await rm(lockfile);
    await page.getByRole('button', { name: 'Compare again' }).click();
    await page.getByText('There is no lockfile yet').waitFor();
  });
});
