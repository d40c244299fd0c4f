import type { LiveCall, PageEvent } from '../../../src/page-events.js';

type CallsEvent = Extract<PageEvent, { event: 'calls' }>;

/** More than the number of recent calls that the server sends on connect. */
const REMEMBERED = 1_000;

/** Filters calls that the page has received before, because the server sends the recent calls on each connect. */
export class KnownCalls {
  readonly #keys = new Set<string>();

  fresh(event: CallsEvent): CallsEvent {
    const calls = event.calls.filter((call) => this.#add(call));
    return { ...event, seen: event.seen - (event.calls.length - calls.length), calls };
  }

  #add({ id, at }: LiveCall): boolean {
    // A restarted server counts from 1 again, so the id alone is not unique.
    const key = `${id} ${at}`;
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > REMEMBERED) for (const oldest of this.#keys) return this.#keys.delete(oldest);
    return true;
  }
}
