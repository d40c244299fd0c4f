import { RateLimiterRedis } from 'rate-limiter-flexible';
import { ErrInvalidOptions } from 'toolfold/errors';
import { anonymousCallsOf, createRateLimiter, DEFAULT_LIMIT } from 'toolfold/internal';
import type { Allowance, RateLimit, RateLimiter } from 'toolfold';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

/** Redis counts in thousandths of a call, because a call may cost a fraction and the library counts whole numbers. */
const PARTS = 1_000;

/** Adds to a count, which starts with the first call and expires after the window. */
const COUNT = `
  redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  local used = redis.call('INCRBY', KEYS[1], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
  return {used, redis.call('PTTL', KEYS[1])}`;
/** Counts a call against the caller's limit and the common limit, or against neither if the common limit is used up. */
const TAKE_FROM_BOTH = new RedisScript(`
  local points, ms = tonumber(ARGV[2]), tonumber(ARGV[5])
  local function take(key)
    local used = redis.call('INCRBY', key, points)
    if redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, ms) end
    return used
  end
  local used = tonumber(redis.call('GET', KEYS[1]) or 0)
  if used + points > tonumber(ARGV[3]) then
    local left = redis.call('PTTL', KEYS[1])
    return {1, left < 0 and ms or left, 0}
  end
  if take(KEYS[2]) > tonumber(ARGV[4]) then return {1, redis.call('PTTL', KEYS[2]), 0} end
  return {0, redis.call('PTTL', KEYS[1]), tonumber(ARGV[3]) - take(KEYS[1])}`);

interface Answer {
  readonly allowance: Allowance;
  readonly isOver: boolean;
}

/**
 * Counts the calls of all processes against one limit. While Redis is down, each process counts separately, so a caller can use the limit
 * once in every process.
 */
export function createRedisRateLimiter(
  connection: RedisConnection,
  limit: RateLimit = DEFAULT_LIMIT,
): RateLimiter {
  const own = createRateLimiter(limit);
  const { calls, windowMs } = limit;
  const seconds = windowMs / 1_000;
  const anonymousCalls = anonymousCallsOf(limit);
  if (!Number.isInteger(seconds))
    throw new ErrInvalidOptions(
      'rateLimiter.windowMs must be a multiple of 1,000 where the limit is shared.',
      {
        details: { windowMs },
      },
    );
  const limiter = new RateLimiterRedis({
    // This sends the text of the script and not its digest, because Redis may have forgotten the digest.
    storeClient: {
      rlflxIncr: ([key = '', ...args]: string[]) => connection.client.eval(COUNT, 1, key, ...args),
    },
    // A changed limit starts a new count.
    keyPrefix: connection.keys.of(`rate:${calls}/${seconds}`),
    points: calls * PARTS,
    duration: seconds,
  });
  /** Falls back to the limit of this process if Redis does not answer. The connection reports the failure. */
  const count = async (ask: () => Promise<Answer>, degrade: () => Promise<Allowance>): Promise<Allowance> => {
    let answer: Answer;
    try {
      answer = await ask();
    } catch {
      return degrade();
    }
    const { msBeforeNext, remainingPoints } = answer.allowance;
    const allowance = { msBeforeNext, remainingPoints: Math.floor(remainingPoints / PARTS) };
    if (answer.isOver) throw allowance;
    return allowance;
  };
  const consume: RateLimiter['consume'] = (key, points = 1) =>
    count(
      () =>
        connection.run('rate limits', () =>
          limiter.consume(connection.seal.name(key), Math.ceil(points * PARTS)).then(
            (allowance) => ({ allowance, isOver: false }),
            (thrown: unknown) => {
              if (thrown instanceof Error) throw thrown;
              return { allowance: thrown as Allowance, isOver: true };
            },
          ),
        ),
      () => own.consume(key, points),
    );
  // A changed limit starts a new count.
  const kind = `rate-anonymous:${calls},${anonymousCalls}/${seconds}`;
  const maxima = [anonymousCalls * PARTS, calls * PARTS, windowMs];
  const consumeAnonymous: RateLimiter['consumeAnonymous'] = (key, action, points) =>
    count(
      async () => {
        const names = [connection.keys.for(kind, action), limiter.getKey(connection.seal.name(key))];
        const args = [Math.ceil(points * PARTS), ...maxima];
        const answer = await connection.runScript('rate limits', TAKE_FROM_BOTH, names, args);
        const [over, msBeforeNext, remainingPoints] = answer as [number, number, number];
        return { allowance: { msBeforeNext, remainingPoints }, isOver: over === 1 };
      },
      async () => own.consumeAnonymous?.(key, action, points) ?? own.consume(key, points),
    );
  return { consume, consumeAnonymous };
}
