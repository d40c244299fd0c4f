import { logShared } from '../registry/log-shared.js';
import { shareChanges } from '../registry/share-changes.js';
import { SharedTasks } from '../tasks/shared-tasks.js';
import { nearestName } from '../values/nearest-name.js';
import { ErrInvalidOptions } from '../errors.js';
import type { Shared } from '../stores/shared.js';
import { RedisBus } from './bus.js';
import { RedisClaims } from './claims.js';
import { RedisConnection } from './connection.js';
import type { RedisConnectionOptions } from './connection.js';
import { RedisEventLog } from './event-log.js';
import { createRedisRateLimiter } from './rate-limiter.js';
import { RedisSessionStore } from './session-store.js';
import type { RedisSessionOptions } from './session-store.js';
import { createRedisSequence, RedisStore } from './store.js';
import { RedisTaskStore } from './task-store.js';

export type { RedisConnectionOptions, RedisSessionOptions };

/** The options of `redis()`. */
export interface RedisOptions extends RedisConnectionOptions {
  /** How the sessions of 2025 clients are kept. */
  readonly sessions?: RedisSessionOptions;
}

/** Keeps the state of a registry in Redis, so that several processes share it: `new ToolRegistry({ shared: redis({ url, secret }) })`. */
export function redis(options: RedisOptions): Shared {
  assertOptions(options);
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
    counts: connection.counts,
    onEvent: (listener) => connection.onEvent(listener),
    logTo: (logger) => logShared(shared, logger),
    shareTasks: () => new SharedTasks(shared),
    shareChanges: (server, hear) => shareChanges(bus, server, hear),
    close: () => connection.close(),
  };
  return shared;
}

const names: ReadonlySet<string> = new Set(['url', 'client', 'prefix', 'secret', 'timeoutMs', 'sessions']);

const sessionNames: ReadonlySet<string> = new Set(['ttlMs', 'maxPerCaller', 'maxAnonymous']);

/** Rejects unknown options, because a misspelt one would silently have no effect. */
function assertOptions(options: object): void {
  assertNames('redis', options, names);
  const { sessions = {} } = (options ?? {}) as { sessions?: object };
  assertNames('redis: sessions', sessions, sessionNames);
}

function assertNames(place: string, given: object, known: ReadonlySet<string>): void {
  const unknown = Object.keys(given ?? {}).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new ErrInvalidOptions(
    `${place} has no option "${unknown}".`,
    nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
  );
}
