import { ErrOverloaded } from 'toolfold/errors';
import { assertTtl } from '@toolfold/schema/internal';
import type { Sequence, Store, Bus } from 'toolfold';
import type { Claim, ClaimRequest, Claims, TaskStore } from 'toolfold/internal';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';
import { MAX_PER_OWNER, NotClaimed } from 'toolfold/internal';

const SET = new RedisScript(`redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])`);
const SET_IF_ABSENT = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if found then return found end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return false`);
const DELETE = new RedisScript(`redis.call('DEL', KEYS[1])`);
/** A larger number would be a time after the year 2100, so this server has not written it. */
const MAX_NUMBER = 2 ** 52;
/** Returns the Lua code for the next number of a sequence. It is based on the time, so that it grows even if Redis has lost the last one. */
const NEXT = (key: string): string => `
  local micros = time[1] * 1000000 + time[2]
  local last = tonumber(redis.call('GET', ${key}) or '0') or -1
  local isOurs = last >= 0 and last <= ${MAX_NUMBER}
  if not isOurs then last = 0 end
  local next = string.format('%.0f', math.max(micros, last + 1))
  redis.call('SET', ${key}, next)`;
const NUMBER = new RedisScript(`${NEXT('KEYS[1]')}
  return {next, isOurs and 1 or 0}`);
/** Redis can represent a time to live safely up to this one. */
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

/** Reads the answer of `NEXT`. Throws if Redis returned no usable number. */
function readNumber(connection: RedisConnection, next: unknown, isOurs: unknown): number {
  if (isOurs !== 1) connection.emit({ kind: 'invalid', about: 'records' });
  const number = Number(next);
  if (!Number.isSafeInteger(number)) throw new ErrOverloaded('Shared state gave no number.');
  return number;
}

function toWhole(ttlMs: number): number {
  return Math.ceil(Math.min(ttlMs, MAX_TTL));
}

/** Takes a key and a number in one step, unless the key is taken or its owner has too many keys. */
const CLAIM = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if found then return {'found', found} end
  local used = redis.call('INCR', KEYS[3])
  if redis.call('PTTL', KEYS[3]) < 0 then redis.call('PEXPIRE', KEYS[3], ARGV[3]) end
  if used > tonumber(ARGV[4]) then
    redis.call('DECR', KEYS[3])
    return {'full'}
  end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  ${NEXT('KEYS[2]')}
  return {'ours', next, isOurs and 1 or 0}`);
/** Releases a key if its value is one of the arguments. */
const FREE = new RedisScript(`
  local found, isOurs = redis.call('GET', KEYS[1]), false
  for at = 2, #ARGV do isOurs = isOurs or found == ARGV[at] end
  if not isOurs then return end
  redis.call('DEL', KEYS[1])
  if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`);

/** Keeps the claims of all processes, with a common limit for each owner. */
export class RedisClaims implements Claims {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async claim({ key, text, ttlMs, owner }: ClaimRequest): Promise<Claim> {
    assertTtl(ttlMs);
    const { keys, seal } = this.#connection;
    const record = keys.for('records', key);
    const names = [record, keys.of('sequence'), keys.for('keys', owner)];
    const args = [seal.seal(record, text), toWhole(ttlMs), MAX_PER_OWNER];
    // A claim that was never sent took no effect, so the caller may continue without it.
    let isSent = false;
    const asked = this.#connection.run('records', (client, deadline) => {
      isSent = true;
      return CLAIM.run(client, deadline, names, args);
    });
    const answer = await asked.catch((cause: unknown): never => {
      throw isSent ? cause : new NotClaimed('Shared state cannot be reached.', { cause });
    });
    const [kind, value, isOurs] = Array.isArray(answer) ? (answer as unknown[]) : [];
    if (kind === 'ours') return { kind, token: readNumber(this.#connection, value, isOurs) };
    // A value that was not sealed by this server counts as present, but empty.
    if (kind === 'found')
      return { kind, text: this.#connection.open('records', record, String(value)) ?? '' };
    if (kind === 'full') return { kind };
    throw new ErrOverloaded('Shared state gave an unexpected answer.');
  }

  async free(key: string, owner: string, texts: readonly string[]): Promise<void> {
    const { keys, seal } = this.#connection;
    const record = keys.for('records', key);
    const sealed = texts.map((text) => seal.seal(record, text));
    await this.#connection.runScript('records', FREE, [record, keys.for('keys', owner)], sealed);
  }
}

const TOPIC = 'task-message';
/** A task with this many waiting messages rejects further ones. */
const MAX_MESSAGES = 1_000;

const EXCHANGE = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if ARGV[2] == '0' then
    if found then return 0 end
  elseif found ~= ARGV[3] then return 0 end
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
  return 1`);
const SEND = new RedisScript(`
  if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[4]) then return redis.error_reply('FULL too many messages') end
  redis.call('RPUSH', KEYS[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])`);
const TAKE = new RedisScript(`
  local messages = redis.call('LRANGE', KEYS[1], 0, -1)
  redis.call('DEL', KEYS[1])
  return messages`);

export class RedisTaskStore implements TaskStore {
  readonly #connection: RedisConnection;
  readonly #bus: Bus;

  constructor(connection: RedisConnection, bus: Bus) {
    this.#connection = connection;
    this.#bus = bus;
  }

  async get(id: string): Promise<string | undefined> {
    const name = this.#nameOf('task', id);
    const found = await this.#connection.run('tasks', (client) => client.get(name));
    return found === null ? undefined : (this.#connection.open('tasks', name, found) ?? '');
  }

  async exchange(id: string, expected: string | undefined, text: string, ttlMs: number): Promise<boolean> {
    assertTtl(ttlMs);
    const name = this.#nameOf('task', id);
    const [old, sealed] = [expected ?? '', text].map((each) => this.#connection.seal.seal(name, each));
    const args = [expected === undefined ? 0 : 1, old ?? '', sealed ?? '', Math.ceil(ttlMs)];
    return (await this.#connection.runScript('tasks', EXCHANGE, [name], args)) === 1;
  }

  async send(id: string, message: unknown, ttlMs: number): Promise<void> {
    assertTtl(ttlMs);
    const name = this.#nameOf('task-messages', id);
    const sealed = this.#connection.seal.seal(name, JSON.stringify(message));
    await this.#connection.runScript('tasks', SEND, [name], [sealed, Math.ceil(ttlMs), MAX_MESSAGES]);
    this.#bus.publish(TOPIC, this.#connection.seal.name(id));
  }

  async take(id: string): Promise<readonly unknown[]> {
    const name = this.#nameOf('task-messages', id);
    const found = await this.#connection.runScript('tasks', TAKE, [name]);
    return Array.isArray(found) ? found.flatMap((sealed) => this.#read(name, String(sealed))) : [];
  }

  onMessage(listener: (isMeant: (id: string) => boolean) => void): () => void {
    return this.#bus.subscribe(TOPIC, (meant) => listener((id) => this.#connection.seal.name(id) === meant));
  }

  #read(name: string, sealed: string): unknown[] {
    const text = this.#connection.open('tasks', name, sealed);
    return text === undefined ? [] : [JSON.parse(text)];
  }

  #nameOf(kind: string, id: string): string {
    return this.#connection.keys.for(kind, id);
  }
}
