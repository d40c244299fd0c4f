import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ExecuteRequest } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import {
  answering,
  codeOf,
  everything,
  proxy,
  faulty,
  startEverythingHttp,
  textOf,
} from './upstream-servers.js';

const accept = (answer: string) => ({ action: 'accept', content: { answer } });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A 2025 or 2026-07-28 client of a registry that is served over HTTP. */
async function connect(
  registry: ToolRegistry,
  era: '2025' | '2026',
  answer?: (message: string) => object,
  capabilities: object = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
) {
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false });
  onTestFinished(() => server.close());
  const client = new Client(
    { name: 'person', version: '1' },
    {
      capabilities,
      versionNegotiation: { mode: era === '2026' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message) as never);
  if (answer && 'sampling' in capabilities)
    client.setRequestHandler('sampling/createMessage', async () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'said by the model' },
    }));
  if (answer && 'roots' in capabilities)
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///project' }] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  onTestFinished(() => client.close());
  return client;
}

describe('questions of a 2025 server', () => {
  it.each(['2025', '2026'] as const)('reach a %s client, and its answers get back', async (era) => {
    const { registry } = await proxy(faulty());
    const client = await connect(registry, era, (message) => accept(`to ${message}`));
    const asked = await client.callTool({ name: 'ask', arguments: { question: 'why?' } });
    expect(asked).toMatchObject({ content: [{ text: 'to why?' }] });
    const twice = await client.callTool({ name: 'askTwice', arguments: {} });
    const runs = { '2025': 1, '2026': 3 }[era];
    expect(twice).toMatchObject({ content: [{ text: `to first? to second?, run ${runs}` }] });
  });

  it.each([
    ['2025', 'stdio'],
    ['2026', 'stdio'],
    ['2025', 'HTTP'],
    ['2026', 'HTTP'],
  ] as const)('to the model reach a %s client, from a server on %s', async (era, transport) => {
    const target = transport === 'stdio' ? everything : { url: (await startEverythingHttp()).url };
    const { registry } = await proxy(target);
    const client = await connect(registry, era, () => accept(''));
    const sampled = await client.callTool({
      name: 'trigger-sampling-request',
      arguments: { prompt: 'Say something', maxTokens: 20 },
    });
    expect(JSON.stringify(sampled)).toContain('said by the model');
  });

  it.each(['2025', '2026'] as const)('about roots reach a %s client over HTTP', async (era) => {
    const inner = new ToolRegistry({ name: 'inner' });
    inner.register({
      name: 'roots',
      description: 'Where the client works',
      inputSchema: {},
      handler: async ({ context }) =>
        (await context.requestInput({ asked: { roots: true } })).asked.roots[0]?.uri,
    });
    const server = await serveHttp(inner, { port: 0, closeOnSignals: false });
    onTestFinished(() => server.close());
    const { registry } = await proxy({ url: server.url }, { protocol: '2025', roots: true });
    const client = await connect(registry, era, () => accept(''));
    const results = await Promise.all([1, 2, 3].map(() => client.callTool({ name: 'roots', arguments: {} })));
    for (const { content } of results) expect(content).toEqual([{ type: 'text', text: 'file:///project' }]);
  });

  it('about roots are rejected unless the option allows them', async () => {
    const { registry } = await proxy({ url: (await startEverythingHttp()).url });
    expect(registry.has('trigger-sampling-request')).toBe(true);
    expect(registry.has('get-roots-list')).toBe(false);
    expect(() => fromMcpServer(everything, { roots: true })).toThrow('roots must be false for a command');
  });

  it('that the client cannot answer are rejected, and its call continues', async () => {
    const { registry } = await proxy(faulty());
    for (const era of ['2025', '2026'] as const) {
      const client = await connect(registry, era, undefined, {});
      const { content } = await client.callTool({ name: 'ask', arguments: { question: 'why?' } });
      expect(content).toMatchObject([
        { text: expect.stringContaining('does not support elicitation') as string },
      ]);
    }
  });

  it.each(['decline', 'cancel'])('can be answered with %s', async (action) => {
    const { call } = await proxy(faulty());
    const result = await call('ask', { question: 'sure?' }, { ask: answering(() => ({ action })) });
    expect(textOf(result)).toBe(action);
  });

  it('are rejected with a reason if the caller answers none', async () => {
    const { call } = await proxy(faulty());
    expect(textOf(await call('ask', { question: 'why?' }))).toContain('error: No client can be asked');
  });

  it('do not count towards the timeout of the server', async () => {
    const { call } = await proxy(faulty(), { timeoutMs: 500 });
    const ask: ExecuteRequest['ask'] = async (questions) => {
      await sleep(1_500);
      return answering(() => accept('at last'))?.(questions);
    };
    expect(textOf(await call('ask', { question: 'hm?' }, { ask }))).toBe('at last');
  });

  it('that open a page are rejected if the call would have to run again forever', async () => {
    const { registry } = await proxy(faulty());
    const visit = { action: 'accept' };
    const live = await connect(registry, '2025', () => visit);
    expect(await live.callTool({ name: 'page', arguments: {} })).toMatchObject({
      content: [{ text: 'accept' }],
    });
    const later = await connect(registry, '2026', () => visit);
    const rejected = await later.callTool({ name: 'page', arguments: {} });
    expect(JSON.stringify(rejected)).toContain('opens a page while the call runs');
  });

  it('reach their own call over HTTP while many calls run', async () => {
    const { url } = await startEverythingHttp();
    const { call } = await proxy({ url }, { protocol: '2025' });
    const run = async (index: number): Promise<string> => {
      const name = `caller ${index}`;
      const result = await call(
        'trigger-elicitation-request',
        {},
        {
          ask: answering(() => ({ action: 'accept', content: { name, check: true } })),
        },
      );
      return JSON.stringify(result);
    };
    const results = await Promise.all(Array.from({ length: 8 }, (_, index) => run(index)));
    results.forEach((result, index) => expect(result).toContain(`- Name: caller ${index}`));
  });

  it('are rejected over stdio while several calls run', async () => {
    const { call } = await proxy(faulty());
    const asked: string[] = [];
    const as = (who: string): Partial<ExecuteRequest> => ({
      ask: answering((message) => {
        asked.push(`${who}: ${message}`);
        return accept(who);
      }),
    });
    const [first, second] = await Promise.all([
      call('late', { question: 'of Ada' }, as('Ada')),
      call('late', { question: 'of Bob' }, as('Bob')),
    ]);
    expect(asked.filter((line) => line !== 'Ada: of Ada' && line !== 'Bob: of Bob')).toEqual([]);
    const texts = [textOf(first), textOf(second)];
    expect(texts[0]).toContain('it is not known which of the running calls it is about');
    expect(
      texts.filter((text) => text.includes('it is not known') || ['Ada', 'Bob'].includes(text)),
    ).toHaveLength(2);
    expect(textOf(await call('ask', { question: 'now?' }, as('Cy')))).toBe('Cy');
  });

  it('of a cancelled call do not reach the next call', async () => {
    const { call } = await proxy(faulty());
    const controller = new AbortController();
    const cancelled = call('late', { question: 'of Ada' }, { signal: controller.signal });
    await sleep(100);
    controller.abort(new Error('enough'));
    expect(codeOf(await cancelled)).toBe('ErrCancelled');
    const asked: string[] = [];
    const ask = answering((message) => {
      asked.push(message);
      return accept('Bob');
    });
    await call('steps', {}, { ask });
    expect(asked).toEqual([]);
  });
});

describe('questions of a 2026 server', () => {
  const serve = async () => {
    const inner = new ToolRegistry({ name: 'inner' });
    const schema = {
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
    } as const;
    let runs = 0;
    inner.register({
      name: 'ask',
      description: 'Asks twice',
      inputSchema: { type: 'object', properties: { who: { type: 'string' } } },
      handler: async ({ input, context }) => {
        runs++;
        const { who } = input as { who: string };
        const { first } = await context.requestInput({ first: { message: `first of ${who}`, schema } });
        const { second } = await context.requestInput({ second: { message: `second of ${who}`, schema } });
        const said = [first, second].map((answer) =>
          answer.action === 'accept' ? answer.content : answer.action,
        );
        return JSON.stringify(said);
      },
    });
    inner.register({
      name: 'can',
      description: 'What the caller can do',
      inputSchema: {},
      handler: ({ context }) => JSON.stringify(context.caller.capabilities),
    });
    inner.register({
      name: 'report',
      description: 'Reports and logs',
      inputSchema: {},
      handler: async ({ context }) => {
        await context.progress(1, 2, 'half');
        await context.log('warning', 'watch out', 'inner');
        return 'done';
      },
    });
    const server = await serveHttp(inner, { port: 0, closeOnSignals: false });
    onTestFinished(() => server.close());
    const proxied = await proxy({ url: server.url }, { protocol: '2026' });
    return { ...proxied, runs: () => runs };
  };

  it.each(['2025', '2026'] as const)('reach a %s client through all rounds', async (era) => {
    const { registry } = await serve();
    const client = await connect(registry, era, (message) => accept(`to ${message}`));
    const results = await Promise.all(
      ['Ada', 'Bob', 'Cy'].map((who) => client.callTool({ name: 'ask', arguments: { who } })),
    );
    expect(results.map(({ content }) => content)).toEqual(
      ['Ada', 'Bob', 'Cy'].map((who) => [
        {
          type: 'text',
          text: JSON.stringify([{ answer: `to first of ${who}` }, { answer: `to second of ${who}` }]),
        },
      ]),
    );
  });

  it('are limited to the capabilities of the caller', async () => {
    const { registry, call } = await serve();
    const client = await connect(registry, '2026', () => accept(''), { elicitation: { form: {} } });
    const { content } = await client.callTool({ name: 'can', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: '{"elicitation":{"form":{}}}' }]);
    expect(textOf(await call('can'))).toBe('{}');
  });

  it('come with progress and log messages', async () => {
    const { call } = await serve();
    const [reports, logs]: [unknown[], unknown[]] = [[], []];
    const result = await call(
      'report',
      {},
      {
        progress: async (...report) => void reports.push(report),
        log: async (...entry) => void logs.push(entry),
      },
    );
    expect(textOf(result)).toBe('done');
    expect(reports).toEqual([[1, 2, 'half']]);
    expect(logs).toEqual([['warning', 'watch out', 'inner']]);
  });
});
