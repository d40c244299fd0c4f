import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../examples/showcase/database/test-databases.js';
import type { PostgresServer } from '../../examples/showcase/database/test-databases.js';

/** Tests that need a PostgreSQL. Without one they are skipped with a warning, and fail in CI. */
export async function describeWithPostgres(
  name: string,
  tests: (server: PostgresServer) => void,
): Promise<void> {
  const server = await startPostgres();
  describe(name, () => {
    if (server) {
      afterAll(() => server.stop(), 60_000);
      tests(server);
      return;
    }
    it.skipIf(process.env['CI'] !== 'true')('finds a PostgreSQL for the tests', () => {
      expect.unreachable('There is no PostgreSQL installed, and no DATABASE_URL.');
    });
  });
}
