import { LRUCache } from 'lru-cache';
import { isAnonymous, isLoggingLevel, NOBODY } from 'toolfold/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import { ErrOverloaded } from 'toolfold/errors';
import type { DeriveSession, SessionRecord, SessionStore } from 'toolfold/web';
import type { Bus } from 'toolfold';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

/** Limits how many sessions Redis keeps, and for how long. */
export interface RedisSessionOptions {
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttlMs?: number;
  /** The most sessions that one caller can have in use, and as many that are only opened. Default: 1,000. */
  readonly maxPerCaller?: number;
  /** The same limit for all anonymous callers together. Default: 100,000. */
  readonly maxAnonymous?: number;
}

const HOUR = 60 * 60_000;
const TOPIC = 'session-end';
/** A change is tried this often while other processes change the same session. */
const MAX_TRIES = 50;
/** A process remembers for this many sessions when it last noted their use. */
const MAX_NOTED = 100_000;

/**
 * Adds a session to an index, and ends the least recently used sessions beyond its bound. The index notes use only now and then, so the
 * remaining time to live of a session tells when it was really used last.
 */
const NOTE = `
  local function note(index, member, max, ttlMs, beginning, ended)
    local micros = time[1] * 1000000 + time[2]
    redis.call('ZREMRANGEBYSCORE', index, '-inf', string.format('%.0f', micros - 2000 * ttlMs))
    redis.call('ZADD', index, string.format('%.0f', micros), member)
    redis.call('PEXPIRE', index, 2 * ttlMs)
    -- Sessions that ended for the share of the caller make room here as well.
    for _, name in ipairs(ended) do redis.call('ZREM', index, name) end
    local over, looks = redis.call('ZCARD', index) - max, 100
    while over > 0 do
      local popped = redis.call('ZPOPMIN', index)
      local name, noted = popped[1], tonumber(popped[2])
      local used = micros - 1000 * (ttlMs - redis.call('PTTL', beginning .. name))
      if used > noted + 5000 and looks > 0 then
        looks = looks - 1
        redis.call('ZADD', index, string.format('%.0f', used), name)
      else
        if redis.call('DEL', beginning .. name) == 1 then ended[#ended + 1] = name end
        over = over - 1
      end
    end
  end`;
/** The keys are the session and the indexes of opened sessions. The last arguments are the bounds of these indexes. */
const CREATE = new RedisScript(`${NOTE}
  local ended = {}
  redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[2])
  for at = 2, #KEYS do note(KEYS[at], ARGV[3], tonumber(ARGV[4 + at]), tonumber(ARGV[2]), ARGV[4], ended) end
  return ended`);
/** The keys are the session and pairs of indexes, of opened and of used sessions. The session may have ended already. */
const USE = new RedisScript(`${NOTE}
  local ended = {}
  for at = 2, #KEYS, 2 do redis.call('ZREM', KEYS[at], ARGV[3]) end
  if redis.call('EXISTS', KEYS[1]) == 0 then return ended end
  for at = 3, #KEYS, 2 do note(KEYS[at], ARGV[3], tonumber(ARGV[4 + (at - 1) / 2]), tonumber(ARGV[2]), ARGV[4], ended) end
  return ended`);
const REPLACE = new RedisScript(`redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'XX')`);
/** Replaces a session unless another process has changed it since it was read. */
const EXCHANGE = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if not found then return 'gone' end
  if found ~= ARGV[2] then return found end
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
  return 'done'`);
/** The keys are the session and all indexes that may contain it. */
const DELETE = new RedisScript(`
  for at = 2, #KEYS do redis.call('ZREM', KEYS[at], ARGV[2]) end
  return redis.call('DEL', KEYS[1])`);

/** Keeps sessions that every process can serve. While Redis is down, their requests are rejected. */
export class RedisSessionStore implements SessionStore {
  readonly #connection: RedisConnection;
  readonly #bus: Bus;
  readonly #ttlMs: number;
  readonly #maxPerCaller: number;
  readonly #maxAnonymous: number;
  /** When this process last noted the use of each session. */
  readonly #noted = new LRUCache<string, number>({ maxSize: MAX_NOTED, sizeCalculation: () => 1 });

  constructor(
    connection: RedisConnection,
    bus: Bus,
    { ttlMs = HOUR, maxPerCaller = 1_000, maxAnonymous = 100_000 }: RedisSessionOptions = {},
  ) {
    this.#connection = connection;
    this.#bus = bus;
    this.#ttlMs = ttlMs;
    this.#maxPerCaller = maxPerCaller;
    this.#maxAnonymous = maxAnonymous;
  }

  async create(session: SessionRecord): Promise<void> {
    const { id, caller } = session;
    const { keys, seal } = this.#connection;
    const bounds = this.#boundsOf(caller);
    const ended = await this.#connection.runScript(
      'sessions',
      CREATE,
      [this.#nameOf(id), ...bounds.map(([name]) => keys.for('opened', name))],
      [this.#ttlMs, seal.name(id), this.#beginning, this.#write(session), ...bounds.map(([, max]) => max)],
    );
    this.#announceEnd(ended);
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const name = this.#nameOf(id);
    const text = await this.#connection.run('sessions', (client) => client.getex(name, 'PX', this.#ttlMs));
    if (text === null) return undefined;
    const session = this.#read(id, text);
    if (session) this.#note(session);
    return session;
  }

  async update(session: SessionRecord): Promise<void> {
    await this.#connection.runScript(
      'sessions',
      REPLACE,
      [this.#nameOf(session.id)],
      [this.#write(session), this.#ttlMs],
    );
  }

  async change(id: string, derive: DeriveSession): Promise<SessionRecord | undefined> {
    const name = this.#nameOf(id);
    let text = await this.#connection.run('sessions', (client) => client.get(name));
    for (let tries = 0; text !== null && tries < MAX_TRIES; tries++) {
      const session = this.#read(id, text);
      if (!session) return undefined;
      const changed: SessionRecord = { ...session, ...(await derive(session)) };
      const answer = await this.#connection.runScript(
        'sessions',
        EXCHANGE,
        [name],
        [text, this.#write(changed), this.#ttlMs],
      );
      if (answer === 'done') return changed;
      text = answer === 'gone' ? null : String(answer);
    }
    if (text === null) return undefined;
    throw new ErrOverloaded('Too many processes change this session at once.', {
      hint: 'Try again in a moment.',
    });
  }

  async delete(id: string): Promise<void> {
    this.#noted.delete(id);
    const name = this.#nameOf(id);
    const { keys, seal } = this.#connection;
    const text = await this.#connection.run('sessions', (client) => client.get(name));
    const session = text === null ? undefined : this.#read(id, text);
    const indexes = this.#boundsOf(session?.caller ?? NOBODY).flatMap(([caller]) =>
      ['opened', 'used'].map((kind) => keys.for(kind, caller)),
    );
    const count = await this.#connection.runScript('sessions', DELETE, [name, ...indexes], [seal.name(id)]);
    if (count === 1) this.#announceEnd([seal.name(id)]);
  }

  onEndElsewhere(listener: (isEnded: (id: string) => boolean) => void): () => void {
    return this.#bus.subscribe(TOPIC, (message) => {
      if (!Array.isArray(message)) return;
      const ended = new Set<unknown>(message);
      listener((id) => ended.has(this.#connection.seal.name(id)));
    });
  }

  /** Notes now and then that a session is in use, because unused sessions are evicted first. */
  #note({ id, caller }: SessionRecord): void {
    const now = this.#connection.now();
    const noted = this.#noted.get(id);
    if (noted !== undefined && now - noted < this.#ttlMs / 10) return;
    this.#noted.set(id, now);
    const { keys, seal } = this.#connection;
    const bounds = this.#boundsOf(caller);
    const indexes = bounds.flatMap(([name]) => [keys.for('opened', name), keys.for('used', name)]);
    this.#connection
      .runScript(
        'sessions',
        USE,
        [this.#nameOf(id), ...indexes],
        [this.#ttlMs, seal.name(id), this.#beginning, ...bounds.map(([, max]) => max)],
      )
      .then(
        (ended) => this.#announceEnd(ended),
        // The connection has already reported the failure, and the session still exists.
        () => this.#noted.delete(id),
      );
  }

  #write(session: SessionRecord): string {
    return this.#connection.seal.seal(this.#nameOf(session.id), writeSession(session));
  }

  #read(id: string, sealed: string): SessionRecord | undefined {
    const text = this.#connection.open('sessions', this.#nameOf(id), sealed);
    if (text === undefined) return undefined;
    const session = readSession(id, text);
    if (!session) this.#connection.emit({ kind: 'invalid', about: 'sessions' });
    return session;
  }

  #announceEnd(ended: unknown): void {
    if (Array.isArray(ended) && ended.length > 0) this.#bus.publish(TOPIC, ended);
  }

  /** Returns the indexes that contain the sessions of a caller, with their bounds. All anonymous callers share one more index. */
  #boundsOf(caller: string): readonly (readonly [index: string, max: number])[] {
    const own = [caller, this.#maxPerCaller] as const;
    if (!isAnonymous(caller)) return [own];
    const all = [NOBODY, this.#maxAnonymous] as const;
    return caller === NOBODY ? [all] : [own, all];
  }

  get #beginning(): string {
    return `${this.#connection.keys.of('session')}:`;
  }

  #nameOf(id: string): string {
    return this.#connection.keys.for('session', id);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);

const isOptionalTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isText));

/** Checks each field. A record with another field is invalid. */
const fields: Readonly<Record<keyof SessionRecord, (value: unknown) => boolean>> = {
  id: isText,
  owner: isText,
  caller: isText,
  clientId: isOptionalText,
  context: isOptionalText,
  protocolVersion: isText,
  client: (value) => isJsonObject(value) && isText(value['name']) && isText(value['version']),
  capabilities: isJsonObject,
  logLevel: (value) => value === undefined || isLoggingLevel(value),
  toolsets: isOptionalTexts,
  subscriptions: isOptionalTexts,
};

function readSession(id: string, text: string): SessionRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const record: Record<string, unknown> = { ...value, id };
  const isKnown = Object.keys(record).every((name) => Object.hasOwn(fields, name));
  const isWhole = Object.entries(fields).every(([name, isRight]) => isRight(record[name]));
  return isKnown && isWhole ? (record as unknown as SessionRecord) : undefined;
}

/** Writes a record without its id, because an attacker who can read Redis must not be able to use the session. */
function writeSession(session: SessionRecord): string {
  return JSON.stringify({ ...session, id: undefined });
}
