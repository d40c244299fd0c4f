import { EVENT_HEADERS } from './edge.js';
import type { EdgeAnswer } from './edge.js';
import { EventStream } from './event-stream.js';

/**
 * The answer to one request, of which nobody knows yet whether it is all that comes back. It is plain JSON unless
 * something has to be said before; then it becomes a stream.
 */
export class Exchange {
  readonly answer: Promise<EdgeAnswer>;
  #resolve!: (answer: EdgeAnswer) => void;
  #stream: EventStream | undefined;
  #isFinished = false;
  readonly #createStream: () => EventStream;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    createStream: () => EventStream = () => new EventStream(),
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#createStream = createStream;
    this.#headers = headers;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** What to answer with instead, where nothing has been said yet. */
  refusal: EdgeAnswer | undefined;

  get stream(): EventStream | undefined {
    return this.#stream;
  }

  /** The stream, from now on; `undefined` where the answer has gone out without one. */
  open(): EventStream | undefined {
    if (this.#stream || this.#isFinished) return this.#stream;
    const stream = (this.#stream = this.#createStream());
    stream.prime();
    const headers = { ...EVENT_HEADERS, ...this.#headers };
    this.#resolve({ status: 200, headers, body: stream.connect() });
    return stream;
  }

  notify(method: string, params: object): void {
    this.open()?.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a question, which is answered in another request. */
  ask(json: string): void {
    this.open()?.send(json);
  }

  finish(answer: EdgeAnswer & { readonly body: string }): void {
    this.#isFinished = true;
    if (this.#stream) {
      this.#stream.send(answer.body);
      this.#stream.end();
    } else this.#resolve({ ...answer, headers: { ...this.#headers, ...answer.headers } });
  }

  /** Ends with the answers to all requests that came in one body. Cancelled ones have none. */
  finishAll(answers: readonly string[], isBatch: boolean): void {
    this.#isFinished = true;
    if (this.#stream) {
      for (const answer of answers) this.#stream.send(answer);
      this.#stream.end();
    } else if (this.refusal && !isBatch) this.#resolve(this.refusal);
    else if (answers.length === 0) this.#resolve({ status: 202, headers: this.#headers, body: undefined });
    else {
      const body = isBatch ? `[${answers.join(',')}]` : (answers[0] as string);
      this.#resolve({ status: 200, headers: this.#headers, body });
    }
  }
}
