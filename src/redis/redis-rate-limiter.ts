import { RateLimiterRedis } from 'rate-limiter-flexible';
import { ErrInvalidModel } from '../errors.js';
import { anonymousCallsOf, createRateLimiter, DEFAULT_LIMIT } from '../guards/rate-limit/rate-limiter.js';
import type { Allowance, RateLimit, RateLimiter } from '../stores/rate-limiter.js';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

/** It counts in whole numbers, and a call may cost a part of one. */
const PARTS = 1_000;

/** Adds to a count, which begins with the first call and ends after so many seconds. */
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
 * One limit for all processes. While Redis does not answer, each process counts for itself: a caller can then have the
 * limit as often as there are processes.
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
    throw new ErrInvalidModel('rateLimiter.windowMs must be a multiple of 1,000 where the limit is shared.', {
      details: { windowMs },
    });
  const limiter = new RateLimiterRedis({
    // With its text, as all scripts: with a digest that Redis has forgotten the count would come late.
    storeClient: {
      rlflxIncr: ([key = '', ...args]: string[]) => connection.client.eval(COUNT, 1, key, ...args),
    },
    // Another limit is another count.
    keyPrefix: connection.keys.of(`rate:${calls}/${seconds}`),
    points: calls * PARTS,
    duration: seconds,
  });
  /** Whoever listens to the connection has been told where Redis did not answer. */
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
  // Another limit is another count.
  const kind = `rate-anonymous:${calls},${anonymousCalls}/${windowMs}`;
  const maxima = [anonymousCalls * PARTS, calls * PARTS, windowMs];
  const consumeAnonymous: RateLimiter['consumeAnonymous'] = (key, action, points) =>
    count(
      async () => {
        const names = [connection.keys.for(kind, action), limiter.getKey(connection.seal.name(key))];
        const answer = await connection.run('rate limits', (client, deadline) =>
          TAKE_FROM_BOTH.run(client, deadline, names, [Math.ceil(points * PARTS), ...maxima]),
        );
        const [over, msBeforeNext, remainingPoints] = answer as [number, number, number];
        return { allowance: { msBeforeNext, remainingPoints }, isOver: over === 1 };
      },
      async () => own.consumeAnonymous?.(key, action, points) ?? own.consume(key, points),
    );
  return { consume, consumeAnonymous };
}
