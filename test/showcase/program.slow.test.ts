/** Tests of the running program; others are in examples/showcase/program.slow.test.ts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { openModernClient, openSessionClient, openStdioClient } from './bookkeeper.js';
import { createFolder, spawnShowcase, startShowcase } from './program.js';

const { books, remove } = await createFolder();
afterAll(remove);

describe('the showcase', () => {
  it('starts over if it was killed while it wrote its first books', async () => {
    const { child, ended } = spawnShowcase(['--port', '0', '--data', books]);
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: string) => text.includes('Writing generated books: 3 ') && resolve());
    });
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    expect(readFileSync(join(books, 'lock'), 'utf8')).toBe(String(child.pid));
    const again = await startShowcase({ args: ['--data', books] });
    const client = await openModernClient(again.url);
    const { budgets } = await client.call<{ budgets: { name: string }[] }>('finance', 'overview');
    expect(budgets.map(({ name }) => name)).toEqual(['Household', 'Studio']);
    expect(await client.call('reports', 'check', { all_budgets: true })).toEqual({
      budgets: ['Household', 'Studio'],
      is_balanced: true,
      problems: [],
    });
    await client.close();
    const { code, stderr } = await again.stop();
    expect([code, stderr.includes('26 of 26')]).toEqual([0, true]);
  });

  it('ends on a signal, with open sessions and a report in progress', async () => {
    const running = await startShowcase({ args: ['--data', books] });
    const [first, second] = await Promise.all([
      openSessionClient(running.url),
      openModernClient(running.url),
    ]);
    const calls = [first, second].map((client) => client.ask('reports', 'year').catch(() => undefined));
    await sleep(5);
    const began = Date.now();
    const { code, signal } = await running.stop();
    expect([code, signal]).toEqual([0, null]);
    expect(Date.now() - began).toBeLessThan(15_000);
    await Promise.all(calls);
    expect(existsSync(join(books, 'lock'))).toBe(false);
    await Promise.allSettled([first.close(), second.close()]);
  });

  it('is closed by a client on standard input and output, and can be opened by the next one at once', async () => {
    for (const form of ['flat', 'dynamic']) {
      const client = await openStdioClient(['--data', books, '--form', form]);
      expect((await client.toolNames()).length).toBeGreaterThan(2);
      await client.close();
      expect(existsSync(join(books, 'lock'))).toBe(false);
    }
  });
});
