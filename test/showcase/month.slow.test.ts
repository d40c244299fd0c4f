import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModernClient, openSessionClient, openStdioClient } from './bookkeeper.js';
import type { Bookkeeper } from './bookkeeper.js';
import { CLERK_KEY, OWNER_KEY, writeKeys } from './keys.js';
import { keepBooks, MONTH } from './month.js';
import { closeMonth, expectYear } from './month-end.js';
import { createFolder, startShowcase } from './program.js';
import type { Showcase, ShowcaseOptions } from './program.js';
import { callAsTask } from './task.js';
import { describeWithPostgres } from './with-postgres.js';

const folder = await createFolder();
const keys = writeKeys(folder.path);
afterAll(() => folder.remove());

/** Creating a year of books takes long while many tests run at once. */
const START_MS = 120_000;

const clients = [
  ['2025 in a session (SDK v1)', openSessionClient],
  ['2026-07-28 (SDK v2)', openModernClient],
] as const;

function describeMonth(place: string, options: () => Promise<ShowcaseOptions>): void {
  describe(place, () => {
    let showcase: Showcase;
    beforeAll(async () => {
      const { args = [], ...rest } = await options();
      showcase = await startShowcase({ ...rest, args: [...args, '--keys', keys] });
    }, START_MS);
    afterAll(async () => {
      const { code, stderr } = await showcase.stop();
      expect(code).toBe(0);
      // There were no unreported errors.
      expect(stderr).not.toMatch(/\n\s+at /);
    }, START_MS);

    it.each(clients)('balances to the cent for a %s client', async (era, open) => {
      const [owner, clerk] = await Promise.all([
        open(showcase.url, { key: OWNER_KEY }),
        open(showcase.url, { key: CLERK_KEY }),
      ]);
      const budget = `March of ${era}`;
      const paper = await keepBooks({ owner, clerk, budget });
      await closeMonth(clerk, paper, budget);
      if (owner.era === '2026-07-28') {
        const { task, seen, text } = await callAsTask(showcase.url, CLERK_KEY, 'reports', {
          action: 'year',
          until: MONTH,
        });
        expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 3_600_000 });
        expect(seen.at(-1)).toMatchObject({ status: 'completed' });
        expectYear(text, paper, budget);
      }
      await Promise.all([owner.close(), clerk.close()]);
    });
  });
}

describe('a month of bookkeeping', () => {
  const data = ['--data', folder.books];
  describeMonth('on PGlite, over HTTP', async () => ({ args: data }));

  describe('on PGlite, over standard input and output', () => {
    let owner: Bookkeeper;
    beforeAll(async () => {
      owner = await openStdioClient(data);
    }, START_MS);

    it('balances to the cent, and is the same after a restart', async () => {
      const budget = 'March over stdio';
      const paper = await keepBooks({ owner, budget });
      await closeMonth(owner, paper, budget);
      await owner.close();
      const again = await openStdioClient([...data, '--readonly']);
      await closeMonth(again, paper, budget);
      await again.close();
    });
  });
});

await describeWithPostgres('a month of bookkeeping on a PostgreSQL server', (server) => {
  describeMonth('over HTTP', async () => ({ env: { DATABASE_URL: await server.createDatabase() } }));
});
