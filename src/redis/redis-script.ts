import type { Redis } from 'ioredis';

/** A script that runs in Redis in one step. Its first argument is the deadline, after which it does nothing. */
export class RedisScript {
  readonly #text: string;

  constructor(text: string) {
    this.#text = `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      if now > tonumber(ARGV[1]) then return redis.error_reply('TOOLATE it came after its deadline') end
      ${text}`
      .replace(/\s*\n\s*/g, '\n')
      .trim();
  }

  /** With its text: a digest of it might be unknown to Redis, and asking again would be out of order. */
  run(
    client: Redis,
    deadline: number,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
  ): Promise<unknown> {
    return client.eval(this.#text, keys.length, ...keys, deadline, ...args);
  }
}
