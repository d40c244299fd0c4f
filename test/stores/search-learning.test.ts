import { inspect } from 'node:util';
import { afterAll, vi } from 'vitest';
import { RedisConnection } from '../../src/redis/connection.js';
import { createRedisSearchLearning } from '../../src/redis/search-learning.js';
import { MemoryTable } from '../../src/search/learn/learning-table.js';
import type { LearningTable } from '../../src/search/learn/learning-table.js';
import { TableLearning } from '../../src/search/learn/table-learning.js';
import { describeSearchLearning } from './search-learning-contract.js';
import { describeWithRedis, SECRET } from './with-redis.js';

// The contract applies to simulated processes with shared memory, and to nodes that share a Redis.

describeSearchLearning('memory', () => {
  let now = 1_000_000;
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const tables = new Map<string, LearningTable>();
  return {
    create: (options = {}) =>
      new TableLearning(
        'test',
        {
          secret,
          now: () => now,
          createTable: (kind, limits) => {
            const table = tables.get(kind) ?? new MemoryTable(limits, () => now);
            tables.set(kind, table);
            return table;
          },
        },
        options,
      ),
    advance: async (ms) => {
      now += ms;
    },
    dump: async () => {
      const all: unknown[] = [];
      for (const table of tables.values())
        for (const tenant of await table.tenants()) all.push(tenant, await table.entries(tenant));
      return inspect(all, { depth: 10, maxArrayLength: null, maxStringLength: null });
    },
  };
});

await describeWithRedis('several processes with one Redis', ({ createPrefix, client, advance, server }) => {
  const connections: RedisConnection[] = [];
  afterAll(() => Promise.all(connections.map((connection) => connection.close())));

  describeSearchLearning('Redis', () => {
    const prefix = createPrefix();
    let ahead = 0;
    return {
      create: (options) => {
        const connection = new RedisConnection({ url: server.url, prefix, secret: SECRET });
        connections.push(connection);
        // The nodes use the time of Redis, which a test cannot set.
        const now = connection.now.bind(connection);
        vi.spyOn(connection, 'now').mockImplementation(() => now() + ahead);
        return createRedisSearchLearning(connection, options);
      },
      advance: async (ms) => {
        ahead += ms;
        await advance(prefix, ms);
      },
      dump: async () => {
        const all: unknown[] = [];
        for (const key of await client.keys(`${prefix}:*`)) {
          const isHash = (await client.type(key)) === 'hash';
          all.push(key, isHash ? await client.hgetall(key) : await client.zrange(key, '0', '-1'));
        }
        return inspect(all, { depth: 10, maxArrayLength: null, maxStringLength: null });
      },
    };
  });
});
