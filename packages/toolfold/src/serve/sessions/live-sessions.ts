import { LRUCache } from 'lru-cache';
import type { ResolvedContext } from '../../callers/session-context.js';
import type { Id } from '../../protocol/messages.js';
import type { EventStream } from '../http/event-stream.js';
import { writeNotification } from '../http/write-message.js';
import { SubscribedResources } from '../../registry/watch/subscribed-resources.js';
import type { WatchResource } from '../../registry/watch/subscribed-resources.js';
import type { SessionMessage } from './session-messages.js';
import { getOrMake } from '../../values/get-or-make.js';

export const TOOLS_CHANGED = 'notifications/tools/list_changed';
/** Ended streams are kept for five minutes, for clients that lost the connection at the end. */
const ENDED = { max: 1_000, maxSize: 64 * 1024 * 1024, ttl: 5 * 60_000 };
/** A standing stream without a client is dropped after 20 checks in a row, which is five minutes. */
const MAX_MISSED = 20;

interface ClientAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The running work of one session in this process: streams, questions and calls. */
export class LiveSession {
  /** Streams that answer calls. The standing stream is not one of them. */
  readonly streams = new Set<EventStream>();
  /** Running calls by request id, by which the client can cancel them. */
  readonly calls = new Map<Id, { cancel(): void }>();
  readonly #questions = new Map<string, (answer: ClientAnswer) => void>();
  readonly #subscribed = new SubscribedResources();
  /** The session context of the request that opened the standing stream. */
  context: ResolvedContext | undefined;
  /** Called when the client has changed its subscriptions through another process. */
  onSubscriptions: (() => void) | undefined;
  #standing: EventStream | undefined;
  #standingNumber = 0;
  #announceStanding: () => void = () => undefined;
  #missed = 0;

  get isIdle(): boolean {
    return !this.#standing && this.streams.size === 0 && this.#questions.size === 0 && this.calls.size === 0;
  }

  /** The stream that the client holds open with GET, or may reconnect to. */
  get standing(): EventStream | undefined {
    return this.#standing;
  }

  /** Replaces the standing stream, of which a session has one. `announce` tells other processes the new number. */
  openStandingStream(stream: EventStream, number = 0, announce: () => void = () => undefined): void {
    this.#standing?.end();
    this.#standing = stream;
    this.#standingNumber = number;
    this.#announceStanding = announce;
    this.#missed = 0;
    announce();
  }

  /** Watches the resources that the client is subscribed to. Updates need a standing stream, so without one nothing is watched. */
  watchResources(uris: readonly string[], watch: WatchResource): void {
    if (this.#standing) this.#subscribed.sync(uris, watch);
  }

  /**
   * Ends the standing stream if another process opened a newer one for this session, and returns whether it did. If the other
   * stream is older, its process may have missed the announcement of ours, so it is announced again.
   */
  replaceIfNewer(number: number): boolean {
    if (!this.#standing) return false;
    if (number <= this.#standingNumber) {
      if (number < this.#standingNumber) this.#announceStanding();
      return false;
    }
    this.#dropStanding();
    return true;
  }

  findStream(id: string): EventStream | undefined {
    if (this.#standing?.id === id) return this.#standing;
    return [...this.streams].find((stream) => stream.id === id);
  }

  /** Sends a comment on every stream, and drops a standing stream whose client does not come back. */
  keepAlive(): void {
    for (const stream of this.streams) stream.keepAlive();
    this.#standing?.keepAlive();
    this.#missed = this.#standing?.isConnected ? 0 : this.#missed + 1;
    if (this.#missed > MAX_MISSED) this.#dropStanding();
  }

  /** Drops a standing stream whose client disconnected before the first event, because it has no event id to resume after. */
  leave(stream: EventStream): void {
    if (this.#standing === stream && stream.isUntouched) this.#dropStanding();
  }

  cancel(id: Id): boolean {
    const call = this.calls.get(id);
    call?.cancel();
    return call !== undefined;
  }

  /** Sends a question and waits for its answer. */
  ask(id: string, send: () => void): Promise<ClientAnswer> {
    const answered = new Promise<ClientAnswer>((resolve) => {
      this.#questions.set(id, resolve);
      send();
    });
    return answered.finally(() => this.#questions.delete(id));
  }

  answer(id: unknown, answer: ClientAnswer): boolean {
    const resolve = typeof id === 'string' ? this.#questions.get(id) : undefined;
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** Ends questions and the standing stream. Running calls are still answered. */
  close(): void {
    for (const answer of this.#questions.values()) answer({ error: 'The connection has ended.' });
    this.#dropStanding();
  }

  /** Cancels all calls and ends all streams, because the session has ended. */
  end(): void {
    for (const call of this.calls.values()) call.cancel();
    this.close();
    for (const stream of this.streams) stream.end();
    this.streams.clear();
  }

  #dropStanding(): void {
    this.#standing?.end();
    this.#standing = undefined;
    this.#subscribed.close();
  }
}

/** Keeps the sessions with running work in this process, and the streams that ended recently. */
export class LiveSessions {
  readonly sessions = new Map<string, LiveSession>();
  readonly #ended = new LRUCache<string, EventStream>({
    ...ENDED,
    sizeCalculation: (stream) => stream.keptLength + 1,
  });

  getOrCreate(id: string): LiveSession {
    return getOrMake(this.sessions, id, () => new LiveSession());
  }

  end(id: string): void {
    this.sessions.get(id)?.end();
    this.sessions.delete(id);
  }

  forgetIdle(id: string): void {
    if (this.sessions.get(id)?.isIdle === true) this.sessions.delete(id);
  }

  /** Keeps the ended stream of a call for a while, if the client can resume it. */
  keepEnded(session: string, stream: EventStream): void {
    if (stream.id !== undefined) this.#ended.set(`${session} ${stream.id}`, stream);
  }

  findStream(session: string, stream: string): EventStream | undefined {
    return this.sessions.get(session)?.findStream(stream) ?? this.#ended.get(`${session} ${stream}`);
  }

  /** Delivers a message to a session, and returns whether the session had the call, question or stream that it is about. */
  deliver(id: string, message: SessionMessage): boolean {
    const live = this.sessions.get(id);
    if (!live) return false;
    if (message.kind === 'tools') return this.announceTools(id);
    if (message.kind === 'subscriptions') {
      live.onSubscriptions?.();
      return live.standing !== undefined;
    }
    if (message.kind === 'stand') return live.replaceIfNewer(Number(message.id));
    return message.kind === 'answer' ? live.answer(message.id, message) : live.cancel(message.id);
  }

  /** Delivers a message from another process, which names its session only by a digest. */
  deliverWhere(isMeant: (id: string) => boolean, message: SessionMessage): boolean {
    for (const id of this.sessions.keys()) if (isMeant(id)) return this.deliver(id, message);
    return false;
  }

  /** Notifies a client that its list of tools has changed. Returns whether the client has a standing stream here. */
  announceTools(id: string): boolean {
    const standing = this.sessions.get(id)?.standing;
    if (standing?.isConnected !== true) return false;
    standing.send(writeNotification(TOOLS_CHANGED));
    return true;
  }
}
