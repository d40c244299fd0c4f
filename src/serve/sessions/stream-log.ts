import type { EventLog } from '../../stores/shared.js';
import type { Events } from '../http/request-response.js';
import { formatEvent } from '../http/event-stream.js';
import type { Recorder } from '../http/event-stream.js';
import type { Id } from '../../protocol/messages.js';
import { StreamFollower } from './stream-follower.js';

/** A process that says nothing for so long counts as dead. */
const LEASE_MS = 15_000;

/** What was sent on streams, so that clients can come back for it to any process. */
export class StreamLog {
  readonly #log: EventLog;
  readonly #leaseMs: number;
  /** The streams that are written here, and the requests that they answer. */
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

  /** Writes down what is sent on a stream, which answers a request or none. */
  record(session: string, stream: string, request?: Id): Recorder {
    const key = keyOf(session, stream);
    const begin = (): void => {
      if (this.#open.has(key)) return;
      this.#open.set(key, JSON.stringify(request ?? null));
      this.#renew(key);
      this.#timer ??= startTimer(() => {
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

  /** What was missed of a stream, as it was sent; nothing where that is not known. */
  async missed(session: string, stream: string, after: number): Promise<readonly string[]> {
    const { events = [] } = (await this.#log.read(keyOf(session, stream), after)) ?? {};
    return events.map(({ number, json }) => formatEvent(stream, number, json));
  }

  /** A stream of another process from a number on; `undefined` where something of it is missing. */
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
        // More may have come meanwhile.
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

/** Only in its own session a stream can be found. */
function keyOf(session: string, stream: string): string {
  return `${session} ${stream}`;
}

function startTimer(run: () => void, ms: number): ReturnType<typeof setInterval> {
  const timer = setInterval(run, ms);
  if (typeof timer === 'object') timer.unref();
  return timer;
}
