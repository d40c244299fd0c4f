import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { ErrInvalidOptions } from '../errors.js';

const MAX_RETRY_MS = 1_000;
/** For a connection to be there, and once more for Redis to say that it is of use. */
const CONNECT_MS = 2_000;

/** What must hold whatever settings a client was given with. */
const options = {
  // What is sent later than asked for would take effect when nobody expects it.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: CONNECT_MS,
  enableReadyCheck: true,
  // Subscribers subscribe again after every reconnect.
  autoResubscribe: false,
  // Scripts answer with numbers.
  stringNumbers: false,
  readOnly: false,
  keyPrefix: '',
  lazyConnect: false,
  retryStrategy: (times: number) => Math.min(20 * 2 ** times, MAX_RETRY_MS) * (0.5 + Math.random() / 2),
} satisfies RedisOptions;

export function connect(url: string | undefined, client: Redis | undefined): Redis {
  if (client !== undefined && url === undefined) {
    if ('isCluster' in client && client.isCluster)
      throw new ErrInvalidOptions('redis: a Cluster is not supported.', {
        hint: 'Use one primary, with sentinels where it has replicas.',
      });
    if (typeof client.duplicate === 'function') return endUnready(client.duplicate(options));
  } else if (typeof url === 'string' && url !== '' && client === undefined) return endUnready(open(url));
  throw new ErrInvalidOptions('redis: give either a url or a client of ioredis.');
}

/** The same once more, with its settings. */
export function connectAgain(client: Redis): Redis {
  return endUnready(client.duplicate());
}

/** The URL holds a password, so that no error names it. */
function open(url: string): Redis {
  if (!/^(?:rediss?:\/\/|[./])/i.test(url)) throw wrongUrl();
  try {
    // ioredis reads it in this way, and says all of it where it cannot.
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

/** Redis may take a connection and never say a word on it, and the client waits for that for ever. */
function endUnready(client: Redis): Redis {
  let timer: NodeJS.Timeout | undefined;
  client.on('connect', () => {
    clearTimeout(timer);
    timer = setTimeout(() => client.disconnect(true), CONNECT_MS);
    timer.unref();
  });
  for (const event of ['ready', 'close', 'end']) client.on(event, () => clearTimeout(timer));
  return client;
}
