import { INTERNAL_ERROR } from '../../protocol/rpc-codes.js';
import type { EventLog, LoggedEvents } from '../../stores/shared.js';
import type { EventSink } from '../http/request-response.js';
import { formatEvent } from '../http/event-stream.js';
import { isId } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';

/** How often a stream of another process is looked at, should nobody tell. */
const POLL_MS = 2_000;

export interface FollowedStream {
  /** Where it is in the log. */
  readonly key: string;
  readonly stream: string;
  /** The number of the last event that the client has. */
  readonly after: number;
}

/** Sends a client what another process writes to a log, until it is over or the client has gone. */
export class StreamFollower {
  readonly key: string;
  readonly #log: EventLog;
  readonly #stream: string;
  readonly #sink: EventSink;
  readonly #onStop: (follower: StreamFollower) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #last: number;
  #isStopped = false;
  #isLooking = false;
  #isAsked = false;

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
    this.#timer = setInterval(() => {
      if (!sink.write(': keepalive\n\n')) this.end();
      this.look();
    }, POLL_MS);
    if (typeof this.#timer === 'object') this.#timer.unref();
    sink.onClose(() => this.#stop());
  }

  /** Sends what was read. */
  pass(read: LoggedEvents | undefined): void {
    for (const { json } of read?.events ?? []) this.#send(json);
    if (!read || read.isOver) this.end();
    else if (!read.isAlive) {
      const lost = lostAnswer(read.about);
      if (lost !== undefined) this.#send(lost);
      this.end();
    }
  }

  /** Looks whether there is more. */
  look(): void {
    this.#isAsked = true;
    if (!this.#isLooking) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#isAsked && !this.#isStopped) {
        this.#isAsked = false;
        this.pass(await this.#log.read(this.key, this.#last));
      }
    } catch {
      // What cannot be asked now can be at the next look.
    } finally {
      this.#isLooking = false;
    }
  }

  #send(json: string): void {
    if (!this.#isStopped && !this.#sink.write(formatEvent(this.#stream, ++this.#last, json))) this.end();
  }

  /** Lets the client go, which may come back elsewhere. */
  end(): void {
    if (this.#isStopped) return;
    this.#stop();
    this.#sink.end();
  }

  #stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#onStop(this);
  }
}

/** The answer to a request whose process has died; none where the stream answers no request. */
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
