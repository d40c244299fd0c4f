import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveCall, PageEvent } from '../../../src/page-events.js';

const toCall = (id: number, at = id): LiveCall => ({
  id,
  at,
  address: 'shop/list',
  caller: 'anonymous',
  ms: 1,
  outcome: 'ok',
  isError: false,
  tokens: 1,
  steps: [],
});

/** The streams that the page has asked for. */
let streams: { readonly send: (event: PageEvent) => void; readonly signal: AbortSignal }[] = [];
let look: () => void = () => {};
const page = { visibilityState: 'visible' };

function show(state: 'visible' | 'hidden'): void {
  page.visibilityState = state;
  look();
}

async function follow() {
  const { followEvents, onEvent, connection } = await import('./events.js');
  const events: Extract<PageEvent, { event: 'calls' }>[] = [];
  onEvent('calls', (event) => events.push(event));
  void followEvents(() => {});
  await vi.waitUntil(() => streams.length === 1);
  return { events, connection };
}

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  streams = [];
  page.visibilityState = 'visible';
  vi.stubGlobal('location', { hash: '', pathname: '/', origin: 'http://localhost' });
  vi.stubGlobal('sessionStorage', { getItem: () => 'secret', setItem: () => {} });
  vi.stubGlobal(
    'document',
    Object.assign(page, { addEventListener: (_name: string, listener: () => void) => (look = listener) }),
  );
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => undefined));
    streams.push({
      signal,
      send: (event) =>
        void writer
          .write(new TextEncoder().encode(`event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`))
          .catch(() => undefined),
    });
    return Promise.resolve(new Response(readable));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the events of the page', () => {
  it('end in a hidden tab, so that six tabs do not take all connections, and go on when it is shown', async () => {
    const { connection } = await follow();
    show('hidden');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(connection.value).toBe('connecting');
    show('visible');
    await vi.waitUntil(() => connection.value === 'live');
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it('go on during a short look at another tab', async () => {
    await follow();
    show('hidden');
    await vi.advanceTimersByTimeAsync(1_000);
    show('visible');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it('tell each call once, although the server sends the recent calls again after a reconnect', async () => {
    const { events, connection } = await follow();
    streams[0]?.send({ event: 'calls', seen: 5, calls: [toCall(1), toCall(2)] });
    await vi.waitUntil(() => events.length === 1);
    show('hidden');
    await vi.advanceTimersByTimeAsync(60_000);
    show('visible');
    await vi.waitUntil(() => connection.value === 'live');
    streams[1]?.send({ event: 'calls', seen: 3, calls: [toCall(1), toCall(2), toCall(3)] });
    await vi.waitUntil(() => events.length === 2);
    expect(events.map(({ seen, calls }) => [seen, calls.map(({ id }) => id)])).toEqual([
      [5, [1, 2]],
      [1, [3]],
    ]);
  });

  it('tell the calls of a server that was started again and counts from 1', async () => {
    const { events } = await follow();
    streams[0]?.send({ event: 'calls', seen: 2, calls: [toCall(1), toCall(2)] });
    streams[0]?.send({ event: 'calls', seen: 1, calls: [toCall(1, 999)] });
    await vi.waitUntil(() => events.length === 2);
    expect(events[1]?.calls.map(({ at }) => at)).toEqual([999]);
  });
});
