import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import type { ShownProfile } from '../../../src/page-api.js';
import type { Call } from './call.js';
import type { Endpoint } from './endpoint.js';
import type * as Pool from './pool.js';
import type * as Questions from './questions.js';
import type * as SendCall from './send-call.js';
import type * as Subscribe from './subscribe.js';

type Answer = (request: Request, body: string) => Response | undefined | Promise<Response | undefined>;

let runs: string[] = [];
let finish: (() => void) | undefined;

const demo = new GroupedToolBuilder('demo')
  .description('Counts its calls')
  .action({
    name: 'echo',
    inputSchema: z.object({ text: z.string() }),
    handler: ({ input }) => {
      runs.push(input.text);
      return input.text;
    },
  })
  .action({
    name: 'wait',
    inputSchema: z.object({}),
    handler: async () => {
      runs.push('wait');
      await new Promise<void>((resolve) => (finish = resolve));
      return 'done';
    },
  });

const registry = new ToolRegistry({ name: 'demo', version: '1.0.0' }).register(demo);
let handler: ReturnType<typeof createHandler>;
let mcp: Pick<typeof SendCall, 'startCall'> &
  Pick<typeof Pool, 'withConnection' | 'closeUnused'> &
  Pick<typeof Subscribe, 'canSubscribe'> &
  Pick<typeof Questions, 'questions'>;
/** The streams that are open, as paths. */
const streams: string[] = [];
let requests: { readonly method: string; readonly body: string }[] = [];
let intercept: Answer = () => undefined;

beforeAll(async () => {
  handler = createHandler(registry, { requestLimit: false });
  vi.stubGlobal('location', { hash: '', pathname: '/', origin: 'http://localhost' });
  vi.stubGlobal('sessionStorage', { getItem: () => 'secret', setItem: () => {} });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.delete('x-toolfold-token');
    const request = new Request(url, { ...init, headers });
    const body = typeof init.body === 'string' ? init.body : '';
    requests.push({ method: request.method, body });
    const response = (await intercept(request, body)) ?? (await handler.fetch(request));
    if (!response.body) return response;
    if (request.method === 'GET' && response.ok) {
      streams.push(url.pathname);
      request.signal.addEventListener('abort', () => streams.splice(streams.indexOf(url.pathname), 1));
    }
    return new Response(
      response.body.pipeThrough(new TransformStream(), { signal: request.signal }),
      response,
    );
  });
  mcp = {
    ...(await import('./send-call.js')),
    ...(await import('./pool.js')),
    ...(await import('./subscribe.js')),
    ...(await import('./questions.js')),
  };
});

afterEach(async () => {
  intercept = () => undefined;
  mcp.closeUnused(0);
  await vi.waitUntil(() => streams.length === 0);
  runs = [];
  requests = [];
});

afterAll(async () => {
  vi.unstubAllGlobals();
  await handler.close();
});

const endpoint = (profile: ShownProfile, era: Endpoint['era'] = '2025'): Endpoint => ({
  form: 'flat',
  profile,
  era,
});

const start = (to: Endpoint, action: string, args: object = {}): Call =>
  mcp.startCall({
    endpoint: to,
    method: 'tools/call',
    params: { name: 'demo', arguments: { action, ...args } },
    asker: `demo/${action}`,
  });

describe('the connections of the page', () => {
  it('are closed when another one is used, because browsers freeze with six of them', async () => {
    for (const profile of ['none', 'portable', 'anthropic', 'openai', 'gemini', 'cursor', 'vscode'] as const)
      await start(endpoint(profile), 'echo', { text: profile }).ended;
    expect(runs).toHaveLength(7);
    await vi.waitFor(() => expect(streams).toEqual(['/mcp/flat/vscode']));
    expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(6);
  });

  it('stay open while a call uses them', async () => {
    const waiting = start(endpoint('none'), 'wait');
    await vi.waitFor(() => expect(runs).toEqual(['wait']));
    for (const profile of ['portable', 'anthropic'] as const)
      await start(endpoint(profile), 'echo', { text: profile }).ended;
    await vi.waitFor(() => expect(streams.toSorted()).toEqual(['/mcp/flat/anthropic', '/mcp/flat/none']));
    finish?.();
    await waiting.ended;
    expect(waiting.outcome.value).toMatchObject({ kind: 'result' });
  });

  it('are all closed in a hidden tab, and opened again', async () => {
    await start(endpoint('none'), 'echo', { text: 'one' }).ended;
    mcp.closeUnused(0);
    await vi.waitFor(() => expect(streams).toEqual([]));
    expect(await mcp.canSubscribe(endpoint('none'))).toBe(false);
    await start(endpoint('none'), 'echo', { text: 'two' }).ended;
    expect(runs).toEqual(['one', 'two']);
  });
});

describe('a call whose session has expired', () => {
  it('is not run twice if the server fails after another request was refused', async () => {
    let fail: (() => void) | undefined;
    let refusals = 0;
    intercept = async (_request, body) => {
      if (body.includes('second') && refusals++ === 0) return new Response(null, { status: 404 });
      if (!body.includes('first')) return undefined;
      await new Promise<void>((resolve) => (fail = resolve));
      return new Response('broken', { status: 502 });
    };
    const first = start(endpoint('none'), 'echo', { text: 'first' });
    await vi.waitFor(() => expect(fail).toBeDefined());
    const second = start(endpoint('none'), 'echo', { text: 'second' });
    await second.ended;
    expect(second.notice.value).toContain('expired');
    fail?.();
    await first.ended;
    expect(first.outcome.value?.kind).toBe('failure');
    expect(requests.filter(({ body }) => body.includes('first'))).toHaveLength(1);
  });
});

describe('the questions of a server', () => {
  it('are answered also if one is named __proto__', async () => {
    intercept = (_request, body) => {
      if (!body.includes('tools/call') || body.includes('inputResponses')) return undefined;
      const { id } = JSON.parse(body) as { id: number };
      const question =
        '{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}}';
      return new Response(
        `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","inputRequests":{"__proto__":${question},"other":${question}},"requestState":"s"}}`,
        { headers: { 'content-type': 'application/json' } },
      );
    };
    const call = start(endpoint('none', '2026'), 'echo', { text: 'asks' });
    for (const name of ['Ada', 'Grace']) {
      await vi.waitFor(() => expect(mcp.questions.value).toHaveLength(1));
      mcp.questions.value[0]?.answer({ action: 'accept', content: { name } });
    }
    await call.ended;
    const { body } = requests.find((each) => each.body.includes('inputResponses')) ?? { body: '' };
    expect(body).toContain('"__proto__":{"action":"accept","content":{"name":"Ada"}}');
    expect(body).toContain('Grace');
  });
});
