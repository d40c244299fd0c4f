import type { EventSink } from '../../src/serve/http/request-response.js';
import type { EventStream } from '../../src/serve/http/event-stream.js';

/** A connection with limited room that records the written events. */
export class Connection implements EventSink {
  readonly texts: string[] = [];
  isEnded = false;
  readonly #listeners: (() => void)[] = [];
  #room: number;

  constructor(room = Number.POSITIVE_INFINITY) {
    this.#room = room;
  }

  write(text: string): boolean {
    if (this.isEnded || this.#room-- <= 0) return false;
    this.texts.push(text);
    return true;
  }

  end(): void {
    this.isEnded = true;
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The client disconnects. */
  drop(): void {
    this.isEnded = true;
    for (const listener of this.#listeners) listener();
  }

  /** The numbers in the received messages. */
  get numbers(): number[] {
    return this.texts.flatMap((text) => {
      const [, data] = /^data: (\d+)$/m.exec(text) ?? [];
      return data === undefined ? [] : [Number(data)];
    });
  }

  get lastId(): string | undefined {
    return this.texts
      .findLast((text) => text.startsWith('id: '))
      ?.split('\n')[0]
      ?.slice(4);
  }
}

export function connect(stream: EventStream, after?: number, room?: number): Connection {
  const connection = new Connection(room);
  stream.connect(after)(connection);
  return connection;
}

export const sendAll = (stream: EventStream, from: number, to: number): void => {
  for (let number = from; number <= to; number++) stream.send(String(number));
};
