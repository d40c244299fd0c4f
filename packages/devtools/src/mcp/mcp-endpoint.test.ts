import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { clientsOfBothEras } from '../../../../test/wire/clients-of-both-eras.js';
import {
  initializeRequest,
  jsonRequest,
  modernRequest,
  taskCapabilities,
} from '../../../../test/wire/raw-request.js';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { internalsOf, observeCalls } from 'toolfold/internal';
import type { EndedCall } from 'toolfold/internal';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { sendProblem } from '../http/answers.js';
import type { PageCaller } from '../page-api.js';
import type { PageSource } from '../page-source.js';
import { createMcpEndpoint } from './mcp-endpoint.js';
import { isPage } from './page-caller.js';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

function createRegistry(version = 'one') {
  return new ToolRegistry({ name: 'acme', version: '1.0.0' })
    .register(
      new GroupedToolBuilder('users')
        .action({
          name: 'whoami',
          description: 'Says who calls.',
          readOnly: true,
          inputSchema: z.object({ wait: z.number().optional() }),
          handler: async ({ input, context }) => {
            await new Promise((resolve) => setTimeout(resolve, input.wait ?? 0));
            const { clientId, extra } = context.caller.auth ?? {};
            return `${version} ${String(clientId)} ${JSON.stringify(extra ?? null)}`;
          },
        })
        .action({
          name: 'remove',
          description: 'Removes a user.',
          scopes: ['users:write'],
          handler: () => 'removed',
        }),
    )
    .register(
      {
        name: 'book',
        description: 'Books a seat.',
        inputSchema: {},
        handler: async ({ context }) => {
          const { seats } = await context.requestInput({
            seats: { message: 'How many seats?', schema: z.object({ count: z.int() }) },
          });
          return `booked ${String(seats.content?.['count'])}`;
        },
      },
      {
        name: 'work',
        description: 'Takes long.',
        inputSchema: {},
        task: { ttlMs: 5_000, pollIntervalMs: 10 },
        handler: async ({ context }) => {
          await context.progress(1, 2, 'half');
          return 'worked';
        },
      },
    )
    .registerPrompt({
      name: 'greet',
      description: 'Greets.',
      inputSchema: z.object({ name: z.string() }),
      handler: ({ input }) => `Hello ${input.name}`,
    })
    .registerResource({
      name: 'readme',
      uri: 'docs://readme',
      description: 'The readme.',
      handler: () => 'Read me.',
    });
}

/** Serves the endpoint for a source, which a test can replace. */
async function start(first: LoadedModule | ToolRegistry, options: { readonly canCall?: boolean } = {}) {
  let loaded: LoadedModule = 'found' in first ? first : { registry: first, found: 'registry' };
  const listeners = new Set<() => void>();
  const source: PageSource = {
    target: 'acme',
    canCall: options.canCall ?? true,
    lockfile: '',
    lockCommand: '',
    current: () => loaded,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    observe: (listener) => observeCalls(internalsOf(loaded.registry), listener),
  };
  const faults: unknown[] = [];
  const endpoint = createMcpEndpoint(source, { onError: (error) => faults.push(error) });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    endpoint
      .handle(request, response, url)
      .catch((error: unknown) => sendProblem(response, error, (unexpected) => faults.push(unexpected)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(async () => {
    await endpoint.close();
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    base,
    endpoint,
    faults,
    replace: (next: ToolRegistry) => {
      loaded = { registry: next, found: 'registry' };
      for (const listener of listeners) listener();
    },
  };
}

const asCaller = (caller: PageCaller): Record<string, string> => ({
  'x-toolfold-caller': Buffer.from(JSON.stringify(caller)).toString('base64url'),
});

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('');

/** Sends a 2026 request, and returns its status and answer. */
async function post(url: string, ...given: Parameters<typeof modernRequest>) {
  const response = await fetch(url, modernRequest(...given));
  const body = await response.text();
  const json = body.startsWith('{') ? body : (/^data: (\{"jsonrpc".*"result".*)$/m.exec(body)?.[1] ?? '{}');
  return {
    status: response.status,
    body,
    answer: JSON.parse(json) as Record<string, Record<string, unknown>>,
  };
}

let base = '';
let path = '';

describe.each(clientsOfBothEras(() => `${base}/${path}`))('a client %s', (_era, connect) => {
  it('calls as the page says, also while other callers do, and by default as the page with all scopes', async () => {
    ({ base } = await start(createRegistry()));
    path = 'grouped/none';
    const callers: PageCaller[] = Array.from({ length: 5 }, (_, index) => ({
      clientId: `client-${index}`,
      extra: { tenant: `t${index}` },
    }));
    const clients = await Promise.all(callers.map((caller) => connect(asCaller(caller))));
    const calls = clients.flatMap((client) =>
      [5, 0, 3].map((wait) => client.callTool({ name: 'users', arguments: { action: 'whoami', wait } })),
    );
    expect((await Promise.all(calls)).map(textOf)).toEqual(
      callers.flatMap(({ clientId, extra }) =>
        [1, 2, 3].map(() => `one ${clientId} ${JSON.stringify(extra)}`),
      ),
    );
    const page = await connect();
    expect(textOf(await page.callTool({ name: 'users', arguments: { action: 'whoami' } }))).toBe(
      'one page null',
    );
    expect(textOf(await page.callTool({ name: 'users', arguments: { action: 'remove' } }))).toBe('removed');
    await Promise.all([...clients, page].map((client) => client.close()));
  });

  it('gets the tools in the form and profile of the path', async () => {
    ({ base } = await start(createRegistry()));
    const names: Record<string, string[]> = {};
    for (path of ['grouped/none', 'flat/openai-strict', 'search/portable', 'server/server']) {
      const client = await connect();
      names[path] = (await client.listTools()).tools.map(({ name }) => name);
      await client.close();
    }
    expect(names['grouped/none']).toEqual(['users', 'book', 'work']);
    expect(names['flat/openai-strict']).toEqual(['users_whoami', 'users_remove', 'book', 'work']);
    expect(names['search/portable']).toContain('search_tools');
    expect(names['server/server']).toEqual(['users', 'book', 'work']);
  });
});

describe('the MCP endpoint of the page', () => {
  it('asks 2025 sessions through their stream, and 2026 requests in rounds', async () => {
    const { base: root } = await start(createRegistry());
    const url = new URL(`${root}/server/server`);
    const first = new FirstClient({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    const respond = async () => ({ action: 'accept' as const, content: { count: 3 } });
    first.setRequestHandler(ElicitRequestSchema, respond);
    await first.connect(new FirstTransport(url) as never);
    expect(textOf(await first.callTool({ name: 'book', arguments: {} }))).toBe('booked 3');
    await first.close();
    const second = new Client(
      { name: 'c', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    second.setRequestHandler('elicitation/create', respond);
    await second.connect(new StreamableHTTPClientTransport(url));
    expect(textOf(await second.callTool({ name: 'book', arguments: {} }))).toBe('booked 3');
    await second.close();
  });

  it('runs tasks, which belong to the caller that started them', async () => {
    const { base: root } = await start(createRegistry());
    const url = `${root}/server/server`;
    const capabilities = taskCapabilities;
    const started = await post(url, 'tools/call', { name: 'work', arguments: {} }, { capabilities });
    const { taskId } = started.answer['result'] as { taskId: string };
    expect(taskId).toBeTypeOf('string');
    const other = await post(
      url,
      'tasks/get',
      { taskId },
      { capabilities, headers: asCaller({ clientId: 'other' }) },
    );
    expect(other.answer).toHaveProperty('error');
    for (;;) {
      const { answer } = await post(url, 'tasks/get', { taskId }, { capabilities });
      const { status, result } = answer['result'] as { status: string; result?: unknown };
      if (status === 'working') continue;
      expect(status).toBe('completed');
      expect(textOf(result)).toBe('worked');
      break;
    }
  });

  it('keeps a 2025 session for the caller that opened it', async () => {
    const { base: root } = await start(createRegistry());
    const url = `${root}/server/server`;
    const [ada, eve] = [asCaller({ clientId: 'ada' }), asCaller({ clientId: 'eve' })];
    const opened = await fetch(url, initializeRequest(ada));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();
    const list = (headers: Record<string, string>) =>
      fetch(url, jsonRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { ...session, ...headers }));
    const [own, other] = [await list(ada), await list(eve)];
    expect([own.status, other.status]).toEqual([200, 404]);
    expect(await own.text()).toContain('users');
    expect(await other.text()).not.toContain('users');
  });

  it('sends progress, and serves prompts and resources', async () => {
    ({ base } = await start(createRegistry()));
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/server/server`)));
    const progress: unknown[] = [];
    const result = await client.callTool(
      { name: 'work', arguments: {} },
      { onprogress: (report) => progress.push(report) },
    );
    expect(textOf(result)).toBe('worked');
    expect(progress).toMatchObject([{ progress: 1, total: 2, message: 'half' }]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['greet']);
    expect(await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Hello Ada' } }],
    });
    expect(await client.readResource({ uri: 'docs://readme' })).toMatchObject({
      contents: [{ text: 'Read me.' }],
    });
    await client.close();
  });

  it('answers with the missing scope, or hides the action, as the server does', async () => {
    const reader = asCaller({ clientId: 'reader', scopes: [] });
    const call = [
      'tools/call',
      { name: 'users', arguments: { action: 'remove' } },
      { headers: reader },
    ] as const;
    const challenging = await start(createRegistry());
    const challenged = await post(`${challenging.base}/server/server`, ...call);
    expect(challenged.body).toContain('users:write');
    const hiding = await start({ registry: createRegistry(), found: 'registry', scopes: 'hide' });
    const hidden = await post(`${hiding.base}/flat/server`, 'tools/list', {}, { headers: reader });
    expect(hidden.body).toContain('users_whoami');
    expect(hidden.body).not.toContain('users_remove');
    const shown = await post(`${hiding.base}/flat/server`, 'tools/list', {});
    expect(shown.body).toContain('users_remove');
  });

  it('rejects a header that names no caller', async () => {
    const { base: root } = await start(createRegistry());
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const header of [
      'not base64!',
      encode([]),
      encode({ scopes: 'all' }),
      encode({ clientId: '' }),
      encode({ extra: [] }),
      encode({ sub: 'ada' }),
      encode({ scopes: Array.from({ length: 1_001 }, () => 'a') }),
    ]) {
      const headers = { 'x-toolfold-caller': header };
      const { status, body } = await post(`${root}/server/server`, 'tools/list', {}, { headers });
      expect([status, body]).toEqual([400, expect.stringContaining('x-toolfold-caller')]);
    }
  });

  it('accepts the names of this machine with any port, and no other', async () => {
    const { base: root } = await start(createRegistry());
    const { port } = new URL(root);
    for (const origin of [`http://127.0.0.1:${port}`, 'http://localhost:5173', 'http://[::1]:4400']) {
      const { status } = await post(`${root}/server/server`, 'tools/list', {}, { headers: { origin } });
      expect(status).toBe(200);
    }
    const foreign = { origin: 'https://evil.example' };
    const { status } = await post(`${root}/server/server`, 'tools/list', {}, { headers: foreign });
    expect(status).toBe(403);
  });

  it('explains unknown forms and profiles, and forms that the server cannot have', async () => {
    const clashing = new ToolRegistry().register(
      new GroupedToolBuilder('a').action({ name: 'b', description: 'One.', handler: () => '' }),
      { name: 'a_b', description: 'Two.', inputSchema: {}, handler: () => '' },
    );
    const { base: root, faults } = await start(clashing);
    for (const [wrong, status, text] of [
      ['sideways/none', 404, 'There is no form \\"sideways\\".'],
      ['flat/nobody', 404, 'There is no profile \\"nobody\\".'],
      ['flat', 404, 'There is no profile'],
      ['flat/none/more', 404, 'Write /mcp/FORM/PROFILE'],
      ['flat/none', 409, 'a_b'],
    ] as const) {
      const answered = await post(`${root}/${wrong}`, 'tools/list');
      expect([answered.status, answered.body]).toEqual([status, expect.stringContaining(text)]);
      expect(answered.answer).toHaveProperty('problem.message');
    }
    expect(faults).toEqual([]);
  });

  it('serves an Exposure as it is, and leaves it open', async () => {
    const registry = createRegistry();
    const exposure = new Exposure(registry, { view: { form: 'flat' } });
    endings.push(() => exposure.close());
    const { base: root, endpoint } = await start({ registry, found: 'registry', exposure });
    for (const form of ['server', 'flat']) {
      const { body } = await post(`${root}/${form}/server`, 'tools/list');
      expect(body).toContain('users_whoami');
    }
    expect(await post(`${root}/grouped/server`, 'tools/list')).toMatchObject({ status: 409 });
    await endpoint.close();
    registry.register({ name: 'later', description: 'Later.', inputSchema: {}, handler: () => '' });
    expect([...(await exposure.viewFor({})).tools.keys()]).toContain('later');
  });

  it('calls the tools of an Exposure as they are written, and refuses profiles that it does not give', async () => {
    const registry = new ToolRegistry().register({
      name: 'tag',
      description: 'Adds labels.',
      inputSchema: z.object({ labels: z.record(z.string(), z.string()), note: z.string().optional() }),
      handler: ({ input }) => JSON.stringify(input),
    });
    const exposure = new Exposure(registry, { view: { form: 'flat', profile: 'openai-strict' } });
    endings.push(() => exposure.close());
    const { base: root } = await start({ registry, found: 'registry', exposure });
    const call = ['tools/call', { name: 'tag', arguments: { labels: { a: 'b' } } }] as const;
    const written = await post(`${root}/flat/none`, ...call);
    expect(textOf(written.answer['result'])).toBe('{"labels":{"a":"b"}}');
    const lists = await Promise.all(
      ['flat/none', 'flat/openai-strict', 'server/server'].map((each) =>
        post(`${root}/${each}`, 'tools/list'),
      ),
    );
    const [asWritten, strict, served] = lists.map(({ body }) => body);
    expect(strict).toBe(served);
    expect(asWritten).not.toBe(served);
    for (const wrong of ['flat/gemini', 'server/portable', 'search/none']) {
      const { status, body } = await post(`${root}/${wrong}`, 'tools/list');
      expect([status, body]).toEqual([409, expect.stringContaining('an Exposure, which sets the')]);
    }
  });

  it('gives the page the forms and profiles that an Exposure chooses by the client', async () => {
    const registry = createRegistry();
    const exposure = new Exposure(registry, { view: { form: 'auto', profile: 'client' } });
    endings.push(() => exposure.close());
    const { base: root } = await start({ registry, found: 'registry', exposure });
    expect((await post(`${root}/flat/codex`, 'tools/list')).body).toContain('users_whoami');
    expect((await post(`${root}/grouped/cursor`, 'tools/list')).body).toContain('"users"');
    expect((await post(`${root}/code/codex`, 'tools/list')).status).toBe(409);
  });

  it('gives every scope to the page, also those of toolsets', async () => {
    const registry = new ToolRegistry();
    const config = {
      catalog: {
        billing: {
          name: 'Billing',
          description: 'Bills.',
          tools: [
            {
              name: 'bill',
              description: 'Bills.',
              inputSchema: {},
              scopes: ['billing'],
              handler: () => 'billed',
            },
          ],
        },
      },
      startup: { mode: 'STATIC' as const, toolsets: 'ALL' as const },
    };
    const { base: root } = await start({ registry, found: 'registry', config });
    const { answer } = await post(`${root}/server/server`, 'tools/call', { name: 'bill', arguments: {} });
    expect(textOf(answer['result'])).toBe('billed');
  });

  it('lists the tools of a saved list, and explains why they cannot be called', async () => {
    const { base: root } = await start(createRegistry(), { canCall: false });
    const url = `${root}/server/server`;
    expect((await post(url, 'tools/list')).body).toContain('"users"');
    const { answer } = await post(url, 'tools/call', { name: 'book', arguments: {} });
    expect(answer['result']).toMatchObject({ isError: true });
    expect(textOf(answer['result'])).toContain('Nothing can be called');
    expect((await post(url, 'resources/read', { uri: 'docs://readme' })).body).toContain(
      'Nothing can be called',
    );
  });

  it('serves the new registry after a reload, and ends the sessions of the old one', async () => {
    const { base: root, replace } = await start(createRegistry('one'));
    const url = `${root}/server/server`;
    const call = ['tools/call', { name: 'users', arguments: { action: 'whoami' } }] as const;
    const client = new FirstClient({ name: 'c', version: '1' });
    await client.connect(new FirstTransport(new URL(url)) as never);
    expect((await post(url, ...call)).body).toContain('one page');
    replace(createRegistry('two'));
    expect((await post(url, ...call)).body).toContain('two page');
    await expect(client.listTools()).rejects.toThrow();
    await client.close();
  });

  it('passes the trace of a request on to observers, in both eras', async () => {
    const registry = createRegistry();
    const calls: EndedCall[] = [];
    observeCalls(internalsOf(registry), (call) => calls.push(call));
    const { base: root } = await start(registry);
    const url = `${root}/flat/gemini`;
    const call = { name: 'users_whoami', arguments: {}, _meta: { 'toolfold/trace': 'old' } };
    await post(
      url,
      'tools/call',
      { name: 'users_whoami', arguments: {} },
      { meta: { 'toolfold/trace': 'new' } },
    );
    const client = new FirstClient({ name: 'c', version: '1' });
    await client.connect(new FirstTransport(new URL(url)) as never);
    await client.callTool(call);
    await client.close();
    expect(calls.map(({ request, address }) => [request.meta?.['toolfold/trace'], address])).toEqual([
      ['new', 'users/whoami'],
      ['old', 'users/whoami'],
    ]);
    expect(calls.map(({ steps }) => steps.length)).toEqual([6, 6]);
    expect(calls.map(({ request }) => isPage(request.caller?.auth))).toEqual([true, true]);
  });
});
