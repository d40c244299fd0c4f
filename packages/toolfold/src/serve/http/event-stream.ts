import type { Events, EventSink } from './request-response.js';

/** Limits of the events that are kept for a client that reconnects. */
const MAX_KEPT_EVENTS = 1_000;
const MAX_KEPT_LENGTH = 1024 * 1024;
/** Milliseconds that a client waits before it reconnects. */
const RETRY_MS = 1_000;

/** Records events, so that a client can reconnect to another process. */
export interface Recorder {
  /** `json` is empty for an event without data. */
  append(number: number, json: string): void;
  end(): void;
}

export function formatEvent(stream: string | undefined, number: number, json: string): string {
  const id = stream === undefined ? '' : `id: ${stream}_${number}\n`;
  return json === '' ? `${id}retry: ${RETRY_MS}\ndata: \n\n` : `${id}event: message\ndata: ${json}\n\n`;
}

/**
 * The events for one client, in order. A stream with an id numbers and keeps its events, so that a client that lost its
 * connection can fetch the events it missed.
 */
export class EventStream {
  readonly id: string | undefined;
  readonly #recorder: Recorder | undefined;
  #kept: { readonly number: number; readonly text: string }[] = [];
  #keptLength = 0;
  #isKeeping = true;
  #count = 0;
  #sink: EventSink | undefined;
  #isOver = false;
  /** Whether the next connection is closed as soon as it has the kept events. */
  #isReleased = false;
  onDisconnect: (() => void) | undefined;

  constructor(id?: string, recorder?: Recorder) {
    this.id = id;
    this.#recorder = id === undefined ? undefined : recorder;
  }

  get isConnected(): boolean {
    return this.#sink !== undefined;
  }

  get isUntouched(): boolean {
    return this.#count === 0;
  }

  /** Length of the kept events in characters, by which caches of ended streams are limited. */
  get keptLength(): number {
    return this.#keptLength;
  }

  /** Sends an event without data. Its number lets a client reconnect before the first message. */
  prime(): void {
    if (this.id !== undefined) this.#emit('');
  }

  send(json: string): void {
    if (!this.#isOver) this.#emit(json);
  }

  /** Sends a comment, so that proxies do not close an idle connection. */
  keepAlive(): void {
    this.#write(': keepalive\n\n');
  }

  end(): void {
    if (!this.#isOver) this.#recorder?.end();
    this.#isOver = true;
    this.release();
  }

  /** Closes the connection but not the stream. The client reconnects for the events that follow. */
  release(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink) sink.end();
    else this.#isReleased = true;
  }

  has(after: number): boolean {
    const [first] = this.#kept;
    return after <= this.#count && (first === undefined ? after === this.#count : after >= first.number - 1);
  }

  /** Sends the events after a number and all that follow. A new connection replaces the current one. */
  connect(after = 0): Events {
    return (sink) => {
      if (this.#sink) this.release();
      this.#sink = sink;
      sink.onClose(() => {
        if (this.#sink !== sink) return;
        this.#sink = undefined;
        if (!this.#isOver) this.onDisconnect?.();
      });
      for (const { number, text } of this.#kept) if (number > after) this.#write(text);
      // A client cannot reconnect to a stream without an id, so its events are kept only until it has connected.
      if (this.id === undefined) {
        this.#isKeeping = false;
        this.#kept = [];
        this.#keptLength = 0;
      }
      if (this.#isOver || this.#isReleased) this.release();
      this.#isReleased = false;
    };
  }

  #emit(json: string): void {
    this.#count++;
    this.#recorder?.append(this.#count, json);
    const event = formatEvent(this.id, this.#count, json);
    if (this.#isKeeping) this.#keep(event);
    this.#write(event);
  }

  #keep(text: string): void {
    this.#kept.push({ number: this.#count, text });
    this.#keptLength += text.length;
    while (
      this.#kept.length > MAX_KEPT_EVENTS ||
      (this.#keptLength > MAX_KEPT_LENGTH && this.#kept.length > 1)
    )
      this.#keptLength -= this.#kept.shift()?.text.length ?? 0;
  }

  #write(text: string): void {
    const sink = this.#sink;
    if (!sink || sink.write(text)) return;
    this.#sink = undefined;
    sink.end();
    if (!this.#isOver) this.onDisconnect?.();
  }
}

export function readEventId(id: string): { stream: string; number: number } | undefined {
  const [, stream, number] = /^([\w-]{1,64})_(\d{1,9})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
