import { assertTtl } from '../values/options.js';
import type { Bus, TaskStore } from '../stores/shared.js';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

const TOPIC = 'task-message';
/** The most messages that wait for a task. Further ones are rejected. */
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
