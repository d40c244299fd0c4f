import { signal as createSignal } from '@preact/signals';
import type { PageEvent } from '../../../src/page-events.js';
import { KnownCalls } from './known-calls.js';
import { createSseParser } from './sse.js';
import { currentToken, untilTokenChanges } from './token.js';
import { watchVisibility } from './visibility.js';

/** `refused`: the server has never accepted the token, so retrying does not help. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused';

export const connection = createSignal<ConnectionState>('connecting');

/** Whether the server rejects a token that it accepted before, because it was restarted. */
export const isRestarted = createSignal(false);

type EventOf<K extends PageEvent['event']> = Extract<PageEvent, { event: K }>;
type Listener = (event: PageEvent) => void;

const listeners = new Map<string, Set<Listener>>();

/** Subscribes to events of this name. Returns a function that unsubscribes. */
export function onEvent<K extends PageEvent['event']>(
  name: K,
  listener: (event: EventOf<K>) => void,
): () => void {
  const known = listeners.get(name) ?? new Set();
  listeners.set(name, known);
  // The cast is safe, because listeners only receive events of their name.
  known.add(listener as Listener);
  return () => known.delete(listener as Listener);
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** Milliseconds before the next attempt, after the given number of failures. */
function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), MAX_WAIT_MS);
}

let wake: (() => void) | undefined;

/** Tries to connect at once instead of waiting. */
export function reconnectNow(): void {
  wake?.();
}

/**
 * Receives events, and reconnects when the connection is lost. A hidden tab disconnects, because browsers limit the connections to
 * a host to six for all tabs.
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
      // The token changed while the server checked this one.
      if (currentToken() !== used) continue;
      isRestarted.value = wasLive;
      connection.value = wasLive ? 'lost' : 'refused';
      await untilTokenChanges();
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
    // Show a stopped server and a broken connection alike, as a lost connection.
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
