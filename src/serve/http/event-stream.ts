import type { Events, EventSink } from './request-response.js';

/** What is kept for a client that comes back. */
const MAX_KEPT_EVENTS = 1_000;
const MAX_KEPT_LENGTH = 1024 * 1024;
/** How long a client waits before it comes back. */
const RETRY_MS = 1_000;

/** Writes down what is sent, for clients that come back elsewhere. */
export interface Recorder {
  /** An event without data is an empty text. */
  append(number: number, json: string): void;
  end(): void;
}

/** An event as it is sent. */
export function formatEvent(stream: string | undefined, number: number, json: string): string {
  const id = stream === undefined ? '' : `id: ${stream}_${number}\n`;
  return json === '' ? `${id}retry: ${RETRY_MS}\ndata: \n\n` : `${id}event: message\ndata: ${json}\n\n`;
}

/**
 * Events for one client, in order. With an id they are numbered and kept, so that a client which lost its connection
 * can have what it missed.
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
  /** Whether the connection is let go as soon as there is one. */
  #isReleased = false;
  #onDisconnect: (() => void) | undefined;

  constructor(id?: string, recorder?: Recorder) {
    this.id = id;
    this.#recorder = id === undefined ? undefined : recorder;
  }

  get isConnected(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether nothing was ever sent. */
  get isUntouched(): boolean {
    return this.#count === 0;
  }

  /** How much is kept, in characters. */
  get keptLength(): number {
    return this.#keptLength;
  }

  /** Told when the client goes away before the end. */
  onDisconnect(listener: () => void): void {
    this.#onDisconnect = listener;
  }

  /** An event without data, whose number a client can come back with before there is anything else. */
  prime(): void {
    if (this.id !== undefined) this.#emit('');
  }

  /** Sends a message that is written as JSON already. */
  send(json: string): void {
    if (!this.#isOver) this.#emit(json);
  }

  /** Says that the connection is still there. */
  keepAlive(): void {
    this.#write(': keepalive\n\n');
  }

  /** Nothing comes any more. */
  end(): void {
    if (!this.#isOver) this.#recorder?.end();
    this.#isOver = true;
    this.release();
  }

  /** Lets the connection go. Where events are kept, the client comes back for the others. */
  release(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink) sink.end();
    else this.#isReleased = true;
  }

  /** Whether everything after that number is still there. */
  has(after: number): boolean {
    const [first] = this.#kept;
    return after <= this.#count && (first === undefined ? after === this.#count : after >= first.number - 1);
  }

  /** Sends what comes after a number, and then whatever comes. One connection at a time: a new one takes over. */
  connect(after = 0): Events {
    return (sink) => {
      if (this.#sink) this.release();
      this.#sink = sink;
      sink.onClose(() => {
        if (this.#sink !== sink) return;
        this.#sink = undefined;
        if (!this.#isOver) this.#onDisconnect?.();
      });
      for (const { number, text } of this.#kept) if (number > after) this.#write(text);
      // Without an id nobody comes back: they were kept only until there was a connection.
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
    if (!this.#isOver) this.#onDisconnect?.();
  }
}

/** The number in an event's id, and the stream that it is of. */
export function readEventId(id: string): { stream: string; number: number } | undefined {
  const [, stream, number] = /^([\w-]{1,64})_(\d{1,9})$/.exec(id) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
