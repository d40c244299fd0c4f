import { shareChanges, SharedTasks } from 'toolfold/internal';
import { anything, assertOptions, count, objectLike } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { Logger, Shared, SharedEvent } from 'toolfold';
import { RedisBus } from './bus.js';
import { RedisClaims, createRedisSequence, RedisStore, RedisTaskStore } from './store.js';
import { RedisConnection } from './connection.js';
import type { RedisConnectionOptions } from './connection.js';
import { RedisEventLog } from './event-log.js';
import { createRedisRateLimiter } from './rate-limiter.js';
import { RedisSessionStore } from './session-store.js';
import type { RedisSessionOptions } from './session-store.js';

export type { RedisConnectionOptions, RedisSessionOptions };

/** Configures `redis()`: the connection, and how sessions are kept. */
export interface RedisOptions extends RedisConnectionOptions {
  /** Limits the sessions that 2025 clients open, and how long they live. */
  readonly sessions?: RedisSessionOptions;
}

/** The connection checks the values of `url`, `client` and `secret`. */
const optionRules: Rules<keyof RedisOptions> = {
  url: anything,
  client: anything,
  prefix: [
    (value) => typeof value === 'string' && /^[\w.-]{1,64}$/.test(value),
    '1 to 64 letters, digits, _, - and dots',
  ],
  secret: anything,
  timeoutMs: [
    (value) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 60_000,
    'a whole number of 1 to 60,000',
  ],
  sessions: objectLike('{ ttlMs, maxPerCaller, maxAnonymous }'),
};

const sessionRules: Rules<keyof RedisSessionOptions> = {
  ttlMs: count,
  maxPerCaller: count,
  maxAnonymous: count,
};

/** Keeps the state of a registry in Redis, for several processes: `new ToolRegistry({ shared: redis({ url, secret }) })`. */
export function redis(options: RedisOptions): Shared {
  assertOptions('redis', options, optionRules);
  assertOptions('redis: sessions', options.sessions ?? {}, sessionRules, {
    nameOf: (name) => `redis: sessions.${name}`,
  });
  const connection = new RedisConnection(options);
  const bus = new RedisBus(connection);
  const shared: Shared = {
    records: new RedisStore(connection, 'records'),
    cache: new RedisStore(connection, 'cache'),
    sequence: createRedisSequence(connection),
    claims: new RedisClaims(connection),
    sessions: new RedisSessionStore(connection, bus, options.sessions),
    bus,
    tasks: new RedisTaskStore(connection, bus),
    events: new RedisEventLog(connection, bus),
    createRateLimiter: (limit) => createRedisRateLimiter(connection, limit),
    requestStateKey: connection.seal.requestStateKey,
    now: () => connection.now(),
    get isUp() {
      return connection.isUp;
    },
    get fault() {
      return connection.fault;
    },
    counts: connection.counts,
    onEvent: (listener) => connection.onEvent(listener),
    logTo: (logger) => logShared(shared, logger),
    shareTasks: () => new SharedTasks(shared),
    shareChanges: (server, hear) => shareChanges(bus, server, hear),
    close: () => connection.close(),
  };
  return shared;
}

/** Errors that repeat with every call are logged once in this time, with a count. */
const QUIET_MS = 10_000;

const lines: Readonly<Record<SharedEvent['kind'], readonly ['info' | 'warn' | 'error', string]>> = {
  down: ['error', 'shared state cannot be reached'],
  up: ['info', 'shared state can be reached again'],
  degraded: ['error', 'done without shared state'],
  refused: ['error', 'rejected because shared state cannot be reached'],
  invalid: ['error', 'shared state contains data that this server did not write'],
  unsafe: ['warn', 'the settings of shared state allow it to lose records'],
};

function logShared(shared: Shared, logger: Logger, clock: () => number = Date.now): void {
  const logged = new Map<string, { at: number; skipped: number }>();
  shared.onEvent(({ kind, about, error }) => {
    const [level, message] = lines[kind];
    const reason = error instanceof Error ? error.message : undefined;
    const fields = { ...(about === undefined ? {} : { about }), ...(reason === undefined ? {} : { reason }) };
    if (about === undefined) {
      logger[level](fields, message);
      return;
    }
    const key = `${kind} ${about}`;
    const last = logged.get(key);
    if (last && clock() - last.at < QUIET_MS) {
      last.skipped++;
      return;
    }
    logged.set(key, { at: clock(), skipped: 0 });
    logger[level]({ ...fields, count: (last?.skipped ?? 0) + 1 }, message);
  });
}
