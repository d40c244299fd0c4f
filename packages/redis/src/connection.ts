/*
 * The states of the connection to Redis:
 *
 *                ready, clock read
 *   connecting ─────────────────────▶  up  ◀──────────────────────────────┐
 *       ▲ │                           │  │                                │ a new connection is ready, or
 *       └─┼─── connection closed ─────┘  │                                │ a probe is answered (every 500 ms)
 *         │                              │ one command times out, or      │
 *         │ one command times out        │ 5 commands in a row fail       │
 *         └───────────────────────────▶ down ─────────────────────────────┘
 *
 * While connecting, commands wait for the connection, at most for the timeout. While down, commands fail at once: caches, rate
 * limits, notifications and streams then work without Redis, and everything else is rejected. A node of a Redis Cluster never leads to
 * up: the connection is down at once, with a fault, and is opened again every 500 ms.
 */
import type { Redis } from 'ioredis';
import { ErrOverloaded } from 'toolfold/errors';
import type { SharedEvent } from 'toolfold';
import {
  connect,
  connectAgain,
  describe,
  findRisks,
  isClusterNode,
  isReply,
  isTooLate,
  isUnusable,
  NO_CLUSTER,
} from './client.js';
import type { RedisScript } from './client.js';
import { RedisKeys, RedisSeal } from './seal.js';

/** Configures the connection to Redis, and how its data is named and encrypted. */
export interface RedisConnectionOptions {
  /** Where Redis listens: `redis://…`, `rediss://…` or the path of a socket. */
  readonly url?: string;
  /** A client whose settings are used, such as TLS, credentials and sentinels. Its own connection is left alone. */
  readonly client?: Redis;
  /** The prefix of all keys. Each server needs another one. Default: toolfold. */
  readonly prefix?: string;
  /** Encrypts the data in Redis: at least 32 bytes, the same on all nodes. Data written with another secret is ignored. */
  readonly secret: string | Uint8Array;
  /** Milliseconds that Redis has to answer. Default: 1,000. */
  readonly timeoutMs?: number;
}

type About = NonNullable<SharedEvent['about']>;

/** The connection is down after this many failures in a row. */
const MAX_FAILURES = 5;
const PROBE_MS = 500;
/** An idle connection is checked this often, because it may be dead without a sign, or the clock of Redis may have been set. */
const CHECK_MS = 5_000;
/** These features degrade while Redis is down. All others reject their callers. */
const degrading: ReadonlySet<About> = new Set(['cache', 'rate limits', 'notifications', 'streams']);

/** This also writes, because a replica answers reads but is useless here. */
const TIME = `redis.call('DEL', KEYS[1]) return redis.call('TIME')`;

/** Thrown if Redis did not answer within the timeout. */
class Late extends Error {}

/**
 * Sends commands to Redis. No command takes longer than the timeout. Commands carry a deadline, after which Redis does not run them, so
 * that a command whose caller was cancelled takes no effect.
 */
export class RedisConnection {
  readonly keys: RedisKeys;
  readonly seal: RedisSeal;
  readonly client: Redis;
  readonly counts = new Map<string, number>();
  readonly #timeoutMs: number;
  readonly #listeners = new Set<(event: SharedEvent) => void>();
  /** Commands that wait for the connection, in their order. */
  readonly #waiting = new Set<() => void>();
  #isReady = false;
  #isDown = false;
  #isClosed = false;
  #failures = 0;
  #probeTimer: NodeJS.Timeout | undefined;
  readonly #checkTimer: NodeJS.Timeout;
  /** The clock of Redis minus `performance.now()`. */
  #offset = performance.timeOrigin;
  #subscriber: Redis | undefined;
  /** The last connection error. */
  #reason: Error | undefined;
  /** Why no command can succeed until an operator changes the configuration. */
  fault: Error | undefined;

  constructor({ url, client, secret, prefix = 'toolfold', timeoutMs = 1_000 }: RedisConnectionOptions) {
    this.seal = new RedisSeal(secret);
    this.keys = new RedisKeys(prefix, this.seal);
    this.#timeoutMs = timeoutMs;
    this.client = connect(url, client);
    this.client.on('ready', () => void this.#becomeReady());
    this.client.on('close', () => {
      this.#isReady = false;
    });
    // Connection errors surface on the first command.
    this.client.on('error', (error) => {
      this.#reason = error;
    });
    this.#checkTimer = setInterval(
      () => void Promise.all([this.#checkConnection(), this.#checkSubscriber()]),
      CHECK_MS,
    );
    this.#checkTimer.unref();
  }

  get isUp(): boolean {
    return this.#isReady && !this.#isDown;
  }

  now(): number {
    return performance.now() + this.#offset;
  }

  /** A second connection, which listens to channels. */
  get subscriber(): Redis {
    if (!this.#subscriber) {
      this.#subscriber = connectAgain(this.client);
      // Its errors are those of the first connection, or surface when the bus subscribes.
      this.#subscriber.on('error', () => undefined);
    }
    return this.#subscriber;
  }

  /** Sends a command. `deadline` is in the time of Redis: a command that writes must check it there. */
  async run<T>(about: About, send: (client: Redis, deadline: number) => Promise<T>): Promise<T> {
    try {
      if (this.#isDown) throw this.fault ?? new Error('Redis has not answered lately.');
      if (this.#isClosed) throw new Error('The connection to Redis was closed.');
      const answer = await this.#withTimeout((isWanted) =>
        // Redis runs the command in the first half of the timeout, and the answer has the second half.
        this.#whenReady(isWanted, () => send(this.client, Math.floor(this.now() + this.#timeoutMs / 2))),
      );
      this.#failures = 0;
      return answer;
    } catch (error) {
      if (isReply(error) && !isUnusable(error)) this.#failures = 0;
      // Answers come in order, so after a late one all others are late too.
      else if (error instanceof Late || ++this.#failures >= MAX_FAILURES) this.#goDown(error);
      if (isUnusable(error)) this.#reconnect();
      // The clock of Redis may have been adjusted, which moves the deadlines of commands, so read it again.
      if (isTooLate(error)) void this.#readClock().catch(() => undefined);
      this.emit({ kind: degrading.has(about) ? 'degraded' : 'refused', about, error: describe(error) });
      throw new ErrOverloaded('Shared state cannot be reached.', {
        hint: 'Try again in a moment.',
        cause: describe(error),
      });
    }
  }

  runScript(
    about: About,
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[] = [],
  ): Promise<unknown> {
    return this.run(about, (client, deadline) => script.run(client, deadline, keys, args));
  }

  /** Opens a sealed value. Returns `undefined` and notifies listeners if it was not sealed for its place. */
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
        // A listener that throws must not change the answer to a command.
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probeTimer);
    clearInterval(this.#checkTimer);
    for (const client of [this.client, this.#subscriber]) client?.disconnect();
  }

  async subscribe(channel: string): Promise<void> {
    await this.#withTimeout(() => this.subscriber.subscribe(channel));
  }

  /** Sends at once if there is a connection, so that commands take effect in their order. */
  #whenReady<T>(isWanted: () => boolean, send: () => Promise<T>): Promise<T> {
    if (this.#isReady) return send();
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#waiting.delete(go);
        if (isWanted()) send().then(resolve, reject);
        else reject(this.#createLate());
      };
      this.#waiting.add(go);
    });
  }

  async #withTimeout<T>(work: (isWanted: () => boolean) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let isWanted = true;
    const late = new Promise<never>((_, reject) => {
      const end = (): void => {
        isWanted = false;
        reject(this.#createLate());
      };
      // If this process was busy, the answer may have arrived in time, and is read before `setImmediate`.
      timer = setTimeout(() => setImmediate(end), this.#timeoutMs);
    });
    try {
      return await Promise.race([work(() => isWanted && !this.#isDown), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #createLate(): Late {
    return new Late(
      this.#reason ? `Redis cannot be reached: ${this.#reason.message}` : 'Redis did not answer in time.',
    );
  }

  async #becomeReady(): Promise<void> {
    // Not every server reports its configuration.
    const info = await this.#withTimeout(() => this.client.info()).catch(() => '');
    this.fault = isClusterNode(info) ? new Error(NO_CLUSTER) : undefined;
    if (this.fault) {
      this.#goDown(this.fault);
      return;
    }
    try {
      await this.#readClock();
    } catch (error) {
      // The next command reports it, and the next connection may lead to another server.
      this.#reason = describe(error);
      this.client.disconnect(true);
      return;
    }
    this.#isReady = true;
    this.#reason = undefined;
    this.#goUp();
    for (const go of Array.from(this.#waiting)) go();
    for (const message of findRisks(info)) this.emit({ kind: 'unsafe', error: new Error(message) });
  }

  #goDown(error: unknown): void {
    if (this.#isDown || this.#isClosed) return;
    this.#isDown = true;
    this.emit({ kind: 'down', error: describe(error) });
    // The waiting commands fail now.
    for (const go of Array.from(this.#waiting)) go();
    this.#probeLater();
  }

  #goUp(): void {
    this.#failures = 0;
    if (!this.#isDown) return;
    this.#isDown = false;
    this.emit({ kind: 'up' });
  }

  #probeLater(): void {
    this.#probeTimer = setTimeout(() => {
      void this.#probe().finally(() => {
        if (this.#isDown && !this.#isClosed) this.#probeLater();
      });
    }, PROBE_MS);
    this.#probeTimer.unref();
  }

  async #probe(): Promise<void> {
    // The next connection may lead to a server that is no node of a cluster.
    if (this.fault) this.#reconnect();
    if (!this.#isReady) return;
    try {
      await this.#readClock();
      this.#goUp();
    } catch {
      // The connection may be dead although Redis is running.
      this.#reconnect();
    }
  }

  /** Ends a connection to an unusable server, because the next connection may lead to another server. */
  #reconnect(): void {
    this.#isReady = false;
    this.client.disconnect(true);
  }

  /** Measures the difference between the clock of Redis and the local clock. */
  async #readClock(): Promise<void> {
    const sent = performance.now();
    const [seconds, micros] = await this.#withTimeout(() => this.#askTime());
    const received = performance.now();
    this.#offset = Number(seconds) * 1_000 + Number(micros) / 1_000 - (sent + received) / 2;
  }

  async #askTime(): Promise<readonly unknown[]> {
    try {
      return (await this.client.eval(TIME, 1, this.keys.of('alive'))) as unknown[];
    } catch (error) {
      if (!isReply(error) || isUnusable(error)) throw error;
      // A full server rejects the write, but still answers reads.
      return this.client.time();
    }
  }

  async #checkConnection(): Promise<void> {
    if (!this.isUp) return;
    try {
      await this.#readClock();
    } catch (error) {
      if (error instanceof Late) this.#goDown(error);
      else if (isUnusable(error)) this.#reconnect();
    }
  }

  async #checkSubscriber(): Promise<void> {
    const client = this.#subscriber;
    if (client?.status !== 'ready') return;
    try {
      await this.#withTimeout(() => client.ping());
    } catch (error) {
      this.emit({ kind: 'degraded', about: 'notifications', error: describe(error) });
      client.disconnect(true);
    }
  }
}
