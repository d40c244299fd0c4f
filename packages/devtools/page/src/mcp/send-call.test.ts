import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { speedUpTime } from '../../../../../test/fast-clock.js';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { writeJson } from '../ui/json/exact-number.js';
import type { Call, CallRequest } from './call.js';
import type { Era } from './endpoint.js';
import type * as Questions from './questions.js';
import type * as Pool from './pool.js';
import type * as SendCall from './send-call.js';

type Question = Questions.Question;

/** The part of a request that the tests read. */
interface Sent {
  readonly id: number;
  readonly params: { readonly _meta: { readonly progressToken: string } };
}

const demo = new GroupedToolBuilder('demo')
  .description('Everything that a call can do')
  .action({
    name: 'echo',
    readOnly: true,
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
    handler: ({ input }) => ({ text: input.text }),
  })
  .action({
    name: 'ask',
    inputSchema: z.object({}),
    handler: async ({ context }) => {
      const { name } = await context.requestInput({
        name: { message: 'Who are you?', schema: z.object({ name: z.string() }) },
      });
      const { page } = await context.requestInput({
        page: { message: 'Sign in', url: 'https://example.com/' },
      });
      return `${name.action} ${name.content?.name ?? 'nobody'} ${page.action}`;
    },
  })
  .action({
    name: 'sample',
    inputSchema: z.object({}),
    handler: async ({ context }) => {
      const { said, where } = await context.requestInput({
        said: {
          sampling: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
        },
        where: { roots: true },
      });
      return JSON.stringify([said, where]);
    },
  })
  .action({
    name: 'slow',
    inputSchema: z.object({ steps: z.int() }),
    handler: async ({ input, context }) => {
      await context.log('info', 'begins');
      for (let step = 1; step <= input.steps; step++) {
        await context.progress(step, input.steps, `step ${step}`);
        await setTimeout(input.steps > 10 ? 20 : 1, undefined, { signal: context.signal });
      }
      return 'done';
    },
  })
  .action({
    name: 'count',
    inputSchema: z.object({}),
    task: true,
    handler: async ({ context }) => {
      await context.progress(1, 2, 'half');
      const { go } = await context.requestInput({
        go: { message: 'Go on?', schema: z.object({ sure: z.boolean() }) },
      });
      return go.content?.sure === true ? 'counted' : 'stopped';
    },
  });

const registry = new ToolRegistry({ name: 'demo', version: '1.0.0' }).register(demo);
let handler: ReturnType<typeof createHandler>;
let mcp: Pick<typeof SendCall, 'startCall'>;
let pool: Pick<typeof Pool, 'withConnection' | 'closeUnused'>;
let questions: (typeof Questions)['questions'];

beforeAll(async () => {
  handler = createHandler(registry, { requestLimit: false });
  vi.stubGlobal('location', { hash: '', pathname: '/', origin: 'http://localhost' });
  vi.stubGlobal('sessionStorage', { getItem: () => 'secret', setItem: () => {} });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    const headers = new Headers(init.headers);
    if (headers.get('x-toolfold-token') !== 'secret') return new Response(null, { status: 401 });
    headers.delete('x-toolfold-token');
    const request = new Request(url, { ...init, headers });
    const response = await handler.fetch(request);
    if (!response.body) return response;
    // A network ends the stream when the request is aborted.
    const body = response.body.pipeThrough(new TransformStream(), { signal: request.signal });
    return new Response(body, response);
  });
  mcp = await import('./send-call.js');
  pool = await import('./pool.js');
  ({ questions } = await import('./questions.js'));
});

afterEach(() => pool.closeUnused(0));
afterAll(async () => {
  vi.unstubAllGlobals();
  await handler.close();
});

async function ended(call: Call): Promise<Call> {
  await vi.waitFor(() => expect(call.isOver).toBe(true), { timeout: 10_000, interval: 5 });
  return call;
}

/** Waits for the next question of the server. */
function nextQuestion(): Promise<Question> {
  return vi.waitFor(
    () => {
      const [first] = questions.value;
      if (!first) throw new Error('no question');
      return first;
    },
    { timeout: 10_000, interval: 5 },
  );
}

/** Waits until a message is among the raw messages of the call. */
async function sees(call: Call, label: string): Promise<void> {
  await vi.waitFor(() => expect(call.messages.value.call.map((each) => each.label)).toContain(label), {
    timeout: 5_000,
    interval: 5,
  });
}

const textOf = (call: Call): unknown => {
  const { outcome } = call;
  if (outcome.value?.kind !== 'result') return outcome.value;
  return (outcome.value.result['content'] as { text: string }[])[0]?.text;
};

describe.each<[Era]>([['2026'], ['2025']])('a call of the page in the era %s', (era) => {
  const start = (name: string, args: object = {}, more: Partial<CallRequest> = {}): Call =>
    mcp.startCall({
      endpoint: { form: 'flat', profile: 'none', era },
      method: 'tools/call',
      params: { name: 'demo', arguments: { action: name, ...args } },
      asker: `demo/${name}`,
      ...more,
    });

  it('ends with the result, and records the messages of both directions', async () => {
    const call = await ended(start('echo', { text: 'hello' }));
    expect(call.outcome.value).toMatchObject({
      kind: 'result',
      result: { structuredContent: { text: 'hello' } },
    });
    const { call: own, connection } = call.messages.value;
    expect(own.map(({ direction, label }) => `${direction} ${label}`)).toEqual([
      'sent tools/call',
      'received result',
    ]);
    expect(own[0]?.headers['mcp-protocol-version']).toBe(era === '2026' ? '2026-07-28' : '2025-11-25');
    expect(JSON.stringify([own, connection])).not.toContain('secret');
    expect(connection[0]?.label).toBe(era === '2026' ? 'server/discover' : 'initialize');
  });

  it('is measured without connecting, which only the first call needs', async () => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
      if (/initialize"|server\/discover/.test(String(init.body))) await setTimeout(500);
      return fetch(url, init);
    });
    const first = await ended(start('echo', { text: 'one' }));
    const second = await ended(start('echo', { text: 'two' }));
    vi.stubGlobal('fetch', fetch);
    expect(first.connectedMs.value).toBeGreaterThan(490);
    expect(first.ms.value).toBeLessThan(490);
    expect(second.connectedMs.value).toBeUndefined();
  });

  it('keeps all digits of the numbers in a result', async () => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
      const response = await fetch(url, init);
      if (!String(init.body).includes('tools/call')) return response;
      const text = (await response.text()).replaceAll('"hello"', '12345678901234567890');
      return new Response(text, response);
    });
    const call = await ended(start('echo', { text: 'hello' }));
    vi.stubGlobal('fetch', fetch);
    const { outcome, messages } = call;
    expect(outcome.value?.kind === 'result' && writeJson(outcome.value.result['structuredContent'])).toBe(
      '{"text":12345678901234567890}',
    );
    expect(writeJson(messages.value.call.at(-1)?.message)).toContain('{"text":12345678901234567890}');
  });

  it('says how long the server waited for answers', async () => {
    const call = start('ask');
    const question = await nextQuestion();
    await setTimeout(120);
    question.answer({ action: 'cancel' });
    (await nextQuestion()).answer({ action: 'cancel' });
    await ended(call);
    expect(call.answeringMs.value).toBeGreaterThan(110);
    expect(call.ms.value).toBeGreaterThan(call.answeringMs.value);
    expect((await ended(start('echo', { text: 'hello' }))).answeringMs.value).toBe(0);
  });

  it('shows the questions of the server, and sends the answers', async () => {
    const call = start('ask');
    const form = await nextQuestion();
    expect(form).toMatchObject({
      method: 'elicitation/create',
      asker: 'demo/ask',
      params: { message: 'Who are you?' },
    });
    expect(call.status.value).toBe('asking');
    form.answer({ action: 'accept', content: { name: 'Ada' } });
    const page = await nextQuestion();
    expect(page.params).toMatchObject({ mode: 'url', url: 'https://example.com/' });
    page.answer({ action: 'decline' });
    expect(textOf(await ended(call))).toBe('accept Ada decline');
  });

  it('passes samples and roots on', async () => {
    const call = start('sample');
    for (let asked = 0; asked < 2; asked++) {
      const question = await nextQuestion();
      question.answer(
        question.method === 'roots/list'
          ? { roots: [{ uri: 'file:///home' }] }
          : { role: 'assistant', model: 'a person', content: { type: 'text', text: 'Hello' } },
      );
    }
    const text = String(textOf(await ended(call)));
    expect(text).toContain('Hello');
    expect(text).toContain('file:///home');
  });

  it('reports progress and log messages', async () => {
    const call = await ended(start('slow', { steps: 3 }));
    expect(textOf(call)).toBe('done');
    expect(call.progress.value).toEqual({ progress: 3, total: 3, message: 'step 3' });
    expect(call.logs.value).toMatchObject([{ level: 'info', text: 'begins' }]);
  });

  it('can be cancelled, also while it waits for an answer', async () => {
    const slow = start('slow', { steps: 500 });
    await vi.waitFor(() => expect(slow.progress.value).toBeDefined(), { timeout: 10_000, interval: 5 });
    slow.cancel();
    expect((await ended(slow)).status.value).toBe('cancelled');
    // Calls of the era 2026 are cancelled by closing their stream.
    if (era === '2025') await sees(slow, 'notifications/cancelled');
    const asking = start('ask');
    await nextQuestion();
    asking.cancel();
    expect((await ended(asking)).outcome.value).toEqual({ kind: 'cancelled' });
    expect(questions.value).toEqual([]);
  });

  it('asks no question that arrives after it was cancelled', async () => {
    const { fetch } = globalThis;
    let markAsked = (): void => {};
    let release = (): void => {};
    const asked = new Promise<void>((resolve) => (markAsked = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
      const response = await fetch(url, init);
      if (!String(init.body).includes('tools/call')) return response;
      // The question is on its way while the developer cancels.
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes('elicitation/create')) break;
      }
      markAsked();
      await released;
      return new Response(text, response);
    });
    onTestFinished(() => void vi.stubGlobal('fetch', fetch));
    const call = start('ask');
    await asked;
    call.cancel();
    expect((await ended(call)).outcome.value).toEqual({ kind: 'cancelled' });
    release();
    // The server of the era 2025 gets an error as the answer.
    if (era === '2025') await sees(call, 'elicitation/create');
    await setTimeout(100);
    expect(questions.value).toEqual([]);
  });

  it('asks no further question when it is cancelled with an answer', async () => {
    const call = start('sample');
    (await nextQuestion()).answer({ role: 'assistant', model: 'x', content: { type: 'text', text: 'Hi' } });
    call.cancel();
    expect((await ended(call)).outcome.value).toEqual({ kind: 'cancelled' });
    await setTimeout(100);
    expect(questions.value).toEqual([]);
  });

  it('runs beside others, and each gets its own result', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => start('echo', { text: `n${index}` }));
    await Promise.all(calls.map(ended));
    expect(calls.map((call) => call.outcome.value)).toMatchObject(
      calls.map((_, index) => ({ result: { structuredContent: { text: `n${index}` } } })),
    );
    for (const call of calls) expect(call.messages.value.call).toHaveLength(2);
  });

  it('ends with the error of the server', async () => {
    const call = await ended(start('x', {}, { params: { name: 'nothing', arguments: {} } }));
    expect(call.outcome.value).toMatchObject({ kind: 'failure', code: -32_602 });
    const wrong = await ended(start('echo', { text: 5 }));
    expect(wrong.outcome.value).toMatchObject({
      kind: 'result',
      result: { isError: true, _meta: { 'toolfold/error': { details: { issues: [{ path: ['text'] }] } } } },
    });
  });

  it('ends when the server is silent for too long, but not while a person thinks', async () => {
    const call = await ended(start('slow', { steps: 500 }, { timeoutMs: 5 }));
    expect(call.outcome.value).toMatchObject({
      kind: 'failure',
      message: 'The server sent nothing for 0 s.',
    });
    const asking = start('ask', {}, { timeoutMs: 400 });
    const question = await nextQuestion();
    await setTimeout(600);
    expect(asking.isOver).toBe(false);
    question.answer({ action: 'cancel' });
    (await nextQuestion()).answer({ action: 'cancel' });
    expect(textOf(await ended(asking))).toBe('cancel nobody cancel');
  });
});

describe('a call of the page', () => {
  it('follows a task, answers its question and shows its result', async () => {
    speedUpTime();
    const call = mcp.startCall({
      endpoint: { form: 'flat', profile: 'none', era: '2026' },
      method: 'tools/call',
      params: { name: 'demo', arguments: { action: 'count' } },
      asTask: true,
      asker: 'demo/count',
    });
    const question = await nextQuestion();
    expect(call.task.value).toMatchObject({ status: 'input_required' });
    question.answer({ action: 'accept', content: { sure: true } });
    expect(textOf(await ended(call))).toBe('counted');
    expect(call.task.value).toMatchObject({ status: 'completed' });
    expect(call.messages.value.call.map(({ label }) => label)).toContain('tasks/update');
  });

  it('shows that it cancels its task', async () => {
    speedUpTime();
    const call = mcp.startCall({
      endpoint: { form: 'flat', profile: 'none', era: '2026' },
      method: 'tools/call',
      params: { name: 'demo', arguments: { action: 'count' } },
      asTask: true,
      asker: 'demo/count',
    });
    await nextQuestion();
    call.cancel();
    expect((await ended(call)).outcome.value).toEqual({ kind: 'cancelled' });
    await sees(call, 'tasks/cancel');
  });

  describe('whose stream broke off', () => {
    const endpoint = { form: 'flat', profile: 'none', era: '2025' } as const;
    const startSlow = (steps: number): Call =>
      mcp.startCall({
        endpoint,
        method: 'tools/call',
        params: { name: 'demo', arguments: { action: 'slow', steps } },
        asker: 'demo/slow',
      });

    /** Cuts the stream of the next call after its first event, and answers its resumption. */
    function cutStream(resume: (id: unknown) => Response): void {
      const { fetch } = globalThis;
      let sent: Sent | undefined;
      vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
        if (new Headers(init.headers).get('last-event-id') === 'cut') return resume(sent?.id);
        if (sent || !String(init.body).includes('tools/call')) return fetch(url, init);
        sent = JSON.parse(String(init.body)) as Sent;
        const params = { progressToken: sent.params._meta.progressToken, progress: 1 };
        return events('cut', { jsonrpc: '2.0', method: 'notifications/progress', params });
      });
      onTestFinished(() => void vi.stubGlobal('fetch', fetch));
    }

    const events = (id: string, message: object): Response =>
      new Response(`id: ${id}\ndata: ${JSON.stringify(message)}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      });

    it('ends when the server refuses to resume it, and says that it may have taken effect', async () => {
      speedUpTime();
      const error = { code: -32_000, message: 'what came after that event is no longer there' };
      cutStream(() => Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 }));
      const call = startSlow(3);
      expect((await ended(call)).outcome.value).toMatchObject({
        kind: 'failure',
        message: 'The connection was lost before the answer arrived. The call may have taken effect.',
      });
      expect(call.ms.value).toBeLessThan(5_000);
      await sees(call, 'resume the answer');
      await sees(call, 'notifications/cancelled');
    });

    it('ends with the result that arrives when it is resumed, also beside another call', async () => {
      speedUpTime();
      const result = { content: [{ type: 'text', text: 'resumed' }] };
      cutStream((id) => events('end', { jsonrpc: '2.0', id, result }));
      const call = startSlow(3);
      await sees(call, 'notifications/progress');
      const beside = startSlow(100);
      expect(textOf(await ended(call))).toBe('resumed');
      expect(call.messages.value.call.map(({ label }) => label)).toEqual([
        'tools/call',
        'notifications/progress',
        'resume the answer',
        'result',
      ]);
      expect(textOf(await ended(beside))).toBe('done');
    });
  });

  it('starts a new session when the old one has expired', async () => {
    const endpoint = { form: 'flat', profile: 'none', era: '2025' } as const;
    await pool.withConnection(endpoint, ({ client: { transport } }) =>
      Object.assign(transport as object, { _sessionId: 'forgotten' }),
    );
    const call = await ended(
      mcp.startCall({
        endpoint,
        method: 'tools/call',
        params: { name: 'demo', arguments: { action: 'echo', text: 'again' } },
        asker: 'demo/echo',
      }),
    );
    expect(call.outcome.value).toMatchObject({ result: { structuredContent: { text: 'again' } } });
    expect(call.notice.value).toContain('expired');
  });

  it('says that the server does not answer', async () => {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
    const call = await ended(
      mcp.startCall({
        endpoint: { form: 'flat', profile: 'none', era: '2026' },
        method: 'tools/call',
        params: { name: 'demo', arguments: {} },
        asker: 'demo',
      }),
    );
    vi.stubGlobal('fetch', fetch);
    expect(call.outcome.value).toMatchObject({ kind: 'failure', message: 'The server does not answer.' });
  });
});
