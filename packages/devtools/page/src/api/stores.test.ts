import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** Answers the next requests to a path, by path. */
let answers: Record<string, object[]>;
let sendEvent: (event: string, data: object) => void;

beforeEach(() => {
  vi.resetModules();
  answers = {};
  vi.stubGlobal('location', { hash: '', pathname: '/', origin: 'http://localhost' });
  vi.stubGlobal('sessionStorage', { getItem: () => 'secret', setItem: () => {} });
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => {} });
  vi.stubGlobal('fetch', (path: string) => {
    if (path !== '/api/events') {
      const [answer = { byNode: {} }, ...rest] = answers[path] ?? [];
      if (rest.length > 0) answers[path] = rest;
      return Promise.resolve(Response.json(answer));
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    sendEvent = (event, data) =>
      void writer.write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    return Promise.resolve(new Response(readable));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const at = (revision: number): object => ({ revision, nodes: [] });

describe('the tree of the page', () => {
  it('is loaded again if the server changed between the answers about the server and the tree', async () => {
    answers = { '/api/server': [at(2)], '/api/tree': [at(1), at(2)] };
    const { followServer, tree } = await import('./stores.js');
    followServer();
    await vi.waitUntil(() => tree.value?.revision === 2);
  });

  it('is loaded again after a change, with its tokens and findings', async () => {
    answers = {
      '/api/server': [at(1), at(2)],
      '/api/tree': [at(1), at(2)],
      '/api/tree/tokens': [
        { total: 10, byNode: {} },
        { total: 20, byNode: {} },
      ],
    };
    const { followServer, tree, tokens, findings } = await import('./stores.js');
    followServer();
    await vi.waitUntil(() => tokens.value?.total === 10 && findings.value !== undefined);
    sendEvent('change', { revision: 2 });
    await vi.waitUntil(() => tokens.value?.total === 20);
    expect(tree.value?.revision).toBe(2);
  });
});

describe('a request of the page', () => {
  it('is repeated if another token arrives before its refusal has been read', async () => {
    const listeners: ((event: { oldURL: string }) => void)[] = [];
    const place = { hash: '', pathname: '/' };
    vi.stubGlobal('location', place);
    vi.stubGlobal('history', { replaceState: () => (place.hash = '') });
    vi.stubGlobal('addEventListener', (_: string, listen: (typeof listeners)[number]) =>
      listeners.push(listen),
    );
    vi.stubGlobal('fetch', (_: string, { headers }: { headers: Headers }) => {
      if (headers.get('x-toolfold-token') === 'valid') return Promise.resolve(Response.json(at(1)));
      const refusal = Response.json({}, { status: 401 });
      // The token arrives after the headers of the refusal.
      vi.spyOn(refusal, 'json').mockImplementation(() => {
        place.hash = '#token=valid';
        for (const listen of listeners) listen({ oldURL: 'http://localhost/#/try' });
        return Promise.resolve({});
      });
      return Promise.resolve(refusal);
    });
    const { followAddress } = await import('./token.js');
    followAddress(() => false);
    const { api } = await import('./client.js');
    expect(await api.tree()).toEqual(at(1));
  });
});
