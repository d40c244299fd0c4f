import type { Bus, EventLog, LoggedEvent, LoggedEvents } from '../stores/shared.js';
import { eventsAfter } from '../stores/shared.js';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './redis-script.js';
import { UnwrittenEvents } from './unwritten-events.js';

const TOPIC = 'event';
/** What is kept of a stream, and for how long after its last event. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 1024 * 1024;
const KEEP_MS = 5 * 60_000;

const BEGIN = new RedisScript(`
  redis.call('HSET', KEYS[2], 'about', ARGV[2], 'alive', now + ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])`);
/** Says whether somebody has read the log, and so wants to hear of more. */
const APPEND = new RedisScript(`
  local number, last = tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[2], 'last') or '0')
  if number <= last then return redis.call('HEXISTS', KEYS[2], 'read') end
  if ARGV[7] == '1' and number ~= last + 1 then return redis.error_reply('GAP an event before it is missing') end
  redis.call('XADD', KEYS[1], ARGV[2] .. '-0', 'json', ARGV[3])
  redis.call('HSET', KEYS[2], 'last', ARGV[2])
  local bytes = redis.call('HINCRBY', KEYS[2], 'bytes', #ARGV[3])
  local length = redis.call('XLEN', KEYS[1])
  while length > tonumber(ARGV[4]) or (bytes > tonumber(ARGV[5]) and length > 1) do
    local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', KEYS[1], first[1])
    bytes = redis.call('HINCRBY', KEYS[2], 'bytes', -#first[2][2])
    length = length - 1
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
  return redis.call('HEXISTS', KEYS[2], 'read')`);
const END = new RedisScript(`
  if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
  redis.call('HSET', KEYS[2], 'over', 1)
  return redis.call('HEXISTS', KEYS[2], 'read')`);
const READ = new RedisScript(`
  if redis.call('EXISTS', KEYS[2]) == 0 then return false end
  redis.call('HSET', KEYS[2], 'read', 1)
  local facts = redis.call('HMGET', KEYS[2], 'about', 'last', 'over', 'alive')
  return { facts[1], facts[2] or '0', facts[3] or '0', facts[4], tostring(now),
    redis.call('XRANGE', KEYS[1], ARGV[2] .. '-1', '+') }`);

/** A stream of Redis for each, which is shortened as it grows. */
export class RedisEventLog implements EventLog {
  readonly #connection: RedisConnection;
  readonly #bus: Bus;
  /** The numbers of the last events of streams that are written here. */
  readonly #last = new Map<string, number>();
  readonly #unwritten = new UnwrittenEvents();

  constructor(connection: RedisConnection, bus: Bus) {
    this.#connection = connection;
    this.#bus = bus;
  }

  begin(stream: string, about: string, leaseMs: number): void {
    this.#write(BEGIN, stream, [about, leaseMs, KEEP_MS]);
  }

  append(stream: string, number: number, json: string): void {
    const sealed = this.#connection.seal.seal(this.#placeOf(stream, number), json);
    // One that failed is written before those that come after it.
    const isNext = number === (this.#last.get(stream) ?? 0) + 1;
    this.#last.set(stream, number);
    this.#write(APPEND, stream, [number, sealed, MAX_EVENTS, MAX_BYTES, KEEP_MS, isNext ? 1 : 0]);
  }

  end(stream: string): void {
    this.#last.delete(stream);
    this.#write(END, stream, []);
  }

  async read(stream: string, after: number): Promise<LoggedEvents | undefined> {
    const found = await this.#run(READ, stream, [after]);
    if (!Array.isArray(found)) return undefined;
    const [about, last, over, alive, now, entries] = found as unknown[];
    const events = this.#toEvents(stream, entries);
    const wanted = events && eventsAfter(events, after, Number(last));
    if (typeof about !== 'string' || !events) {
      this.#connection.emit({ kind: 'invalid', about: 'streams' });
      return undefined;
    }
    return wanted && { events: wanted, about, isOver: over === '1', isAlive: Number(alive) >= Number(now) };
  }

  onAppend(listener: (isMeant: (stream: string) => boolean) => void): () => void {
    return this.#bus.subscribe(TOPIC, (meant) =>
      listener((stream) => this.#connection.seal.name(stream) === meant),
    );
  }

  /** Nobody waits for it. What Redis does not take is kept for a while, in its order. */
  #write(script: RedisScript, stream: string, args: readonly (string | number)[]): void {
    const write = async (): Promise<void> => {
      const isRead = await this.#run(script, stream, args);
      if (isRead === 1) this.#bus.publish(TOPIC, this.#connection.seal.name(stream));
    };
    this.#unwritten.write(stream, write, args.join('').length);
  }

  #run(script: RedisScript, stream: string, args: readonly (string | number)[]): Promise<unknown> {
    const { keys } = this.#connection;
    const names = [keys.for('events', stream), keys.for('stream', stream)];
    return this.#connection.run('streams', (client, deadline) => script.run(client, deadline, names, args));
  }

  #placeOf(stream: string, number: number): string {
    return `${this.#connection.keys.for('events', stream)}:${number}`;
  }

  /** `[["7-0", ["json", "…"]], …]`, of which each is sealed for its number. */
  #toEvents(stream: string, entries: unknown): readonly LoggedEvent[] | undefined {
    if (!Array.isArray(entries)) return undefined;
    const events = entries.map((entry: unknown) => {
      const [id, fields] = Array.isArray(entry) ? (entry as unknown[]) : [];
      const number = Number.parseInt(String(id), 10);
      const sealed: unknown = Array.isArray(fields) ? fields[1] : undefined;
      const json = this.#connection.seal.open(this.#placeOf(stream, number), String(sealed));
      return json === undefined ? undefined : { number, json };
    });
    return events.every((event) => event !== undefined) ? events : undefined;
  }
}
