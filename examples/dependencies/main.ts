/** Gives handlers what they need: for the process, for a request, and for a call that cleans up. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region imports
import { initToolfold } from 'toolfold';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';
// #endregion imports

// #region services
interface Connection {
  query(text: string): Promise<string>;
  release(): void;
}

class Pool {
  open = 0;

  async connect(): Promise<Connection> {
    this.open++;
    return {
      query: async (text) => `rows of ${text}`,
      release: () => {
        this.open--;
      },
    };
  }

  async end(): Promise<void> {}
}
// #endregion services

// #region registry
interface App {
  readonly pool: Pool;
  readonly user: string;
}

const t = initToolfold<App>();

const withConnection = t.middleware(async ({ context }, next) => {
  const connection = await context.app.pool.connect();
  try {
    return await next({ context: { connection } });
  } finally {
    connection.release();
  }
});

const orders = t
  .group('orders')
  .description('Orders of the caller')
  .use(withConnection)
  .action({
    name: 'list',
    description: 'Lists the orders of the caller',
    readOnly: true,
    inputSchema: z.object({ status: z.string().default('open') }),
    handler: async ({ input, context: { app, connection } }) => {
      const rows = await connection.query(`${input.status} orders of ${app.user}`);
      return `${rows}, ${app.pool.open} connection open`;
    },
  });

export function createRegistry(pool: Pool) {
  return t
    .registry({
      name: 'shop',
      contextFactory: ({ caller }) => ({ pool, user: caller?.auth?.clientId ?? 'nobody' }),
    })
    .register(orders);
}
// #endregion registry

// #region test
const pool = new Pool();
const client = await createTestClient(createRegistry(pool), { auth: { clientId: 'ada' } });
const { content } = await client.call('orders.list', {});
console.log(content[0]?.type === 'text' && content[0].text);
console.log(`${pool.open} connections open after the call`);
await client.close();
await pool.end();
// #endregion test
assert.equal(pool.open, 0);
