import type { Redis } from 'ioredis';
import { ErrInvalidOptions, ErrOverloaded } from '../errors.js';
import type { SharedEvent } from '../stores/shared.js';
import { connect, connectAgain } from './connect-redis.js';
import { RedisKeys } from './redis-keys.js';
import { RedisSeal } from './seal.js';

/** Where Redis is, and how it is spoken to. */
export interface RedisConnectionOptions {
  /** Where it is: `redis://…`, `rediss://…` or the path of a socket. */
  readonly url?: string;
  /** A client whose settings are used, such as TLS, credentials and sentinels. Its own connection is left alone. */
  readonly client?: Redis;
  /** What the names of all keys begin with. One for each server. Default: toolfold. */
  readonly prefix?: string;
  /** Seals what is kept: at least 32 bytes, the same on all nodes, and not in Redis. With another one all is as if gone. */
  readonly secret: string | Uint8Array;
  /** Milliseconds that Redis has to answer. Default: 1,000. */
  readonly timeoutMs?: number;
}

type About = NonNullable<SharedEvent['about']>;

/** So many failures in a row, and nobody waits for Redis any more until it has answered again. */
const MAX_FAILURES = 5;
/** How often it is asked while nobody waits for it. */
const PROBE_MS = 500;
/** How often connections are tried, for one may be dead without a sign, and the time is asked, for a clock may be set. */
const LOOK_MS = 5_000;
/** What is done without Redis where it does not answer; the rest is refused. */
const degrading: ReadonlySet<About> = new Set(['cache', 'rate limits', 'notifications', 'streams']);

const TIME = `redis.call('DEL', KEYS[1]) return redis.call('TIME')`;

/** Redis did not answer in time. */
class Late extends Error {}

/**
 * The way to Redis. Nothing waits for longer than the timeout, and nothing at all while Redis is known to be gone.
 * Whatever is sent has a deadline, after which Redis does not do it any more: nobody knows of it by then.
 */
export class RedisConnection {
  readonly keys: RedisKeys;
  readonly seal: RedisSeal;
  readonly client: Redis;
  readonly counts = new Map<string, number>();
  readonly #timeoutMs: number;
  readonly #listeners = new Set<(event: SharedEvent) => void>();
  /** What was asked for before there was a connection, in its order. */
  readonly #waiting = new Set<() => void>();
  #isReady = false;
  #isOpen = false;
  #isClosed = false;
  #failures = 0;
  #probe: NodeJS.Timeout | undefined;
  /** What is to be added to the time of this process to have that of Redis. */
  #offset = performance.timeOrigin;
  #subscriber: Redis | undefined;
  readonly #look: NodeJS.Timeout;
  /** Why there is no connection. */
  #reason: Error | undefined;

  constructor({ url, client, secret, prefix = 'toolfold', timeoutMs = 1_000 }: RedisConnectionOptions) {
    this.seal = new RedisSeal(secret);
    this.keys = new RedisKeys(prefix, this.seal);
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 60_000)
      throw new ErrInvalidOptions('redis: timeoutMs must be a whole number of 1 to 60,000.');
    this.#timeoutMs = timeoutMs;
    this.client = connect(url, client);
    this.client.on('ready', () => void this.#begin());
    this.client.on('close', () => {
      this.#isReady = false;
    });
    // What does not work shows where something is asked for.
    this.client.on('error', (error) => {
      this.#reason = error;
    });
    this.#look = setInterval(() => void Promise.all([this.#lookAtClock(), this.#tryListening()]), LOOK_MS);
    this.#look.unref();
  }

  get isUp(): boolean {
    return this.#isReady && !this.#isOpen;
  }

  /** The time of Redis, in milliseconds. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** A connection of its own for what others say. */
  get subscriber(): Redis {
    if (!this.#subscriber) {
      this.#subscriber = connectAgain(this.client);
      // What is wrong with it is wrong with the other too, or is found by those who listen.
      this.#subscriber.on('error', () => undefined);
    }
    return this.#subscriber;
  }

  /** Asks Redis. What takes effect must not do so after the deadline, which is in the time of Redis. */
  async run<T>(about: About, send: (client: Redis, deadline: number) => Promise<T>): Promise<T> {
    try {
      if (this.#isOpen) throw new Error('Redis has not answered lately.');
      if (this.#isClosed) throw new Error('The connection to Redis was closed.');
      const answer = await this.#within((isWanted) =>
        this.#whenReady(isWanted, () => send(this.client, this.#deadline())),
      );
      this.#failures = 0;
      return answer;
    } catch (error) {
      if (isReply(error) && !isUseless(error)) this.#failures = 0;
      // Answers come in order: where one is late, all that was sent after it is.
      else if (error instanceof Late || ++this.#failures >= MAX_FAILURES) this.#open(error);
      if (isUseless(error)) this.#leave();
      // The clock of Redis was set.
      if (isTooLate(error)) void this.#measure().catch(() => undefined);
      this.emit({ kind: degrading.has(about) ? 'degraded' : 'refused', about, error: describe(error) });
      throw new ErrOverloaded('Shared state cannot be reached.', {
        hint: 'Try again in a moment.',
        cause: describe(error),
      });
    }
  }

  /** What was sealed for a place; `undefined` where it was not, and whoever listens is told. */
  open(about: About, place: string, sealed: string): string | undefined {
    const text = this.seal.open(place, sealed);
    if (text === undefined) this.emit({ kind: 'invalid', about });
    return text;
  }

  onEvent(listener: (event: SharedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: SharedEvent): void {
    const name = event.about === undefined ? event.kind : `${event.kind} ${event.about}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // Whoever listens changes no answer.
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    clearInterval(this.#look);
    for (const client of [this.client, this.#subscriber]) client?.disconnect();
  }

  /** Listens to a channel, within the timeout. */
  async subscribe(channel: string): Promise<void> {
    await this.#within(() => this.subscriber.subscribe(channel));
  }

  /** Redis does it in the first half of the timeout, and the answer has the other. */
  #deadline(): number {
    return Math.floor(this.now() + this.#timeoutMs / 2);
  }

  /** Sends at once where there is a connection, so that what is asked for takes effect in its order. */
  #whenReady<T>(isWanted: () => boolean, send: () => Promise<T>): Promise<T> {
    if (this.#isReady) return send();
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#waiting.delete(go);
        if (isWanted()) send().then(resolve, reject);
        else reject(this.#late());
      };
      this.#waiting.add(go);
    });
  }

  async #within<T>(work: (isWanted: () => boolean) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let isWanted = true;
    const late = new Promise<never>((_, reject) => {
      // Where this process was busy for as long, the answer may be there, and is read before this.
      const end = (): void => {
        isWanted = false;
        reject(this.#late());
      };
      timer = setTimeout(() => setImmediate(end), this.#timeoutMs);
    });
    try {
      return await Promise.race([work(() => isWanted && !this.#isOpen), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** There is a connection: what waits for it goes first. */
  async #begin(): Promise<void> {
    try {
      await this.#measure();
    } catch (error) {
      // Whoever asks for something will find out, and the next connection may be better.
      this.#reason = describe(error);
      this.client.disconnect(true);
      return;
    }
    this.#isReady = true;
    this.#reason = undefined;
    this.#shut();
    for (const go of Array.from(this.#waiting)) go();
    this.#judge().catch(() => undefined);
  }

  /** How far the clock of Redis is from ours. It writes too: a replica answers as well, and is of no use. */
  async #measure(): Promise<void> {
    const sent = performance.now();
    const [seconds, micros] = await this.#within(() => this.#askTime());
    const received = performance.now();
    this.#offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (sent + received) / 2;
  }

  async #askTime(): Promise<readonly unknown[]> {
    try {
      return (await this.client.eval(TIME, 1, this.keys.of('alive'))) as unknown[];
    } catch (error) {
      if (!isReply(error) || isUseless(error)) throw error;
      // It may be full: what is there can still be read.
      return this.client.time();
    }
  }

  /** This connection leads to a Redis that is of no use; the next may lead to another. */
  #leave(): void {
    this.#isReady = false;
    this.client.disconnect(true);
  }

  async #lookAtClock(): Promise<void> {
    if (!this.isUp) return;
    try {
      await this.#measure();
    } catch (error) {
      if (error instanceof Late) this.#open(error);
      else if (isUseless(error)) this.#leave();
    }
  }

  async #tryListening(): Promise<void> {
    const client = this.#subscriber;
    if (client?.status !== 'ready') return;
    try {
      await this.#within(() => client.ping());
    } catch (error) {
      this.emit({ kind: 'degraded', about: 'notifications', error: describe(error) });
      client.disconnect(true);
    }
  }

  #late(): Late {
    return new Late(
      this.#reason ? `Redis cannot be reached: ${this.#reason.message}` : 'Redis did not answer in time.',
    );
  }

  /** Nobody waits any more, and Redis is asked until it answers. */
  #open(error: unknown): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    this.emit({ kind: 'down', error: describe(error) });
    for (const go of Array.from(this.#waiting)) go();
    this.#probeLater();
  }

  #shut(): void {
    this.#failures = 0;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.emit({ kind: 'up' });
  }

  #probeLater(): void {
    this.#probe = setTimeout(() => {
      void this.#tryAgain().finally(() => {
        if (this.#isOpen && !this.#isClosed) this.#probeLater();
      });
    }, PROBE_MS);
    this.#probe.unref();
  }

  async #tryAgain(): Promise<void> {
    if (!this.#isReady) return;
    try {
      await this.#measure();
      this.#shut();
    } catch {
      // Perhaps it is the connection that is dead.
      this.#leave();
    }
  }

  /** Says so where Redis may forget what it was told. Not every server tells. */
  async #judge(): Promise<void> {
    const info = await this.#within(() => this.client.info());
    const [, policy = 'noeviction'] = /maxmemory_policy:(\S+)/.exec(info) ?? [];
    if (policy !== 'noeviction')
      this.emit({
        kind: 'unsafe',
        error: new Error(`maxmemory-policy is ${policy}: records can be dropped.`),
      });
    if (/aof_enabled:0/.test(info))
      this.emit({ kind: 'unsafe', error: new Error('appendonly is off: a restart forgets records.') });
    if (/connected_slaves:[1-9]/.test(info) && !/min_slaves_good_slaves:/.test(info)) {
      const message = 'min-replicas-to-write is 0: a replica that takes over may not have the last records.';
      this.emit({ kind: 'unsafe', error: new Error(message) });
    }
  }
}

/** Errors of clients hold what was sent. */
function describe(error: unknown): Error {
  return new Error(error instanceof Error ? error.message.slice(0, 200) : 'Redis failed.');
}

/** Redis is there, and says no. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

const USELESS = /^(?:READONLY|LOADING|BUSY|MASTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS)\b/;

/**
 * It says no to everything that matters: a replica, a primary that was cut off from its replicas, one that is starting or
 * busy or cannot write, one that does not know us any more.
 */
function isUseless(error: unknown): boolean {
  return isReply(error) && USELESS.test(error.message);
}

function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('TOOLATE');
}
