import { ErrInputUnavailable } from '../../errors.js';
import type { EventStream } from '../http/event-stream.js';
import { isId } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';

/** What a client answered to a question. */
export interface ClientAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** How often in a row a stream may be found without its client before it is forgotten: five minutes. */
const MAX_MISSED = 20;

/** What this process holds of a session while something goes on in it: streams, questions and calls. */
export class LiveSession {
  /** Streams of calls by their ids. */
  readonly streams = new Map<string, EventStream>();
  #standing: EventStream | undefined;
  #number = 0;
  #say: () => void = () => undefined;
  #missed = 0;
  readonly #questions = new Map<string, (answer: ClientAnswer) => void>();
  readonly #calls = new Map<string, () => void>();

  get isIdle(): boolean {
    return !this.#standing && this.streams.size === 0 && this.#questions.size === 0 && this.#calls.size === 0;
  }

  /** The stream that the client holds open with GET, or may come back to. */
  get standing(): EventStream | undefined {
    return this.#standing;
  }

  /** Takes another standing stream; there is one at a time. `say` tells other processes of it and its number. */
  stand(stream: EventStream, number = 0, say: () => void = () => undefined): void {
    this.#standing?.end();
    this.#standing = stream;
    this.#number = number;
    this.#say = say;
    this.#missed = 0;
    say();
  }

  /**
   * Another process has a standing stream of this session, with which number: the later one is the one. Whoever has an
   * earlier one was perhaps not there yet when this one was told of, and is told again.
   */
  yieldTo(number: number): boolean {
    if (!this.#standing) return false;
    if (number <= this.#number) {
      if (number < this.#number) this.#say();
      return false;
    }
    this.#standing.end();
    this.#standing = undefined;
    return true;
  }

  findStream(id: string): EventStream | undefined {
    return this.#standing?.id === id ? this.#standing : this.streams.get(id);
  }

  /** Says on every stream that it is still there. A standing one to which nobody comes back is forgotten. */
  keepAlive(): void {
    for (const stream of this.streams.values()) stream.keepAlive();
    const standing = this.#standing;
    standing?.keepAlive();
    this.#missed = standing?.isConnected ? 0 : this.#missed + 1;
    if (this.#missed <= MAX_MISSED) return;
    standing?.end();
    this.#standing = undefined;
  }

  /** The client left its standing stream. Where it heard nothing on it, it has nothing to come back with. */
  leave(stream: EventStream): void {
    if (this.#standing === stream && stream.isUntouched) this.#standing = undefined;
  }

  /** Begins a call, which the client may cancel by its id. The result ends it. */
  begin(id: Id, cancel: () => void): () => void {
    const key = keyOf(id);
    this.#calls.set(key, cancel);
    return () => {
      if (this.#calls.get(key) === cancel) this.#calls.delete(key);
    };
  }

  /** The id is what a client says it is. Whether there was such a call. */
  cancel(id: unknown): boolean {
    const cancel = isId(id) ? this.#calls.get(keyOf(id)) : undefined;
    cancel?.();
    return cancel !== undefined;
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
      try {
        send();
      } catch (error) {
        end();
        reject(error as Error);
      }
    });
  }

  /** Nobody may have asked, or not any more. Whether somebody had. */
  answer(id: unknown, answer: ClientAnswer): boolean {
    const hear = typeof id === 'string' ? this.#questions.get(id) : undefined;
    hear?.(answer);
    return hear !== undefined;
  }

  /** Nobody answers any more, and nothing is to be heard but the answers to calls that run. */
  close(): void {
    for (const answer of this.#questions.values()) answer({ error: 'The connection has ended.' });
    this.#standing?.end();
    this.#standing = undefined;
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
