import { ErrOverloaded } from '../errors.js';
import { assertTtl } from '../values/options.js';
import type { Sequence } from '../stores/claims.js';
import type { Store } from '../stores/store.js';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

const SET = new RedisScript(`redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])`);
const SET_IF_ABSENT = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if found then return found end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return false`);
const DELETE = new RedisScript(`redis.call('DEL', KEYS[1])`);
/** A larger number, as from a time after the year 2100, was not written by this server. */
const MAX_NUMBER = 2 ** 52;
/** The next number of a sequence. It is based on the time, so that it grows even if Redis has lost the last one. */
export const NEXT = (key: string): string => `
  local micros = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('GET', ${key}) or '0') or -1
  local isOurs = last >= 0 and last <= ${MAX_NUMBER}
  if not isOurs then last = 0 end
  local next = string.format('%.0f', math.max(micros, last + 1))
  redis.call('SET', ${key}, next)`;
const NUMBER = new RedisScript(`${NEXT('KEYS[1]')}
  return {next, isOurs and 1 or 0}`);
/** The longest time to live that Redis can represent safely. */
const MAX_TTL = 10 ** 15;

export class RedisStore implements Store {
  readonly #connection: RedisConnection;
  readonly #kind: 'records' | 'cache';

  constructor(connection: RedisConnection, kind: 'records' | 'cache') {
    this.#connection = connection;
    this.#kind = kind;
  }

  async get(key: string): Promise<string | undefined> {
    const name = this.#nameOf(key);
    return this.#open(name, await this.#connection.run(this.#kind, (client) => client.get(name)));
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    assertTtl(ttlMs);
    const name = this.#nameOf(key);
    const sealed = this.#connection.seal.seal(name, value);
    await this.#connection.runScript(this.#kind, SET, [name], [sealed, toWhole(ttlMs)]);
  }

  async setIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    assertTtl(ttlMs);
    const name = this.#nameOf(key);
    const sealed = this.#connection.seal.seal(name, value);
    const args = [sealed, toWhole(ttlMs)];
    return this.#open(name, await this.#connection.runScript(this.#kind, SET_IF_ABSENT, [name], args));
  }

  async delete(key: string): Promise<void> {
    await this.#connection.runScript(this.#kind, DELETE, [this.#nameOf(key)]);
  }

  /** A value that was not sealed by this server counts as present, but empty. */
  #open(name: string, found: unknown): string | undefined {
    if (found === null) return undefined;
    if (typeof found !== 'string') throw new ErrOverloaded('Shared state gave an unexpected answer.');
    return this.#connection.open(this.#kind, name, found) ?? '';
  }

  #nameOf(key: string): string {
    return this.#connection.keys.for(this.#kind, key);
  }
}

export function createRedisSequence(connection: RedisConnection): Sequence {
  const name = connection.keys.of('sequence');
  return {
    next: async () => {
      const answer = await connection.runScript('records', NUMBER, [name]);
      const [next, isOurs] = answer as [unknown, unknown];
      return readNumber(connection, next, isOurs);
    },
  };
}

/** Reads the answer of `NEXT`. Throws if Redis gave no usable number. */
export function readNumber(connection: RedisConnection, next: unknown, isOurs: unknown): number {
  if (isOurs !== 1) connection.emit({ kind: 'invalid', about: 'records' });
  const number = Number(next);
  if (!Number.isSafeInteger(number)) throw new ErrOverloaded('Shared state gave no number.');
  return number;
}

export function toWhole(ttlMs: number): number {
  return Math.ceil(Math.min(ttlMs, MAX_TTL));
}
