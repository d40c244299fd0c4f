import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { ErrInvalidOptions } from 'toolfold/errors';

const MAX_RETRY_MS = 1_000;
/** Limits how long a connection takes to open, and again until Redis reports that it is ready. */
const CONNECT_MS = 2_000;

/** These settings override those of a client that the author passes. */
const options = {
  // A command must not take effect after its caller has stopped waiting, so none is queued or sent again.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: CONNECT_MS,
  enableReadyCheck: true,
  // The bus subscribes after every reconnect itself, because it has to report the gap.
  autoResubscribe: false,
  // The stores read numbers from the answers of scripts.
  stringNumbers: false,
  readOnly: false,
  keyPrefix: '',
  lazyConnect: false,
  retryStrategy: (times: number) => Math.min(20 * 2 ** times, MAX_RETRY_MS) * (0.5 + Math.random() / 2),
} satisfies RedisOptions;

export const NO_CLUSTER =
  'A Redis Cluster is not supported. Use one primary, with sentinels where it has replicas.';

export function connect(url: string | undefined, client: Redis | undefined): Redis {
  if (client !== undefined && url === undefined) {
    if ('isCluster' in client && client.isCluster) throw new ErrInvalidOptions(`redis: ${NO_CLUSTER}`);
    if (typeof client.duplicate === 'function') return endIfNotReady(client.duplicate(options));
  } else if (typeof url === 'string' && url !== '' && client === undefined) return endIfNotReady(open(url));
  throw new ErrInvalidOptions('redis: give either a url or a client of ioredis.');
}

export function connectAgain(client: Redis): Redis {
  return endIfNotReady(client.duplicate());
}

/** Errors must not contain the URL, because it may hold a password. */
function open(url: string): Redis {
  if (!/^(?:rediss?:\/\/|[./])/i.test(url)) throw wrongUrl();
  try {
    // ioredis decodes these parts too, and its error would contain the whole URL.
    if (!/^[./]/.test(url)) for (const part of partsOf(new URL(url))) decodeURIComponent(part);
    return new Redis(url, options);
  } catch {
    throw wrongUrl();
  }
}

function partsOf({ username, password, pathname }: URL): readonly string[] {
  return [username, password, pathname];
}

function wrongUrl(): ErrInvalidOptions {
  return new ErrInvalidOptions('redis: url must be redis://…, rediss://… or the path of a socket.', {
    hint: 'Characters such as # / ? and % in a password are written as %23, %2F, %3F and %25.',
  });
}

/** Ends a connection that Redis accepts but never answers, because ioredis would wait forever. */
function endIfNotReady(client: Redis): Redis {
  let timer: NodeJS.Timeout | undefined;
  client.on('connect', () => {
    clearTimeout(timer);
    timer = setTimeout(() => client.disconnect(true), CONNECT_MS);
    timer.unref();
  });
  for (const event of ['ready', 'close', 'end']) client.on(event, () => clearTimeout(timer));
  return client;
}

/** A Lua script, which Redis runs in one step. Its first argument is the deadline, after which it has no effect. */
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

  /** Sends the text and not its digest, because Redis may not know the digest, and a second attempt would be out of order. */
  run(
    client: Redis,
    deadline: number,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
  ): Promise<unknown> {
    return client.eval(this.#text, keys.length, ...keys, deadline, ...args);
  }
}

/** Whether a server is a node of a Redis Cluster, which rejects the keys of other nodes. Reads the answer to INFO. */
export function isClusterNode(info: string): boolean {
  return /cluster_enabled:1/.test(info);
}

/** Finds settings by which a server can lose data, in the answer to INFO. */
export function findRisks(info: string): string[] {
  const risks: string[] = [];
  const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? [];
  if (policy !== 'noeviction') risks.push(`maxmemory-policy is ${policy}: records can be dropped.`);
  if (/aof_enabled:0/.test(info)) risks.push('appendonly is off: a restart forgets records.');
  if (/connected_slaves:[1-9]/.test(info) && !/min_slaves_good_slaves:/.test(info))
    risks.push('min-replicas-to-write is 0: a replica that takes over may not have the last records.');
  return risks;
}

/** Copies only the message, because errors of ioredis contain the command with its arguments. */
export function describe(error: unknown): Error {
  return new Error(error instanceof Error ? error.message.slice(0, 200) : 'Redis failed.');
}

export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

const UNUSABLE = /^(?:READONLY|LOADING|BUSY|MASTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS)\b/;

/**
 * Whether the server rejects all writes: a replica, a primary without its replicas, a server that is loading, busy or cannot save, or one
 * that no longer accepts our credentials.
 */
export function isUnusable(error: unknown): boolean {
  return isReply(error) && UNUSABLE.test(error.message);
}

/** Whether Redis received a script after its deadline. */
export function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('TOOLATE');
}
