import { signal as createSignal } from '@preact/signals';
import type { PageEvent } from '../../../src/devtools/page-events.js';
import { KnownCalls } from './known-calls.js';
import { createSseParser } from './sse.js';
import { askForToken, currentToken, untilTokenChanges } from './token.js';
import { watchVisibility } from './visibility.js';

/** `refused`: the server has never accepted the token, so that trying again does not help. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused';

/** The connection to the page's server. */
export const connection = createSignal<ConnectionState>('connecting');

/** Whether the server accepted the token once, and does not any more: it was started again. */
export const isRestarted = createSignal(false);

type EventOf<K extends PageEvent['event']> = Extract<PageEvent, { event: K }>;
type Listener = (event: PageEvent) => void;

const listeners = new Map<string, Set<Listener>>();

/** Calls the listener with every event of this name. Returns a function that removes it. */
export function onEvent<K extends PageEvent['event']>(
  name: K,
  listener: (event: EventOf<K>) => void,
): () => void {
  const known = listeners.get(name) ?? new Set();
  listeners.set(name, known);
  // Events reach only the listeners of their own name.
  known.add(listener as Listener);
  return () => known.delete(listener as Listener);
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** Milliseconds before the next attempt, after a number of failed ones. */
export function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), MAX_WAIT_MS);
}

let wake: (() => void) | undefined;

/** Tries to connect at once instead of after the wait. */
export function reconnectNow(): void {
  wake?.();
}

/**
 * Keeps a connection for events, and connects again after it is lost. A hidden tab has no connection, because browsers open only six
 * to a host for all tabs together.
 */
export async function followEvents(onConnected: () => void): Promise<void> {
  let failures = 0;
  let wasLive = false;
  let isHidden = false;
  let current = new AbortController();
  watchVisibility({
    onHidden: () => {
      isHidden = true;
      current.abort();
    },
    onShown: () => {
      isHidden = false;
      wake?.();
    },
  });
  for (;;) {
    current = new AbortController();
    const used = currentToken();
    const outcome = await readEvents(current.signal, () => {
      failures = 0;
      wasLive = true;
      isRestarted.value = false;
      connection.value = 'live';
      onConnected();
    });
    if (outcome === 'refused') {
      // Another token arrived while the server checked this one.
      if (currentToken() !== used) continue;
      isRestarted.value = wasLive;
      connection.value = wasLive ? 'lost' : 'refused';
      const changed = untilTokenChanges();
      askForToken();
      await changed;
      continue;
    }
    const isPaused = isHidden;
    if (!isPaused) failures++;
    connection.value = isPaused ? 'connecting' : 'lost';
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (!isPaused) setTimeout(resolve, waitAfter(failures));
    });
    wake = undefined;
    connection.value = 'connecting';
  }
}

async function readEvents(signal: AbortSignal, onOpen: () => void): Promise<'ended' | 'refused'> {
  try {
    const response = await fetch('/api/events', { headers: { 'x-toolfold-token': currentToken() }, signal });
    if (response.status === 401 || response.status === 403) return 'refused';
    if (!response.ok || response.body === null) return 'ended';
    onOpen();
    const parse = createSseParser(dispatch);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      parse(value);
    }
  } catch {
    // The server is gone, or the connection broke: both are shown as a lost connection.
    return 'ended';
  }
}

const knownCalls = new KnownCalls();

function dispatch({ event, data }: { readonly event: string; readonly data: string }): void {
  const known = listeners.get(event);
  if (!known) return;
  const received = { ...(JSON.parse(data) as object), event } as PageEvent;
  const value = received.event === 'calls' ? knownCalls.fresh(received) : received;
  for (const listener of known) listener(value);
}
