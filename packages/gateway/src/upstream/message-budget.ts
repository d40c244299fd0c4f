import { ErrUpstreamLost } from 'toolfold/errors';
import type { ConnectionSettings } from './options.js';

/** A server may send this many messages in a second, besides answers to requests. A message counts once more for each 4 kB. */
const MESSAGES_PER_SECOND = 1_000;
const BYTES_PER_MESSAGE = 4_000;
/** So many messages are read at once before the rate applies. */
const BURST = 1_000;
/** Reading pauses each time that a server has exceeded the rate by this many messages without a break. */
const PAUSE_EVERY = 10_000;
const PAUSE_MS = 5_000;
/** A server that exceeds the rate by this many messages without a break is cut off. */
const MAX_EXCESS = 30_000;
/** The event loop gets a turn after this many messages. */
const TURN = 50;

/**
 * Limits how fast the messages of one server are read, so that its flood does not delay the other servers. A server that sends more has to
 * wait, because its output is not read; if it goes on, reading pauses, and then the server is cut off.
 */
export class MessageBudget {
  readonly #name: string;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  /** The messages that were read, minus those that the rate allows since. */
  #level = 0;
  #measuredAt: number;
  #excess = 0;
  #inTurn = 0;
  /** Requests without an answer yet. Their answers do not count, because callers wait for them. */
  #owed = 0;
  #wasCut = false;

  constructor(name: string, onError: (error: unknown) => void, now: () => number = () => performance.now()) {
    this.#name = name;
    this.#onError = onError;
    this.#now = now;
    this.#measuredAt = now();
  }

  /** Call this for each request to the server. */
  expectAnswer(): void {
    this.#owed++;
  }

  /** Counts a message. Throws if the server is cut off. */
  count(isAnswer: boolean, bytes: number, weight = 1): void {
    this.#inTurn++;
    if (isAnswer && this.#owed > 0) {
      this.#owed--;
      return;
    }
    this.#drain();
    const cost = weight + bytes / BYTES_PER_MESSAGE;
    this.#level += cost;
    if (this.#level <= BURST) return;
    const pauses = Math.floor(this.#excess / PAUSE_EVERY);
    this.#excess += cost;
    if (this.#excess > MAX_EXCESS) throw this.#cut();
    if (Math.floor(this.#excess / PAUSE_EVERY) === pauses) return;
    if (pauses === 0) this.#onError(this.#flood('Its messages are delayed'));
    // A pause does not add to the budget.
    this.#measuredAt += PAUSE_MS;
  }

  /** Milliseconds to wait before the next message is read, or `undefined` if it can be read at once. */
  get restMs(): number | undefined {
    this.#drain();
    const paused = this.#measuredAt - this.#now();
    const late = ((this.#level - BURST) * 1_000) / MESSAGES_PER_SECOND;
    if (late > 0) return Math.max(paused, 0) + late;
    return this.#inTurn >= TURN ? 0 : undefined;
  }

  /** Waits until the next message may be read, and gives the event loop a turn after some messages. */
  async rest(): Promise<void> {
    const ms = this.restMs ?? 0;
    this.#inTurn = 0;
    // A timer of 0 ms would take 1 ms.
    await new Promise<void>((resolve) => {
      if (ms === 0) setImmediate(resolve);
      else setTimeout(resolve, ms).unref();
    });
  }

  /** Whether the server was cut off since the previous call of this method. */
  takeCut(): boolean {
    const wasCut = this.#wasCut;
    this.#wasCut = false;
    return wasCut;
  }

  #drain(): void {
    const now = this.#now();
    if (now <= this.#measuredAt) return;
    this.#level = Math.max(0, this.#level - ((now - this.#measuredAt) * MESSAGES_PER_SECOND) / 1_000);
    this.#measuredAt = now;
    if (this.#level < BURST / 2) this.#excess = 0;
  }

  #cut(): ErrUpstreamLost {
    this.#level = this.#excess = 0;
    this.#wasCut = true;
    return this.#flood('It is cut off');
  }

  #flood(consequence: string): ErrUpstreamLost {
    return new ErrUpstreamLost(
      `The server "${this.#name}" sends more than ${MESSAGES_PER_SECOND} messages or ${(MESSAGES_PER_SECOND * BYTES_PER_MESSAGE) / 1e6} MB in a second without being asked. ${consequence}.`,
      { details: { upstream: this.#name } },
    );
  }
}

const budgets = new WeakMap<ConnectionSettings, MessageBudget>();

/** Returns the budget of a server, which all of its connections share. */
export function budgetOf(settings: ConnectionSettings): MessageBudget {
  const known = budgets.get(settings) ?? new MessageBudget(settings.name, settings.onError);
  budgets.set(settings, known);
  return known;
}
