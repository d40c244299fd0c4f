import { LRUCache } from 'lru-cache';
import type { EventStream } from '../http/event-stream.js';
import { LiveSession } from './live-session.js';
import { writeNotification } from '../http/json-or-sse-response.js';
import type { SessionMessage } from './session-messages.js';

export const TOOLS_CHANGED = 'notifications/tools/list_changed';
/** What is kept of streams that are over, for clients that lost the connection at the end. */
const ENDED = { max: 1_000, maxSize: 64 * 1024 * 1024, ttlMs: 5 * 60_000 };

/** The sessions in which something goes on in this process, and the streams that were over lately. */
export class LiveSessions {
  readonly #live = new Map<string, LiveSession>();
  readonly #ended = new LRUCache<string, EventStream>({
    ...ENDED,
    sizeCalculation: (stream) => stream.keptLength + 1,
  });

  get(id: string): LiveSession | undefined {
    return this.#live.get(id);
  }

  /** The same, begun where nothing goes on in it yet. */
  of(id: string): LiveSession {
    let live = this.#live.get(id);
    if (!live) this.#live.set(id, (live = new LiveSession()));
    return live;
  }

  ids(): Iterable<string> {
    return this.#live.keys();
  }

  entries(): Iterable<[id: string, live: LiveSession]> {
    return this.#live;
  }

  /** What goes on in a session ends. */
  end(id: string): void {
    this.#live.get(id)?.end();
    this.#live.delete(id);
  }

  forgetIdle(id: string): void {
    if (this.#live.get(id)?.isIdle === true) this.#live.delete(id);
  }

  keepEnded(session: string, streamId: string, stream: EventStream): void {
    this.#ended.set(endedKey(session, streamId), stream);
  }

  findStream(session: string, stream: string): EventStream | undefined {
    return this.#live.get(session)?.findStream(stream) ?? this.#ended.get(endedKey(session, stream));
  }

  /** Whether there is something in a session that a message was for. */
  deliver(id: string, message: SessionMessage): boolean {
    const live = this.#live.get(id);
    if (!live) return false;
    if (message.kind === 'tools') return this.tellTools(id);
    if (message.kind === 'stand') return live.yieldTo(Number(message.id));
    return message.kind === 'answer' ? live.answer(message.id, message) : live.cancel(message.id);
  }

  /** The same for the session of which only a test is known. */
  deliverWhere(isMeant: (id: string) => boolean, message: SessionMessage): boolean {
    for (const id of this.#live.keys()) if (isMeant(id)) return this.deliver(id, message);
    return false;
  }

  /** Tells a client that its tools are others. Whether it listens here. */
  tellTools(id: string): boolean {
    const standing = this.#live.get(id)?.standing;
    if (standing?.isConnected !== true) return false;
    standing.send(writeNotification(TOOLS_CHANGED));
    return true;
  }
}

function endedKey(session: string, stream: string): string {
  return `${session} ${stream}`;
}
