import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModernClient, openSessionClient } from './bookkeeper.js';
import type { Bookkeeper } from './bookkeeper.js';
import { createFolder, startShowcase } from './program.js';
import type { Showcase } from './program.js';
import { ACCOUNTS, rage } from './storm.js';
import type { Order } from './storm.js';
import { describeWithPostgres } from './with-postgres.js';

/** Time for programs to start and stop while many tests run at once. */
const PATIENCE_MS = 120_000;

const account = fc.constantFrom(...ACCOUNTS);
const cents = fc.integer({ min: 1, max: 1_000_000 });
const signed = fc.integer({ min: -1_000_000, max: 1_000_000 });
const sides = fc.record({ from: account, to: account }).filter(({ from, to }) => from !== to);
const manner = fc.record({
  copies: fc.constantFrom(1, 1, 2, 3),
  giveUpAfter: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined, freq: 2 }),
  isRepeatedLater: fc.boolean(),
});
const order: fc.Arbitrary<Order> = fc
  .tuple(
    manner,
    fc.oneof(
      fc.record({ kind: fc.constant('pay' as const), account, cents: signed }),
      fc.record({ kind: fc.constant('correct' as const), account, cents: signed, corrected: signed }),
      fc.record({ kind: fc.constant('withdraw' as const), account, cents: signed }),
      fc
        .tuple(sides, cents, fc.constantFrom('move' as const, 'undo' as const))
        .map(([both, amount, kind]) => ({
          kind,
          ...both,
          cents: amount,
        })),
    ),
  )
  .map(([how, what]) => ({
    ...what,
    ...how,
    isRepeatedLater: how.isRepeatedLater && isRepeatable(what.kind),
  }));

/** Repeating a withdrawn order is an error. */
function isRepeatable(kind: Order['kind']): boolean {
  return kind !== 'withdraw';
}

function describeStorm(start: () => Promise<Showcase[]>): void {
  let programs: Showcase[];
  let clients: Bookkeeper[];
  beforeAll(async () => {
    programs = await start();
    const urlOf = (index: number): string => programs[index % programs.length]?.url ?? '';
    clients = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        // Each program has 2025 and 2026 clients.
        (index % 4 < 2 ? openModernClient : openSessionClient)(urlOf(index)),
      ),
    );
  }, PATIENCE_MS);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    for (const { code, stderr } of await Promise.all(programs.map((program) => program.stop()))) {
      expect(code).toBe(0);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  }, PATIENCE_MS);

  it('loses and duplicates nothing when clients write, cancel and retry concurrently', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 30, maxLength: 60 }), async (orders) => {
        await rage(clients, orders, `Storm ${run++}`);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
}

const folder = await createFolder();
afterAll(() => folder.remove());

describe('a storm of 2025 and 2026 clients, on PGlite', () => {
  describeStorm(async () => [await startShowcase({ args: ['--data', folder.books] })]);
});

await describeWithPostgres('a storm on two programs that share a PostgreSQL server', (server) => {
  describeStorm(async () => {
    const env = { DATABASE_URL: await server.createDatabase() };
    return Promise.all([startShowcase({ env }), startShowcase({ env })]);
  });
});
