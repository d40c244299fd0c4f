import { ErrInputUnavailable } from '@toolfold/schema/errors';
import { EVENT_HEADERS } from './request-response.js';
import type { EdgeAnswer, Written, WrittenAnswer } from './request-response.js';
import { EventStream } from './event-stream.js';
import { textOf, writeNotification } from './write-message.js';

interface JsonOrSseOptions {
  readonly createStream?: () => EventStream;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasRoom?: () => boolean;
}

/**
 * The response to one request. It is JSON unless the server sends a message before the result, such as progress; then it
 * becomes a stream of server-sent events.
 */
export class JsonOrSseResponse {
  readonly answer: Promise<EdgeAnswer>;
  #resolve!: (answer: EdgeAnswer) => void;
  stream: EventStream | undefined;
  #isFinished = false;
  readonly #options: JsonOrSseOptions;

  constructor(options: JsonOrSseOptions = {}) {
    this.#options = options;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** An error response that replaces the result, unless the response has become a stream. */
  rejection: EdgeAnswer | undefined;

  /** Turns the response into a stream. Returns `undefined` if JSON was already sent or the capacity is used up. */
  open(): EventStream | undefined {
    const { createStream, headers, hasRoom } = this.#options;
    if (this.stream || this.#isFinished || hasRoom?.() === false) return this.stream;
    const stream = (this.stream = createStream?.() ?? new EventStream());
    stream.prime();
    this.#resolve({ status: 200, headers: { ...EVENT_HEADERS, ...headers }, body: stream.connect() });
    return stream;
  }

  /** Sends a notification before the result. Without a stream it is dropped, because a call must not fail for it. */
  notify(method: string, params?: object): void {
    this.open()?.send(writeNotification(method, params));
  }

  ask(json: string): void {
    const stream = this.open();
    if (!stream && !this.#isFinished)
      throw new ErrInputUnavailable('The client cannot be asked: there are too many streams.');
    stream?.send(json);
  }

  finish(answer: WrittenAnswer): void {
    this.#isFinished = true;
    if (this.stream) {
      this.stream.send(textOf(answer.body));
      this.stream.end();
    } else this.#resolve({ ...answer, headers: { ...this.#options.headers, ...answer.headers } });
  }

  /** Sends the responses to all requests of one body. Cancelled requests have none. */
  finishAll(answers: readonly Written[], isBatch: boolean): void {
    this.#isFinished = true;
    if (this.stream) {
      for (const answer of answers) this.stream.send(textOf(answer));
      this.stream.end();
    } else if (this.rejection && !isBatch) this.#resolve(this.rejection);
    else if (answers.length === 0) {
      // All requests were cancelled. The body still needs a response, so it is an empty stream.
      const headers = { ...EVENT_HEADERS, ...this.#options.headers };
      this.#resolve({ status: 200, headers, body: (sink) => sink.end() });
    } else {
      const body = isBatch ? `[${answers.map(textOf).join(',')}]` : answers[0];
      this.#resolve({ status: 200, headers: { ...this.#options.headers }, body });
    }
  }
}
