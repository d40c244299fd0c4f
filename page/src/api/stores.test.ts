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
