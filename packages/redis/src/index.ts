/** `@toolfold/redis`: state in Redis, shared by several processes. */
export { redis } from './redis.js';
export type { RedisConnectionOptions, RedisOptions, RedisSessionOptions } from './redis.js';
