import { missingCapabilities } from '../../protocol/input-required.js';
import type { WireQuestion } from '../../protocol/input-required.js';
import { ErrInputUnavailable } from '../../errors.js';
import { randomId } from '../../values/random-id.js';
import type { AskClient } from '../../questions/request-input.js';
import type { SessionRecord } from '../../stores/session-store.js';
import type { JsonOrSseResponse } from '../http/json-or-sse-response.js';
import type { LiveSession } from './live-session.js';

/** Puts questions to the client on the stream of the call that has them. */
export class SessionAsker {
  readonly #capabilities: SessionRecord['capabilities'];
  readonly #live: LiveSession;
  readonly #exchange: JsonOrSseResponse;
  readonly #signal: () => AbortSignal;
  /** Those that wait for their answers. */
  #open: Set<string> | undefined;
  #isOver = false;

  constructor(
    capabilities: SessionRecord['capabilities'],
    live: LiveSession,
    exchange: JsonOrSseResponse,
    signal: () => AbortSignal,
  ) {
    this.#capabilities = capabilities;
    this.#live = live;
    this.#exchange = exchange;
    this.#signal = signal;
  }

  readonly ask: AskClient = async (questions) => {
    const missing = missingCapabilities(questions, this.#capabilities);
    if (missing)
      throw new ErrInputUnavailable(
        `The client cannot be asked: it has no ${Object.keys(missing).join(', ')}.`,
      );
    const answers = Object.entries(questions).map(
      async ([key, question]) => [key, await this.#put(question)] as const,
    );
    return Object.fromEntries(await Promise.all(answers));
  };

  /** The call is over: a handler that did not wait for its questions leaves none behind. */
  end(): void {
    this.#isOver = true;
    for (const id of this.#open ?? []) this.#live.answer(id, { error: 'The call has ended.' });
  }

  async #put({ method, params: { mode, ...others } }: WireQuestion): Promise<unknown> {
    if (this.#isOver) throw new ErrInputUnavailable('The call has ended.');
    const id = randomId();
    // Clients of 2025-06-18 know forms only, and no word for them.
    const params = mode === undefined || mode === 'form' ? others : { mode, ...others };
    const open = (this.#open ??= new Set());
    const send = (): void => this.#exchange.ask(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    try {
      open.add(id);
      const { result, error } = await this.#live.ask(id, send, this.#signal());
      if (error === undefined) return result;
      throw new ErrInputUnavailable('The client did not take the question.', { cause: error });
    } finally {
      open.delete(id);
    }
  }
}
