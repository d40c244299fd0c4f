import type { LiveCall, PageEvent } from '../../../src/devtools/page-events.js';

type CallsEvent = Extract<PageEvent, { event: 'calls' }>;

/** Calls that are remembered: more than the server sends to a page that connects. */
const REMEMBERED = 1_000;

/** Leaves out the calls that a page has received before: the server sends the recent calls again when it connects again. */
export class KnownCalls {
  readonly #keys = new Set<string>();

  fresh(event: CallsEvent): CallsEvent {
    const calls = event.calls.filter((call) => this.#add(call));
    return { ...event, seen: event.seen - (event.calls.length - calls.length), calls };
  }

  #add({ id, at }: LiveCall): boolean {
    // A server that was started again counts from 1, so the number alone does not tell.
    const key = `${id} ${at}`;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > REMEMBERED) for (const oldest of this.#keys) return this.#keys.delete(oldest);
    return true;
  }
}
