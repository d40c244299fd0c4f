import type { Bus } from 'toolfold';
import type { EventLog, LoggedEvent, LoggedEvents } from 'toolfold/internal';
import { eventsAfter } from 'toolfold/internal';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';

const TOPIC = 'event';
/** Redis keeps this many events and bytes of a stream, for this time after its last event. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 1024 * 1024;
const KEEP_MS = 5 * 60_000;
/** Limits the characters that wait while Redis cannot be reached. */
const MAX_PENDING = 16 * 1024 * 1024;
/** Older writes are dropped, because their readers have got an error by then. */
const MAX_PENDING_MS = 60_000;
const RETRY_MS = 500;

const BEGIN = new RedisScript(`
  redis.call('HSET', KEYS[2], 'about', ARGV[2], 'alive', now + ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])`);
/** Appends an event. Returns whether a process has read the log and therefore wants to be notified of more events. */
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

/** Keeps the events of each stream in a stream of Redis, which is trimmed as it grows. */
export class RedisEventLog implements EventLog {
  readonly #connection: RedisConnection;
  readonly #bus: Bus;
  /** The number of the last event of each stream that this process writes. */
  readonly #last = new Map<string, number>();
  readonly #pending = new PendingWrites();

  constructor(connection: RedisConnection, bus: Bus) {
    this.#connection = connection;
    this.#bus = bus;
  }

  begin(stream: string, about: string, leaseMs: number): void {
    this.#write(BEGIN, stream, [about, leaseMs, KEEP_MS]);
  }

  append(stream: string, number: number, json: string): void {
    const sealed = this.#connection.seal.seal(this.#placeOf(stream, number), json);
    // The script rejects an event whose predecessor is missing. The predecessor is retried first, to keep the order.
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

  /** Writes in the background. Failed writes are retried for a while, in their order. */
  #write(script: RedisScript, stream: string, args: readonly (string | number)[]): void {
    const write = async (): Promise<void> => {
      const isRead = await this.#run(script, stream, args);
      if (isRead === 1) this.#bus.publish(TOPIC, this.#connection.seal.name(stream));
    };
    this.#pending.write(stream, write, args.join('').length);
  }

  #run(script: RedisScript, stream: string, args: readonly (string | number)[]): Promise<unknown> {
    const { keys } = this.#connection;
    const names = [keys.for('events', stream), keys.for('stream', stream)];
    return this.#connection.runScript('streams', script, names, args);
  }

  #placeOf(stream: string, number: number): string {
    return `${this.#connection.keys.for('events', stream)}:${number}`;
  }

  /** Reads `[["7-0", ["json", "…"]], …]`. Each text is sealed for its number. */
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

interface Kept {
  readonly write: () => Promise<void>;
  readonly size: number;
  readonly since: number;
}

/** Runs the writes of each stream in their order, and retries those that fail. */
class PendingWrites {
  readonly #kept = new Map<string, Kept[]>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Never throws, because no caller awaits a write. */
  write(stream: string, write: () => Promise<void>, size: number): void {
    const one = { write, size, since: performance.now() };
    if (this.#kept.has(stream)) this.#keep(stream, one);
    else write().catch(() => this.#keep(stream, one));
  }

  #keep(stream: string, one: Kept): void {
    if (this.#size + one.size > MAX_PENDING) {
      this.#drop(stream);
      return;
    }
    this.#size += one.size;
    const kept = this.#kept.get(stream);
    if (kept) kept.push(one);
    else this.#kept.set(stream, [one]);
    this.#timer ??= setTimeout(() => void this.#tryAll(), RETRY_MS);
    this.#timer.unref();
  }

  /** Drops all pending writes of a stream, because events after a lost one cannot be read. */
  #drop(stream: string): void {
    for (const { size } of this.#kept.get(stream) ?? []) this.#size -= size;
    this.#kept.delete(stream);
  }

  async #tryAll(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((stream) => this.#tryStream(stream)));
    this.#timer = this.#kept.size > 0 ? setTimeout(() => void this.#tryAll(), RETRY_MS) : undefined;
    this.#timer?.unref();
  }

  async #tryStream(stream: string): Promise<void> {
    for (let one = this.#kept.get(stream)?.[0]; one; one = this.#kept.get(stream)?.[0]) {
      try {
        await one.write();
      } catch {
        if (performance.now() - one.since > MAX_PENDING_MS) this.#drop(stream);
        return;
      }
      // The stream may have been dropped during the write.
      if (this.#kept.get(stream)?.[0] !== one) continue;
      this.#kept.get(stream)?.shift();
      this.#size -= one.size;
    }
    this.#kept.delete(stream);
  }
}
