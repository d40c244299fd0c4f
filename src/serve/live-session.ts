import { ErrInputUnavailable } from '../errors.js';
import type { EventStream } from './event-stream.js';
import { isId } from './messages.js';
import type { Id } from './messages.js';

/** What a client answered to a question. */
export interface ClientAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The stream that a client holds open with GET. */
export const STANDALONE = 'get';

/** What this process holds of a session while something goes on in it: streams, questions and calls. */
export class LiveSession {
  /** Streams of calls by their ids, and the one of GET. */
  readonly streams = new Map<string, EventStream>();
  readonly #questions = new Map<string, (answer: ClientAnswer) => void>();
  readonly #calls = new Map<string, () => void>();

  get isIdle(): boolean {
    return this.streams.size === 0 && this.#questions.size === 0 && this.#calls.size === 0;
  }

  /** Begins a call, which the client may cancel by its id. The result ends it. */
  begin(id: Id, cancel: () => void): () => void {
    const key = keyOf(id);
    this.#calls.set(key, cancel);
    return () => {
      if (this.#calls.get(key) === cancel) this.#calls.delete(key);
    };
  }

  /** The id is what a client says it is. */
  cancel(id: unknown): void {
    if (isId(id)) this.#calls.get(keyOf(id))?.();
  }

  /** Puts a question to the client and waits; until `signal` says that nobody wants to know any more. */
  ask(id: string, send: () => void, signal: AbortSignal): Promise<ClientAnswer> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#questions.delete(id);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        end();
        reject(new ErrInputUnavailable('The call ended before the client answered.'));
      };
      if (signal.aborted) {
        giveUp();
        return;
      }
      signal.addEventListener('abort', giveUp);
      this.#questions.set(id, (answer) => {
        end();
        resolve(answer);
      });
      send();
    });
  }

  /** Nobody may have asked, or not any more. */
  answer(id: unknown, answer: ClientAnswer): void {
    if (typeof id === 'string') this.#questions.get(id)?.(answer);
  }

  /** Nobody answers any more, and nothing is to be heard but the answers to calls that run. */
  close(): void {
    for (const answer of this.#questions.values()) answer({ error: 'The connection has ended.' });
    this.streams.get(STANDALONE)?.end();
    this.streams.delete(STANDALONE);
  }

  /** The session has ended, and all that goes on in it. */
  end(): void {
    for (const cancel of this.#calls.values()) cancel();
    this.close();
    for (const stream of this.streams.values()) stream.end();
    this.streams.clear();
  }
}

/** `1` and `"1"` are two requests. */
function keyOf(id: Id): string {
  return `${typeof id} ${id}`;
}
