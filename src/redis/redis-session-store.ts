import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions, ErrOverloaded } from '../errors.js';
import { NOBODY } from '../guard/caller-key.js';
import type { DeriveSession, SessionRecord, SessionStore } from '../session/session-store.js';
import type { Bus } from '../stores/bus.js';
import { readSession, writeSession } from './read-session.js';
import type { RedisConnection } from './redis-connection.js';
import { RedisScript } from './redis-script.js';

/** How many sessions are kept in Redis, and for how long. */
export interface RedisSessionOptions {
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttl?: number;
  /** How many sessions one owner can have in use, and how many only opened. Default: 1,000. */
  readonly maxPerOwner?: number;
  /** The same for all of whom nothing is known. Default: 100,000. */
  readonly maxAnonymous?: number;
}

const HOUR = 60 * 60_000;
const TOPIC = 'session-end';
/** How often a change is tried that others get in the way of. */
const MAX_TRIES = 50;
/** How many sessions a process remembers to have said to be in use. */
const MAX_NOTED = 100_000;

/**
 * Puts an entry into an index of who has what, and ends those beyond its bound, the least recently used first. Use is
 * noted seldom; when a session was last used, the time that it has left says.
 */
const NOTE = `
  local function note(index, member, max, ttl, beginning)
    local micros = time[1] * 1000000 + time[2]
    redis.call('ZREMRANGEBYSCORE', index, '-inf', string.format('%.0f', micros - 2000 * ttl))
    redis.call('ZADD', index, string.format('%.0f', micros), member)
    redis.call('PEXPIRE', index, 2 * ttl)
    local ended = {}
    local over, looks = redis.call('ZCARD', index) - max, 100
    while over > 0 do
      local popped = redis.call('ZPOPMIN', index)
      local name, noted = popped[1], tonumber(popped[2])
      local used = micros - 1000 * (ttl - redis.call('PTTL', beginning .. name))
      if used > noted + 5000 and looks > 0 then
        looks = looks - 1
        redis.call('ZADD', index, string.format('%.0f', used), name)
      else
        if redis.call('DEL', beginning .. name) == 1 then ended[#ended + 1] = name end
        over = over - 1
      end
    end
    return ended
  end`;
const CREATE = new RedisScript(`${NOTE}
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return note(KEYS[2], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[3]), ARGV[6])`);
/** Only what is there is used: it may have ended meanwhile. */
const USE = new RedisScript(`${NOTE}
  redis.call('ZREM', KEYS[2], ARGV[3])
  if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
  return note(KEYS[3], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[2]), ARGV[5])`);
const REPLACE = new RedisScript(`redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'XX')`);
/** Where nobody has changed it meanwhile. */
const EXCHANGE = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if not found then return 'gone' end
  if found ~= ARGV[2] then return found end
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
  return 'done'`);
const DELETE = new RedisScript(`return redis.call('DEL', KEYS[1])`);

/** Sessions that every process serves. While Redis does not answer there are none, and requests are refused. */
export class RedisSessionStore implements SessionStore {
  readonly #connection: RedisConnection;
  readonly #bus: Bus;
  readonly #ttl: number;
  readonly #maxPerOwner: number;
  readonly #maxAnonymous: number;
  /** When this process has last said of a session that it is in use. */
  readonly #noted = new LRUCache<string, number>({ maxSize: MAX_NOTED, sizeCalculation: () => 1 });

  constructor(
    connection: RedisConnection,
    bus: Bus,
    { ttl = HOUR, maxPerOwner = 1_000, maxAnonymous = 100_000 }: RedisSessionOptions = {},
  ) {
    for (const [name, value] of Object.entries({ ttl, maxPerOwner, maxAnonymous })) {
      if (!Number.isSafeInteger(value) || value < 1)
        throw new ErrInvalidOptions(`redis: sessions.${name} must be a whole number of at least 1.`);
    }
    this.#connection = connection;
    this.#bus = bus;
    this.#ttl = ttl;
    this.#maxPerOwner = maxPerOwner;
    this.#maxAnonymous = maxAnonymous;
  }

  async create(session: SessionRecord): Promise<void> {
    const { id, owner } = session;
    const ended = await this.#run(
      CREATE,
      [this.#nameOf(id), this.#connection.keys.for('opened', owner)],
      [this.#write(session), this.#ttl, this.#connection.seal.name(id), this.#maxOf(owner), this.#beginning],
    );
    this.#tell(ended);
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const name = this.#nameOf(id);
    const text = await this.#connection.run('sessions', (client) => client.getex(name, 'PX', this.#ttl));
    if (text === null) return undefined;
    const session = this.#read(id, text);
    if (session) this.#note(session);
    return session;
  }

  async update(session: SessionRecord): Promise<void> {
    await this.#run(REPLACE, [this.#nameOf(session.id)], [this.#write(session), this.#ttl]);
  }

  async change(id: string, derive: DeriveSession): Promise<SessionRecord | undefined> {
    const name = this.#nameOf(id);
    let text = await this.#connection.run('sessions', (client) => client.get(name));
    for (let tries = 0; text !== null && tries < MAX_TRIES; tries++) {
      const session = this.#read(id, text);
      if (!session) return undefined;
      const changed: SessionRecord = { ...session, ...(await derive(session)) };
      const answer = await this.#run(EXCHANGE, [name], [text, this.#write(changed), this.#ttl]);
      if (answer === 'done') return changed;
      text = answer === 'gone' ? null : String(answer);
    }
    if (text === null) return undefined;
    throw new ErrOverloaded('A session is being changed from too many places.', {
      hint: 'Try again in a moment.',
    });
  }

  async delete(id: string): Promise<void> {
    this.#noted.delete(id);
    const count = await this.#run(DELETE, [this.#nameOf(id)], []);
    if (count === 1) this.#tell([this.#connection.seal.name(id)]);
  }

  onEndElsewhere(listener: (isEnded: (id: string) => boolean) => void): () => void {
    return this.#bus.subscribe(TOPIC, (message) => {
      if (!Array.isArray(message)) return;
      const ended = new Set<unknown>(message);
      listener((id) => ended.has(this.#connection.seal.name(id)));
    });
  }

  /** Says once in a while that a session is in use: those that are not end first where there are too many. */
  #note({ id, owner }: SessionRecord): void {
    const now = this.#connection.now();
    const noted = this.#noted.get(id);
    if (noted !== undefined && now - noted < this.#ttl / 10) return;
    this.#noted.set(id, now);
    const { keys } = this.#connection;
    this.#run(
      USE,
      [this.#nameOf(id), keys.for('opened', owner), keys.for('used', owner)],
      [this.#ttl, this.#connection.seal.name(id), this.#maxOf(owner), this.#beginning],
    ).then(
      (ended) => this.#tell(ended),
      // Whoever listens to the connection has been told, and the session is there.
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

  #tell(ended: unknown): void {
    if (Array.isArray(ended) && ended.length > 0) this.#bus.publish(TOPIC, ended);
  }

  #run(script: RedisScript, names: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#connection.run('sessions', (client, deadline) => script.run(client, deadline, names, args));
  }

  #maxOf(owner: string): number {
    return owner === NOBODY ? this.#maxAnonymous : this.#maxPerOwner;
  }

  get #beginning(): string {
    return `${this.#connection.keys.of('session')}:`;
  }

  #nameOf(id: string): string {
    return this.#connection.keys.for('session', id);
  }
}
