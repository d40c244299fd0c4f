import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { randomId } from '../../src/runtime/runtime.js';
import { redis } from '../../src/redis.js';
import type { RedisOptions } from '../../src/redis.js';
import type { Shared } from '../../src/stores/shared.js';
import { startRedis } from './redis-server.js';
import type { RedisServer } from './redis-server.js';

/** A Redis for one test file, and nodes that use it. */
export interface RedisUnderTest {
  readonly server: RedisServer;
  /** A client beside those of nodes. */
  readonly client: Redis;
  /** A prefix that nobody has used. */
  createPrefix(): string;
  /** A node. It is closed when the tests of the file are over. */
  createNode(options?: Partial<RedisOptions>): Shared;
  /** Waits until so many nodes hear what is said under a prefix. */
  listening(prefix: string, nodes: number): Promise<void>;
  /** Lets so much time pass for everything under a prefix. */
  advance(prefix: string, ms: number): Promise<void>;
}

/** Takes so much of the time that each key has left. */
const ADVANCE = `
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do
    local left = redis.call('PTTL', key)
    if left >= 0 and left <= tonumber(ARGV[2]) then redis.call('DEL', key)
    elseif left > 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end
  end`;

/** What all nodes of the tests have. */
export const SECRET = 'a secret of the tests, which has 32 bytes';

const createPrefix = (): string => `test-${randomId()}`;

/** Tests that need a Redis. Where there is none they are left out, loudly, and in CI that is a failure. */
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
        const node = redis({ ...target, prefix: createPrefix(), secret: SECRET, ...options });
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
