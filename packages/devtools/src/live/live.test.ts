import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { speedUpTime } from '../../../../test/fast-clock.js';
import * as z from 'zod';
import { internalsOf, observeCalls } from 'toolfold/internal';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { markAsPage } from '../mcp/page-caller.js';
import type { LiveCall, PageEvent } from '../page-events.js';
import type { PageSource } from '../page-source.js';
import { createLive } from './live.js';
import type { Live } from './live.js';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

function createRegistry() {
  return new ToolRegistry({ rateLimiter: false }).register(
    new GroupedToolBuilder('users')
      .action({
        name: 'get',
        description: 'Returns a user.',
        readOnly: true,
        inputSchema: z.object({ id: z.number(), password: z.string().optional() }),
        handler: ({ input }) => `user ${input.id}`,
      })
      .action({
        name: 'fail',
        description: 'Fails.',
        inputSchema: z.object({ id: z.number() }),
        handler: ({ input, context }) => {
          throw new Error(`no user ${input.id} for ${context.accessToken}`);
        },
      }),
  );
}

function sourceOf(registry: ToolRegistry): PageSource {
  return {
    target: registry.name,
    canCall: true,
    lockfile: '',
    lockCommand: '',
    current: () => ({ registry, found: 'registry' }),
    onChange: (listener) => registry.onChange(listener),
    observe: (listener) => observeCalls(internalsOf(registry), listener),
  };
}

function startLive(registry: ToolRegistry) {
  let revision = 1;
  registry.onChange(() => revision++);
  const live = createLive(sourceOf(registry), { revision: () => revision });
  endings.push(() => live.close());
  return live;
}

/** Connects a page, and collects its events. */
async function connect(live: Live) {
  const server = createServer((request, response) => live.events(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const controller = new AbortController();
  endings.push(() => {
    controller.abort();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, { signal: controller.signal });
  const events: PageEvent[] = [];
  let wake = (): void => {};
  void (async () => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, data] = block.split('\ndata: ');
        if (data !== undefined) events.push(JSON.parse(data) as PageEvent);
      }
      wake();
    }
  })().catch(() => {});
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const batches = () => events.flatMap((event) => (event.event === 'calls' ? [event] : []));
  const calls = (): LiveCall[] => batches().flatMap((batch) => batch.calls);
  const seen = (): number => batches().reduce((sum, batch) => sum + batch.seen, 0);
  return { response, events, batches, calls, seen, until, close: () => controller.abort() };
}

const ofPage = () => ({ auth: markAsPage({ clientId: 'page' }) });
const get = (id: number) => ({ name: 'users', arguments: { action: 'get', id } });

describe('the live calls of a server', () => {
  it('reach a page with caller, client, outcome, tokens and steps', async () => {
    const registry = createRegistry();
    const page = await connect(startLive(registry));
    expect(page.response.headers.get('content-type')).toBe('text/event-stream');
    await registry.executeTool({
      ...get(7),
      caller: {
        auth: markAsPage({ clientId: 'ada', token: 't' }),
        client: { name: 'inspector', version: '1.2' },
      },
      protocolVersion: '2025-11-25',
      meta: { 'toolfold/trace': 'try-1' },
    });
    await page.until(() => page.calls().length === 1);
    expect(page.calls()[0]).toMatchObject({
      id: 1,
      address: 'users/get',
      caller: 'ada',
      client: 'inspector 1.2',
      protocolVersion: '2025-11-25',
      outcome: 'ok',
      isError: false,
      tokens: 2,
      arguments: '{"action":"get","id":7}',
      trace: 'try-1',
    });
    expect(page.calls()[0]?.steps.map(({ step }) => step)).toEqual([
      'find',
      'admit',
      'prepare',
      'validate',
      'run',
      'shape',
    ]);
  });

  it('show errors with their stack, and neither credentials nor secret fields', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    const page = await connect(live);
    await registry.executeTool({
      name: 'users',
      arguments: { action: 'fail', id: 7 },
      accessToken: 'tok-4f5e6d7c8b9a',
    });
    await registry.executeTool({
      name: 'users',
      arguments: { action: 'get', id: 7, password: 'correct horse battery' },
    });
    await registry.executeTool({ name: 'userz', arguments: { id: 'x'.repeat(5_000) } });
    await page.until(() => page.calls().length === 3);
    const [failed, secret, unknown] = page.calls();
    expect(failed).toMatchObject({ outcome: 'ErrToolFailed', isError: true, caller: 'anonymous' });
    expect(failed?.fault).toMatch(/^Error: no user 7 for [\s\S]*\n\s+at /);
    expect(failed?.steps.at(-1)?.step).toBe('error');
    expect(secret?.arguments).toContain('"password":');
    expect(unknown).toMatchObject({ address: 'userz', outcome: 'ErrUnknownTool', isError: true });
    expect(unknown?.arguments).toHaveLength(2_001);
    const everything = JSON.stringify([page.events, live.statistics()]);
    expect(everything).not.toContain('tok-4f5e6d7c8b9a');
    expect(everything).not.toContain('correct horse battery');
  });

  it('leave other requests their turn while they are prepared for the page', async () => {
    const registry = createRegistry();
    const page = await connect(startLive(registry));
    let turn = 0;
    const timer = setInterval(() => turn++, 1);
    endings.push(() => clearInterval(timer));
    const turns: number[] = [];
    const client = {
      // Stands for a call with so many credentials that redacting it takes a whole slice.
      get name() {
        turns.push(turn);
        for (const end = performance.now() + 12; performance.now() < end;);
        return 'slow';
      },
      version: '1',
    };
    await Promise.all([1, 2, 3, 4, 5].map((id) => registry.executeTool({ ...get(id), caller: { client } })));
    turns.length = 0;
    await page.until(() => page.calls().length === 5);
    expect(turns).toHaveLength(5);
    expect(new Set(turns).size).toBe(5);
  });

  it('are no errors if their caller cancelled them, whatever their handlers threw then', async () => {
    let start = (): void => {};
    const started = new Promise<void>((resolve) => (start = resolve));
    const registry = createRegistry().register({
      name: 'wait',
      description: 'Waits until it is cancelled.',
      inputSchema: {},
      handler: ({ context }) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(new Error('stopped')));
          start();
        }),
    });
    const live = startLive(registry);
    const page = await connect(live);
    const controller = new AbortController();
    // As HTTP servers pass it: the signal is created when the handler first asks for it.
    const lazySignal = (): AbortSignal => controller.signal;
    const running = registry.executeTool({ name: 'wait', arguments: {}, lazySignal });
    await started;
    controller.abort();
    expect((await running).isError).toBe(true);
    await page.until(() => page.calls().length === 1);
    const [call] = page.calls();
    expect(call).toMatchObject({ address: 'wait', outcome: 'cancelled', isError: false });
    expect(live.statistics()).toMatchObject({ calls: 1, errors: 0, failures: [] });
  });

  it('show the beginning of large arguments, and no part of a credential', async () => {
    const registry = createRegistry().register({
      name: 'store',
      description: 'Stores texts.',
      inputSchema: { type: 'object', additionalProperties: true },
      handler: () => 'stored',
    });
    const page = await connect(startLive(registry));
    const secret = 'tok-'.padEnd(3_000, 'secret');
    const auth = { token: secret, clientId: 'ada', scopes: [] };
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ at, name: `row ${at}` }));
    await registry.executeTool({
      name: 'store',
      arguments: { first: 'shown', password: 'hidden', cut: secret, copied: 'x'.repeat(49_000), rows },
      caller: { auth },
      accessToken: secret,
    });
    await page.until(() => page.calls().length === 1);
    const [call] = page.calls();
    expect(call?.arguments).toContain('"first":"shown"');
    expect(call?.arguments).not.toMatch(/hidden|secret/);
    expect(call?.arguments?.length).toBeLessThanOrEqual(2_001);
  });

  it('show no credential with which calls are forwarded to another server', async () => {
    speedUpTime();
    const registry = createRegistry().register({
      name: 'forward',
      description: 'Fails with a message of another server.',
      inputSchema: {},
      handler: () => {
        throw new Error('bad token zq9-Sup3rS3cr3t');
      },
    });
    const redact = (text: string): string => text.replaceAll('zq9-Sup3rS3cr3t', '[redacted]');
    const live = createLive({ ...sourceOf(registry), redact }, { revision: () => 1 });
    endings.push(() => live.close());
    const page = await connect(live);
    await registry.executeTool({ name: 'forward', arguments: {} });
    await page.until(() =>
      page.events.some((each) => each.event === 'statistics' && each.statistics.calls === 1),
    );
    // A page that connects later gets the call and the figures at once.
    const later = await connect(live);
    await later.until(() => later.events.some(({ event }) => event === 'statistics'));
    for (const told of [page.events, later.events, live.statistics()]) {
      const text = JSON.stringify(told);
      expect(text).toContain('bad token [redacted]');
      expect(text).not.toContain('zq9-Sup3rS3cr3t');
    }
  });

  it('show no part of such a credential where a message is cut, or where numbers are left out of it', async () => {
    const secret = 'Zq.Kfj+PwLmXy/RtUvBn1.Dsaqw/Ghjkl=';
    const registry = createRegistry().register({
      name: 'forward',
      description: 'Fails with a message of another server.',
      inputSchema: { type: 'object', properties: { length: { type: 'number' } } },
      handler: ({ input }) => {
        throw new Error(`${'x'.repeat(Number(input['length']))} 7 denied for ${secret}`);
      },
    });
    const redact = (text: string): string => text.replaceAll(secret, '[redacted]');
    const live = createLive({ ...sourceOf(registry), redact }, { revision: () => 1 });
    endings.push(() => live.close());
    const page = await connect(live);
    const lengths = [1, 2, 470, 475, 480, 1_970, 1_980, 7_950, 7_970];
    for (const length of lengths) await registry.executeTool({ name: 'forward', arguments: { length } });
    await page.until(() => page.calls().length === lengths.length);
    const everything = JSON.stringify([page.events, live.statistics()]);
    expect(everything).toContain('[redacted]');
    expect(everything).not.toMatch(/Zq\.Kfj|Dsaqw/);
  });

  it('are valid Unicode, also where a text is cut between the halves of a character', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    const page = await connect(live);
    for (const prefix of ['', 'x'])
      await registry.executeTool({
        name: `${prefix}${'😀'.repeat(150)}`,
        arguments: { text: `${prefix}${'😀'.repeat(2_000)}` },
        caller: { client: { name: `${prefix}${'😀'.repeat(150)}`, version: '1' } },
      });
    await page.until(() => page.calls().length === 2);
    const texts = [...page.calls(), ...live.statistics().failures].flatMap((each) => Object.values(each));
    for (const text of texts) if (typeof text === 'string') expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it('are counted while no page is connected, and the recent ones are shown when one connects', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    for (let id = 1; id <= 10; id++) await registry.executeTool(get(id));
    expect(live.statistics()).toMatchObject({
      calls: 10,
      errors: 0,
      tools: [{ address: 'users/get', calls: 10 }],
    });
    const first = await connect(live);
    await first.until(() => first.calls().length === 10);
    const page = await connect(live);
    await page.until(() => page.events.length === 3);
    expect(page.events.map(({ event }) => event)).toEqual(['change', 'calls', 'statistics']);
    expect(page.calls().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('are the latest 200 for a page that connects', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    for (let batch = 0; batch < 12; batch++) {
      for (let id = 1; id <= 25; id++) await registry.executeTool(get(id));
      // A page that connects gets all calls so far, so that none of them is left out of the sample.
      (await connect(live)).close();
    }
    const page = await connect(live);
    await page.until(() => page.events.some(({ event }) => event === 'statistics'));
    expect(page.calls().map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, at) => at + 101));
  });

  it('reach 50 pages at once, and no more', async () => {
    const live = startLive(createRegistry());
    await Promise.all(Array.from({ length: 50 }, () => connect(live)));
    expect(() => live.events({} as IncomingMessage, {} as ServerResponse)).toThrow(
      'Too many pages are open.',
    );
  });

  it('are in an event before figures count them, so that the page can add those of later events', async () => {
    speedUpTime();
    const registry = createRegistry();
    const live = startLive(registry);
    await registry.executeTool(get(0));
    const page = await connect(live);
    const figures = () => page.events.filter(({ event }) => event === 'statistics');
    for (let id = 1; figures().length < 3; id++) {
      await registry.executeTool(get(id));
      await new Promise((resolve) => setImmediate(resolve));
    }
    let announced = 0;
    for (const event of page.events) {
      if (event.event === 'calls') announced += event.seen;
      else if (event.event === 'statistics') expect(event.statistics.calls).toBeLessThanOrEqual(announced);
    }
  });

  it('are sampled in a burst of 1,000, in which errors and the calls of the page are always shown', async () => {
    speedUpTime();
    const registry = createRegistry();
    const live = startLive(registry);
    const [page, other] = [await connect(live), await connect(live)];
    const burst: Promise<unknown>[] = [];
    for (let id = 1; id <= 1_000; id++) {
      if (id % 200 === 0)
        burst.push(registry.executeTool({ name: 'users', arguments: { action: 'fail', id } }));
      else if (id === 500)
        burst.push(
          registry.executeTool({ ...get(id), caller: ofPage(), meta: { 'toolfold/trace': 'mine' } }),
        );
      else burst.push(registry.executeTool(get(id)));
    }
    await Promise.all(burst);
    for (const each of [page, other]) {
      await each.until(() => each.seen() === 1_000);
      for (const batch of each.batches()) expect(batch.calls.length).toBeLessThanOrEqual(26);
      expect(each.calls().filter(({ isError }) => isError)).toHaveLength(5);
      expect(each.calls().filter(({ trace }) => trace === 'mine')).toHaveLength(1);
      const ids = each.calls().map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((one, next) => one - next));
    }
    const { calls, errors, failures, perSecond, tools } = live.statistics();
    expect([calls, errors]).toEqual([1_000, 5]);
    expect(perSecond).toHaveLength(60);
    expect(perSecond.reduce((sum, each) => sum + each, 0)).toBe(1_000);
    expect(tools.map(({ address, calls: count }) => [address, count])).toEqual([
      ['users/get', 995],
      ['users/fail', 5],
    ]);
    expect(failures).toMatchObject([{ address: 'users/fail', code: 'ErrToolFailed', count: 5 }]);
    await page.until(() =>
      page.events.some((each) => each.event === 'statistics' && each.statistics.calls === 1_000),
    );
  });

  it('show the errors of others in a flood of calls, whatever trace these claim to have', async () => {
    const registry = createRegistry();
    const page = await connect(startLive(registry));
    const fail = (id: number) =>
      registry.executeTool({ name: 'users', arguments: { action: 'fail', id }, caller: {} });
    const flood = (caller: object, trace: string) =>
      Array.from({ length: 100 }, (_, id) =>
        registry.executeTool({ ...get(id), caller, meta: { 'toolfold/trace': trace } }),
      );
    const own = ofPage();
    await Promise.all([
      ...flood({ auth: { clientId: 'page' } }, 'claimed'),
      ...flood(own, 'mine'),
      ...[1, 2, 3, 4, 5].map(fail),
      ...flood({}, 'claimed'),
    ]);
    await page.until(() => page.seen() === 305);
    expect(page.calls().filter(({ isError }) => isError)).toHaveLength(5);
    expect(page.calls().filter(({ trace }) => trace === 'mine').length).toBeGreaterThanOrEqual(25);
    expect(page.calls().filter(({ trace }) => trace === 'claimed')).toEqual([]);
  });

  it('show the calls of the page in a flood of errors', async () => {
    const registry = createRegistry();
    const page = await connect(startLive(registry));
    const errors = Array.from({ length: 200 }, (_, id) =>
      registry.executeTool({ name: 'users', arguments: { action: 'fail', id } }),
    );
    await Promise.all([
      ...errors,
      registry.executeTool({ ...get(1), caller: ofPage(), meta: { 'toolfold/trace': 'mine' } }),
    ]);
    await page.until(() => page.seen() === 201);
    expect(page.calls().filter(({ trace }) => trace === 'mine')).toHaveLength(1);
  });

  it('show no credentials in names, URIs, clients and codes that others choose, and cut them', async () => {
    const registry = createRegistry().registerResource({
      name: 'files',
      uriTemplate: 'file://x/{+path}',
      handler: () => 'text',
    });
    const live = startLive(registry);
    const page = await connect(live);
    const read = (uri: string) => registry.readResource({ uri }).catch(() => undefined);
    await read('postgres://admin:hunter2secret@db/x');
    await read('file://x/a?access_token=abcdef1234567890&password=hunter2secret');
    await registry.executeTool({
      name: 'nope Bearer abcdefghijklmnop1234567890',
      arguments: {},
      caller: {
        auth: { clientId: 'Bearer abcdefghijklmnop1234567890' },
        client: { name: 'x'.repeat(5_000), version: 'Bearer abcdefghijklmnop1234567890' },
      },
    });
    await page.until(() => page.calls().length === 3);
    const everything = JSON.stringify([page.events, live.statistics()]);
    expect(everything).not.toMatch(/hunter2secret|abcdef1234567890|abcdefghijklmnop/);
    expect(page.calls()[0]?.address).toMatch(/^postgres:\/\//);
    expect(page.calls()[2]?.client?.length).toBeLessThan(500);
  });

  it('include prompts and resources that clients use, which are no tools', async () => {
    const registry = createRegistry()
      .registerPrompt({
        name: 'greet',
        description: 'Greets.',
        inputSchema: z.object({ name: z.string() }),
        handler: ({ input }) => `Hello ${input.name}`,
      })
      .registerResource({
        name: 'broken',
        uri: 'docs://broken',
        handler: () => {
          throw new Error('no disk with token=hunter2secret');
        },
      });
    const live = startLive(registry);
    const page = await connect(live);
    await registry.getPrompt({
      name: 'greet',
      arguments: { name: 'Ada' },
      caller: ofPage(),
      meta: { 'toolfold/trace': 'p' },
    });
    await expect(registry.readResource({ uri: 'docs://broken' })).rejects.toThrow('no disk');
    await expect(registry.readResource({ uri: 'docs://unknown' })).rejects.toThrow();
    await page.until(() => page.calls().length === 3);
    expect(
      page
        .calls()
        .map(({ kind, address, outcome, trace, tokens }) => [kind, address, outcome, trace, tokens]),
    ).toEqual([
      ['prompt', 'greet', 'ok', 'p', 2],
      ['resource', 'docs://broken', 'ErrToolFailed', undefined, 0],
      ['resource', 'docs://unknown', 'ErrUnknownResource', undefined, 0],
    ]);
    expect(page.calls()[1]?.fault).toContain('no disk');
    expect(JSON.stringify(page.events)).not.toContain('hunter2secret');
    expect(live.statistics()).toMatchObject({ calls: 3, errors: 2, tools: [] });
    expect(live.statistics().failures[1]?.address).toBe('resource docs://broken');
  });

  it('tell the page about changes of the tools', async () => {
    const registry = createRegistry();
    const page = await connect(startLive(registry));
    registry.register({ name: 'more', description: 'More.', inputSchema: {}, handler: () => 'more' });
    await page.until(() => page.events.filter(({ event }) => event === 'change').length === 2);
    expect(page.events.filter(({ event }) => event === 'change')).toEqual([
      { event: 'change', revision: 1 },
      { event: 'change', revision: 2 },
    ]);
  });

  it('include the questions of the search form, with hits and misses', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    const exposure = new Exposure(registry, { view: { form: 'search' } });
    endings.push(() => exposure.close());
    const view = await exposure.viewFor({});
    const ask = (given: Record<string, unknown>) =>
      registry.executeTool({ name: 'search_tools', arguments: given }, view);
    await ask({ query: 'get a user' });
    await ask({ queries: ['get a user', 'bake an apple pie'] });
    const { questions } = live.statistics();
    expect(questions.map(({ query, count, isMiss }) => [query, count, isMiss])).toEqual([
      ['bake an apple pie', 1, true],
      ['get a user', 2, false],
    ]);
    expect(questions[1]?.hits[0]?.address).toBe('users/get');
    await ask({ query: 'get a user with Bearer abcdefghijklmnop1234567890' });
    const [latest] = live.statistics().questions;
    expect(latest?.query).toContain('get a user with');
    expect(latest?.query).not.toContain('abcdefghijklmnop1234567890');
  });

  it('keep little of a tool of another server that is named like the search', async () => {
    const rows = Array.from({ length: 50 }, () => ({
      address: 'A'.repeat(100_000),
      confidence: 'B'.repeat(100_000),
      query: Array.from({ length: 100 }, (_, index) => index + 1).join('+'),
    }));
    const registry = createRegistry().register({
      name: 'search_tools',
      description: 'Answers with large texts.',
      inputSchema: { type: 'object', additionalProperties: true },
      handler: () => ({ content: [], structuredContent: { tools: rows } }),
    });
    const live = startLive(registry);
    const queries = Array.from({ length: 100 }, (_, index) => `question ${index} ${'😀'.repeat(1_000)}`);
    await registry.executeTool({ name: 'search_tools', arguments: { queries } });
    const { questions } = live.statistics();
    expect(questions).toHaveLength(20);
    expect(JSON.stringify(questions).length).toBeLessThan(150_000);
    for (const { query } of questions) expect(query).not.toMatch(/\p{Surrogate}/u);
  });

  it('include the calls of code with the trace of its run, each with its own steps and errors', async () => {
    const { createCodeServer } = await import('../../../code/test/code-server.js');
    const { registry, run } = createCodeServer({
      tools: [
        {
          name: 'read',
          readOnly: true,
          inputSchema: z.object({ id: z.number() }),
          handler: ({ input }: { input: { id: number } }) => {
            if (input.id === 2) throw new Error('no row');
            return input.id;
          },
        },
      ],
      scripts: {
        twice: async ({ call }) => {
          await call('read', { id: 1 });
          return call('read', { id: 2 }).catch(() => 'nothing');
        },
      },
    });
    const page = await connect(startLive(registry));
    await run('twice', { caller: ofPage(), meta: { 'toolfold/trace': 'run-1' } });
    await page.until(() => page.calls().length === 3);
    expect(
      page
        .calls()
        .map(({ address, trace, fault, steps }) => [
          address,
          trace,
          fault?.split('\n')[0],
          steps.map(({ step }) => step).at(-1),
        ]),
    ).toEqual([
      ['read', 'run-1', undefined, 'shape'],
      ['read', 'run-1', 'Error: no row', 'error'],
      ['run_code', 'run-1', undefined, 'shape'],
    ]);
  });

  it('are not observed any more when the page is closed', async () => {
    const registry = createRegistry();
    const live = startLive(registry);
    const page = await connect(live);
    await page.until(() => page.events.length > 0);
    live.close();
    await registry.executeTool(get(1));
    expect(live.statistics().calls).toBe(0);
  });
});
