/** The showcase in a separate process that reports its state, with an accelerated clock: `server.ts folder keys speed`. */
import { serveHttp } from 'toolfold/node';
import { readKeys } from '../../../examples/showcase/access.js';
import { openDatabase } from '../../../examples/showcase/database/open.js';
import { createFinance } from '../../../examples/showcase/finance.js';
import { seedBooks } from '../../../examples/showcase/seed/seed.js';
import { createServer } from '../../../examples/showcase/server.js';
import { reportServer } from '../../live/report-server.js';

const [folder, keys = '', speed = '1'] = process.argv.slice(2);
const began = Date.now();
const FIRST_MOMENT = Date.parse('2026-03-15T00:00:00Z');
const now = (): Date => new Date(FIRST_MOMENT + (Date.now() - began) * Number(speed));
const onError = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : String(error));
};

const db = await openDatabase({ folder, onError });
await seedBooks(db, { now: now(), timeZone: 'Europe/Berlin' });
const { registry, http } = createServer(createFinance(db, now), { callsPerMinute: 1_000_000 });
const { url, server, close } = await serveHttp(registry, {
  ...http,
  port: 0,
  requestLimit: false,
  auth: readKeys(keys),
  onError,
});
reportServer({
  url,
  server,
  close: async () => {
    await close();
    await db.close();
  },
});
