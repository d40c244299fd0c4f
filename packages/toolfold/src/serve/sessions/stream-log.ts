import { INTERNAL_ERROR } from '../../protocol/rpc-error.js';
import { isId } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';
import type { EventLog, LoggedEvents } from '../../stores/contracts.js';
import type { Events, EventSink } from '../http/request-response.js';
import { formatEvent } from '../http/event-stream.js';
import type { Recorder } from '../http/event-stream.js';
import { writeError } from '../http/write-message.js';
import { startInterval } from '../../runtime/timers.js';

/** A process that has not renewed its lease on a stream for this long counts as dead. */
const LEASE_MS = 15_000;
/** How often a follower reads a stream of another process, in case a notification was lost. */
const POLL_MS = 2_000;

/** Records the events of streams, so that clients can resume a stream at any process. */
export class StreamLog {
  readonly #log: EventLog;
  readonly #leaseMs: number;
  /** Maps the streams that this process writes to the ids of the requests that they answer, as JSON. */
  readonly #open = new Map<string, string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #followers = new Set<Follower>();
  readonly #unsubscribe: () => void;

  constructor(log: EventLog, leaseMs = LEASE_MS) {
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#unsubscribe = log.onAppend((isMeant) => {
      for (const follower of this.#followers) if (isMeant(follower.key)) follower.look();
    });
  }

  /** Records a stream. Without a request it is a standing stream. */
  record(session: string, stream: string, request?: Id): Recorder {
    const key = keyOf(session, stream);
    const begin = (): void => {
      if (this.#open.has(key)) return;
      this.#open.set(key, JSON.stringify(request ?? null));
      this.#renew(key);
      this.#timer ??= startInterval(() => {
        for (const each of this.#open.keys()) this.#renew(each);
      }, this.#leaseMs / 3);
    };
    return {
      append: (number, json) => {
        begin();
        this.#log.append(key, number, json);
      },
      end: () => {
        if (this.#open.delete(key)) this.#log.end(key);
        if (this.#open.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** Returns the events after a number as they were sent. The result is empty if the stream is not known. */
  async missed(session: string, stream: string, after: number): Promise<readonly string[]> {
    const { events = [] } = (await this.#log.read(keyOf(session, stream), after)) ?? {};
    return events.map(({ number, json }) => formatEvent(stream, number, json));
  }

  /** Resumes a stream of another process after an event. Returns `undefined` if a later event is no longer there. */
  async follow(session: string, stream: string, after: number): Promise<Events | undefined> {
    const key = keyOf(session, stream);
    const found = await this.#log.read(key, after);
    return found && ((sink) => follow(this.#log, this.#followers, { key, stream, after }, found, sink));
  }

  close(): void {
    this.#unsubscribe();
    for (const follower of this.#followers) follower.end();
    clearInterval(this.#timer);
  }

  #renew(key: string): void {
    this.#log.begin(key, this.#open.get(key) ?? 'null', this.#leaseMs);
  }
}

interface FollowedStream {
  readonly key: string;
  readonly stream: string;
  /** Number of the last event that the client has. */
  readonly after: number;
}

interface Follower {
  readonly key: string;
  /** Reads the log for new events. A call during a read causes one more read. */
  look(): void;
  /** Ends the connection. The client may resume the stream elsewhere. */
  end(): void;
}

/** Sends a client the events that another process writes to the log, until the stream ends or the client disconnects. */
function follow(
  log: EventLog,
  followers: Set<Follower>,
  { key, stream, after }: FollowedStream,
  found: LoggedEvents,
  sink: EventSink,
): void {
  let last = after;
  let isStopped = false;
  let isReading = false;
  let hasMore = false;
  const stop = (): void => {
    isStopped = true;
    hasMore = false;
    clearInterval(timer);
    followers.delete(follower);
  };
  const end = (): void => {
    if (isStopped) return;
    stop();
    sink.end();
  };
  const send = (json: string): void => {
    if (!isStopped && !sink.write(formatEvent(stream, ++last, json))) end();
  };
  /** Passes events of the log to the client. Ends the connection if the stream is over or its process has died. */
  const pass = (read: LoggedEvents | undefined): void => {
    for (const { json } of read?.events ?? []) send(json);
    const lost = read && !read.isOver && !read.isAlive ? lostAnswer(read.about) : undefined;
    if (lost !== undefined) send(lost);
    if (!read || read.isOver || !read.isAlive) end();
  };
  const readOn = async (): Promise<void> => {
    isReading = true;
    try {
      while (hasMore) {
        hasMore = false;
        pass(await log.read(key, last));
      }
    } catch {
      // The store cannot be reached. The timer tries again.
    } finally {
      isReading = false;
    }
  };
  const look = (): void => {
    hasMore = !isStopped;
    if (!isReading) void readOn();
  };
  const timer = startInterval(() => {
    if (!sink.write(': keepalive\n\n')) end();
    look();
  }, POLL_MS);
  const follower = { key, look, end };
  followers.add(follower);
  sink.onClose(stop);
  pass(found);
  // Events that were appended since the read have notified no follower.
  look();
}

/** A key includes the session, so that no other session can resume the stream. */
function keyOf(session: string, stream: string): string {
  return `${session} ${stream}`;
}

/** Writes the answer to a request whose process has died. A standing stream answers no request and gets none. */
function lostAnswer(about: string): string | undefined {
  const id = readId(about);
  if (id === undefined) return undefined;
  const message = 'The process that ran the call has ended, and its outcome is not known.';
  return writeError(id, { code: INTERNAL_ERROR, message });
}

function readId(about: string): Id | undefined {
  try {
    const id: unknown = JSON.parse(about);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
