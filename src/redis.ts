/** `toolfold/redis`: state in Redis, shared by several processes. */
export { redis } from './redis/redis.js';
export type { RedisConnectionOptions, RedisOptions, RedisSessionOptions } from './redis/redis.js';
