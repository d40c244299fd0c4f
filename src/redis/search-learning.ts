import { TableLearning } from '../search/learn/table-learning.js';
import type { LearningTable, TableChange, TableLimits } from '../search/learn/learning-table.js';
import type { SearchLearning, SearchLearningOptions } from '../stores/search-learning.js';
import { RedisScript } from './client.js';
import type { RedisConnection } from './connection.js';

const ABOUT = 'search learning';
/** The longest time to live that Redis can represent safely. */
const MAX_TTL = 10 ** 15;

/**
 * KEYS: the texts of a tenant, the order in which they were written, and the tenants in the order in which they were written.
 * ARGV: time to live, maximum number of texts and of tenants, the tenant, the prefixes of the first two keys, and for each change
 * the key, the expected text and the new text. An empty text is a missing one.
 */
const EXCHANGE = new RedisScript(`
  for at = 8, #ARGV, 3 do
    if (redis.call('HGET', KEYS[1], ARGV[at]) or '') ~= ARGV[at + 1] then return 0 end
  end
  for at = 8, #ARGV, 3 do
    if ARGV[at + 2] == '' then
      redis.call('HDEL', KEYS[1], ARGV[at])
      redis.call('ZREM', KEYS[2], ARGV[at])
    else
      redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 2])
      redis.call('ZADD', KEYS[2], now, ARGV[at])
    end
  end
  local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[3])
  if excess > 0 then
    local oldest = redis.call('ZPOPMIN', KEYS[2], excess)
    for at = 1, #oldest, 2 do redis.call('HDEL', KEYS[1], oldest[at]) end
  end
  if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('ZREM', KEYS[3], ARGV[5])
  else redis.call('ZADD', KEYS[3], now, ARGV[5]) end
  for at = 1, 3 do redis.call('PEXPIRE', KEYS[at], ARGV[2]) end
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[2])
  local more = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[4])
  if more > 0 then
    local last = redis.call('ZPOPMIN', KEYS[3], more)
    for at = 1, #last, 2 do redis.call('UNLINK', ARGV[6] .. last[at], ARGV[7] .. last[at]) end
  end
  return 1`);

/** KEYS as above. */
const DELETE = new RedisScript(`
  redis.call('UNLINK', KEYS[1], KEYS[2])
  redis.call('ZREM', KEYS[3], ARGV[2])`);

/** A table that all processes share. Its texts are sealed for their places. */
class RedisTable implements LearningTable {
  readonly #connection: RedisConnection;
  readonly #kind: string;
  readonly #limits: TableLimits;

  constructor(connection: RedisConnection, kind: string, limits: TableLimits) {
    this.#connection = connection;
    this.#kind = `learned-${kind}`;
    this.#limits = { ...limits, ttlMs: Math.ceil(Math.min(limits.ttlMs, MAX_TTL)) };
  }

  async read(tenant: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    if (keys.length === 0) return [];
    const [texts] = this.#namesOf(tenant);
    const found = await this.#connection.run(ABOUT, (client) => client.hmget(texts, ...keys));
    return found.map((sealed, at) => this.#open(tenant, keys[at] ?? '', sealed));
  }

  async exchange(tenant: string, changes: readonly TableChange[]): Promise<boolean> {
    const { maxEntries, maxTenants, ttlMs } = this.#limits;
    const seal = (key: string, text: string | undefined): string =>
      text === undefined ? '' : this.#connection.seal.seal(this.#placeOf(tenant, key), text);
    const changed = changes.flatMap(({ key, expected, text }) => [key, seal(key, expected), seal(key, text)]);
    const [texts, order] = this.#namesOf('');
    const args = [ttlMs, maxEntries, maxTenants, tenant, texts, order, ...changed];
    return (await this.#connection.runScript(ABOUT, EXCHANGE, this.#namesOf(tenant), args)) === 1;
  }

  async tenants(): Promise<readonly string[]> {
    const [, , tenants] = this.#namesOf('');
    return this.#connection.run(ABOUT, (client) => client.zrange(tenants, '0', '-1'));
  }

  async entries(tenant: string): Promise<ReadonlyMap<string, string>> {
    const [texts] = this.#namesOf(tenant);
    const found = await this.#connection.run(ABOUT, (client) => client.hgetall(texts));
    return new Map(
      Object.entries(found).flatMap(([key, sealed]) => {
        const text = this.#open(tenant, key, sealed);
        return text === undefined ? [] : [[key, text] as const];
      }),
    );
  }

  async delete(tenant: string): Promise<void> {
    await this.#connection.runScript(ABOUT, DELETE, this.#namesOf(tenant), [tenant]);
  }

  /** The texts of a tenant, their order, and the tenants. Tenants are digests already. */
  #namesOf(tenant: string): [texts: string, order: string, tenants: string] {
    const name = this.#connection.keys.of(this.#kind);
    return [`${name}:${tenant}`, `${name}-order:${tenant}`, `${name}-tenants`];
  }

  #placeOf(tenant: string, key: string): string {
    return `${this.#namesOf(tenant)[0]}:${key}`;
  }

  /** A text that was not sealed by this server is reported and counts as missing. */
  #open(tenant: string, key: string, sealed: string | null | undefined): string | undefined {
    if (typeof sealed !== 'string') return undefined;
    return this.#connection.open(ABOUT, this.#placeOf(tenant, key), sealed);
  }
}

/** Learns in Redis. The key of the digests is derived from the secret that all nodes have. */
export function createRedisSearchLearning(
  connection: RedisConnection,
  options: SearchLearningOptions = {},
): SearchLearning {
  return new TableLearning(
    'createSearchLearning',
    {
      secret: new TextEncoder().encode(connection.seal.name('search learning')),
      now: () => connection.now(),
      createTable: (kind, limits) => new RedisTable(connection, kind, limits),
    },
    options,
  );
}
