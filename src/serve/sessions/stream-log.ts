import { INTERNAL_ERROR } from '../../protocol/rpc-error.js';
import { isId } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';
import type { EventLog, LoggedEvents } from '../../stores/contracts.js';
import type { Events, EventSink } from '../http/request-response.js';
import { formatEvent } from '../http/event-stream.js';
import type { Recorder } from '../http/event-stream.js';
import { startInterval } from '../../runtime/timers.js';

/** A process that has not renewed its lease on a stream for this long counts as dead. */
const LEASE_MS = 15_000;
/** How often a follower reads a stream of another process, in case a notification was lost. */
const POLL_MS = 2_000;

/** Records the events of streams, so that clients can resume a stream at any process. */
export class StreamLog {
  readonly #log: EventLog;
  readonly #leaseMs: number;
  /** The streams that this process writes, with the JSON of the ids of the requests that they answer. */
  readonly #open = new Map<string, string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #followers = new Set<StreamFollower>();
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
    return (
      found &&
      ((sink) => {
        const follower = new StreamFollower(this.#log, { key, stream, after }, sink, (stopped) =>
          this.#followers.delete(stopped),
        );
        this.#followers.add(follower);
        follower.pass(found);
        // Events that were appended since the read have notified no follower.
        follower.look();
      })
    );
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
  /** The key of the stream in the log. */
  readonly key: string;
  readonly stream: string;
  /** The number of the last event that the client has. */
  readonly after: number;
}

/** Sends a client the events that another process writes to the log, until the stream ends or the client disconnects. */
class StreamFollower {
  readonly key: string;
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #sink: EventSink;
  readonly #onStop: (follower: StreamFollower) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #last: number;
  #isStopped = false;
  #isReading = false;
  #hasMore = false;

  constructor(
    log: EventLog,
    { key, stream, after }: FollowedStream,
    sink: EventSink,
    onStop: (follower: StreamFollower) => void,
  ) {
    this.key = key;
    this.#log = log;
    this.#stream = stream;
    this.#last = after;
    this.#sink = sink;
    this.#onStop = onStop;
    this.#timer = startInterval(() => {
      if (!sink.write(': keepalive\n\n')) this.end();
      this.look();
    }, POLL_MS);
    sink.onClose(() => this.#stop());
  }

  /** Sends events that were read from the log. */
  pass(read: LoggedEvents | undefined): void {
    for (const { json } of read?.events ?? []) this.#send(json);
    if (!read || read.isOver) this.end();
    else if (!read.isAlive) {
      const lost = lostAnswer(read.about);
      if (lost !== undefined) this.#send(lost);
      this.end();
    }
  }

  /** Reads the log for new events. A call during a read causes one more read. */
  look(): void {
    this.#hasMore = true;
    if (!this.#isReading) void this.#readOn();
  }

  /** Ends the connection. The client may resume the stream elsewhere. */
  end(): void {
    if (this.#isStopped) return;
    this.#stop();
    this.#sink.end();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#hasMore && !this.#isStopped) {
        this.#hasMore = false;
        this.pass(await this.#log.read(this.key, this.#last));
      }
    } catch {
      // The store cannot be reached. The timer tries again.
    } finally {
      this.#isReading = false;
    }
  }

  #send(json: string): void {
    if (!this.#isStopped && !this.#sink.write(formatEvent(this.#stream, ++this.#last, json))) this.end();
  }

  #stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#onStop(this);
  }
}

/** A key includes the session, so that no other session can resume the stream. */
function keyOf(session: string, stream: string): string {
  return `${session} ${stream}`;
}

/** The answer to a request whose process has died. A standing stream answers no request and gets none. */
function lostAnswer(about: string): string | undefined {
  const id = readId(about);
  if (id === undefined) return undefined;
  const message = 'The process that ran the call has ended, and its outcome is not known.';
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
}

function readId(about: string): Id | undefined {
  try {
    const id: unknown = JSON.parse(about);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
