import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { randomId } from 'toolfold/internal';
import { redis } from '@toolfold/redis';
import type { RedisOptions } from '@toolfold/redis';
import type { Shared } from 'toolfold';
import { startRedis } from './redis-server.js';
import type { RedisServer } from './redis-server.js';

/** A Redis for one test file, and nodes that use it. */
export interface RedisUnderTest {
  readonly server: RedisServer;
  /** A client apart from those of the nodes. */
  readonly client: Redis;
  /** Returns an unused prefix. */
  createPrefix(): string;
  /** Creates a node, which is closed after the tests of the file. */
  createNode(options?: Partial<RedisOptions>): Shared;
  /** Waits until `nodes` nodes have subscribed under a prefix. */
  listening(prefix: string, nodes: number): Promise<void>;
  /** Advances the time for all keys under a prefix. */
  advance(prefix: string, ms: number): Promise<void>;
}

/** Shortens the remaining ttl of each key. */
const ADVANCE = `
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do
    local left = redis.call('PTTL', key)
    if left >= 0 and left <= tonumber(ARGV[2]) then redis.call('DEL', key)
    elseif left > 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end
  end`;

/** The secret of all nodes in the tests. */
export const SECRET = 'a secret of the tests, which has 32 bytes';

const createPrefix = (): string => `test-${randomId()}`;

/** Tests that need a Redis. Without one they are skipped with a warning, and fail in CI. */
export async function describeWithRedis(
  name: string,
  tests: (under: RedisUnderTest) => void,
  settings: readonly string[] = [],
): Promise<void> {
  const server = await startRedis(settings);
  if (server) describeWith(server, name, tests);
  else describeWithout(name);
}

function describeWithout(name: string): void {
  const message = 'There is no redis-server on the PATH, and no REDIS_URL.';
  process.stderr.write(`\n!!! SKIPPED: ${name}. ${message} !!!\n\n`);
  describe(name, () => {
    it.skipIf(process.env['CI'] !== 'true')('finds a Redis for the tests', () => {
      expect.unreachable(message);
    });
  });
}

function describeWith(server: RedisServer, name: string, tests: (under: RedisUnderTest) => void): void {
  const client = new Redis(server.url);
  client.on('error', () => undefined);
  const nodes: Shared[] = [];
  describe(name, () => {
    afterAll(async () => {
      await Promise.all(nodes.map((node) => node.close()));
      client.disconnect();
      await server.stop();
    });
    tests({
      server,
      client,
      createPrefix,
      createNode: (options = {}) => {
        const target = options.client ? {} : { url: server.url };
        const node = redis({
          ...target,
          prefix: createPrefix(),
          secret: SECRET,
          timeoutMs: 10_000,
          ...options,
        });
        nodes.push(node);
        return node;
      },
      listening: async (prefix, count) => {
        const channel = `${prefix}:bus`;
        for (let heard = 0; heard !== count; await sleep(5))
          heard = Number((await client.pubsub('NUMSUB', channel))[1]);
      },
      advance: async (prefix, ms) => void (await client.eval(ADVANCE, 0, prefix, ms)),
    });
  });
}
