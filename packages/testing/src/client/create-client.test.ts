import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { ToolfoldError } from 'toolfold/errors';
import { createHandler } from 'toolfold/web';
import type { AnyRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { createClient } from './create-client.js';
import type { ClientOptions } from './create-client.js';

const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
  new GroupedToolBuilder('platform').group('users', (g) =>
    g
      .action({
        name: 'list',
        readOnly: true,
        inputSchema: z.object({ limit: z.number().default(2) }),
        outputSchema: z.object({ names: z.array(z.string()) }),
        handler: ({ input }) => ({ names: ['ada', 'bob', 'cy'].slice(0, input.limit) }),
      })
      .action({ name: 'ban', inputSchema: z.object({ id: z.string() }), handler: ({ input }) => input.id }),
  ),
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
  {
    name: 'wait',
    description: 'Waits',
    inputSchema: {},
    handler: ({ context }) =>
      new Promise((_, reject) => {
        context.signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  },
);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
const failure = async (call: Promise<unknown>): Promise<ToolfoldError> => {
  const thrown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ToolfoldError);
  return thrown as ToolfoldError;
};

describe.each(['auto', '2025', '2026'] as const)('a client of protocol %s', (protocol) => {
  it.each(['grouped', 'flat', 'search'] as const)('calls actions that are listed %s', async (form) => {
    const handler = createHandler(registry, { view: { form }, requestLimit: false });
    closers.push(() => handler.close());
    const client = await createClient<typeof registry>('http://localhost/mcp', {
      protocol,
      fetch: (input, init) => handler.fetch(new Request(input, init)),
    });
    closers.push(() => client.close());
    expect((await client.tools.platform.users.list()).names).toEqual(['ada', 'bob']);
    expect((await client.tools.platform.users.list({ limit: 1 })).names).toEqual(['ada']);
    expect((await client.tools.ping()).content).toEqual([{ type: 'text', text: 'pong' }]);
    const invalid = await failure(client.tools.platform.users.ban({ id: 5 as never }));
    expect(invalid).toMatchObject({ code: 'ErrValidationFailed' });
    expect(invalid.message).toContain('id');
  });

  it('calls a server over HTTP, cancels a call and names a tool that is missing', async () => {
    const server = await serveHttp(registry, { port: 0 });
    closers.push(() => server.close());
    await using client = await createClient<typeof registry>(server.url, { protocol });
    expect((await client.tools.platform.users.list()).names).toEqual(['ada', 'bob']);
    const controller = new AbortController();
    const waiting = failure(client.tools.wait({}, { signal: controller.signal }));
    controller.abort();
    expect((await waiting).code).toBe('ErrCancelled');
    const { nothing } = client.tools as unknown as { nothing: () => Promise<unknown> };
    expect(await failure(nothing())).toMatchObject({ code: 'ErrUnknownTool' });
  });
});

const acme = new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
  new GroupedToolBuilder('platform', { namespace: 'acme.eu' })
    .group('users', (g) =>
      g
        .action({
          name: 'list',
          readOnly: true,
          outputSchema: z.object({ names: z.array(z.string()) }),
          handler: () => ({ names: ['ada'] }),
        })
        .action({ name: 'ban', handler: () => 'banned' }),
    )
    .group('keys', (g) => g.action({ name: 'rotate', handler: () => 'rotated' })),
  new GroupedToolBuilder('users').action({ name: 'list', readOnly: true, handler: () => 'own users' }),
  new GroupedToolBuilder('users_admin').action({ name: 'purge', handler: () => 'purged' }),
  {
    name: 'raw',
    description: 'Returns data without a schema',
    inputSchema: {},
    handler: () => ({ content: [{ type: 'text', text: 'raw' }], structuredContent: { raw: true } }),
  },
);
const views = {
  grouped: {},
  flat: { form: 'flat' },
  split: { split: 'risk' },
  search: { form: 'search' },
} as const;
const connect = async <R extends AnyRegistry>(
  all: R,
  { server = {}, ...options }: ClientOptions & { readonly server?: Parameters<typeof createHandler>[1] } = {},
) => {
  const handler = createHandler(all, { requestLimit: false, ...server });
  closers.push(() => handler.close());
  const client = await createClient<R>('http://localhost/mcp', {
    fetch: (input, init) => handler.fetch(new Request(input, init)),
    ...options,
  });
  closers.push(() => client.close());
  return client;
};

describe.each(['2025', '2026'] as const)('a client of protocol %s', (protocol) => {
  it.each(Object.keys(views) as (keyof typeof views)[])(
    'calls actions of groups and namespaces that are listed %s',
    async (form) => {
      const { tools } = await connect(acme, { protocol, server: { view: views[form] } });
      expect(await tools.acme.eu.platform.users.list()).toEqual({ names: ['ada'] });
      expect((await tools.acme.eu.platform.users.ban()).content).toEqual([{ type: 'text', text: 'banned' }]);
      expect((await tools.acme.eu.platform.keys.rotate()).content).toMatchObject([{ text: 'rotated' }]);
      expect((await tools.users.list()).content).toMatchObject([{ text: 'own users' }]);
      expect(await tools.raw()).toMatchObject({
        content: [{ text: 'raw' }],
        structuredContent: { raw: true },
      });
    },
  );

  it.each(Object.keys(views) as (keyof typeof views)[])(
    'never calls an action other than the one of its path, listed %s',
    async (form) => {
      const { tools } = await connect(acme, { protocol, server: { view: views[form] } });
      const users = tools.users as unknown as Record<string, (input?: object) => Promise<unknown>>;
      expect((await failure(users['purge']!())).code).toMatch(/^ErrUnknown(Action|Tool)$/);
      // Input that comes from elsewhere must not choose the action.
      const { platform } = tools.acme.eu;
      const listed = await platform.users
        .list({ action: 'users.ban' } as never)
        .catch((thrown: unknown) => thrown);
      expect(JSON.stringify(listed)).not.toContain('banned');
    },
  );

  it('sends headers and toolsets', async () => {
    const seen: Headers[] = [];
    const one = { name: 'one', description: 'One', inputSchema: {}, handler: () => '1' } as const;
    const two = { ...one, name: 'two', handler: () => '2' } as const;
    const handler = createHandler(new ToolRegistry(), {
      requestLimit: false,
      toolsets: {
        catalog: {
          a: { name: 'A', description: 'A', tools: [one] },
          b: { name: 'B', description: 'B', tools: [two] },
        },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      },
    });
    closers.push(() => handler.close());
    const { tools, close } = await createClient<ToolRegistry>('http://localhost/mcp', {
      protocol,
      headers: { authorization: 'Bearer t', 'x-mcp-toolsets': 'a' },
      toolsets: ['b'],
      fetch: (input, init) => {
        const request = new Request(input, init);
        seen.push(request.headers);
        return handler.fetch(request);
      },
    });
    closers.push(close);
    const untyped = tools as unknown as Record<string, () => Promise<unknown>>;
    expect(await untyped['two']!()).toMatchObject({ content: [{ text: '2' }] });
    expect(await failure(untyped['one']!())).toMatchObject({ code: 'ErrUnknownTool' });
    expect(seen.every((headers) => headers.get('authorization') === 'Bearer t')).toBe(true);
  });

  it('does not cancel a call because a concurrent call was cancelled', async () => {
    const { tools } = await connect(registry, { protocol });
    const controller = new AbortController();
    const cancelled = failure(tools.ping({}, { signal: controller.signal }));
    const other = tools.ping();
    controller.abort();
    expect((await cancelled).code).toBe('ErrCancelled');
    expect((await other).content).toEqual([{ type: 'text', text: 'pong' }]);
  });

  it('cancels calls through the signal of the client, also if the call has its own', async () => {
    const controller = new AbortController();
    const { tools } = await connect(registry, { protocol, signal: controller.signal });
    const waiting = [undefined, new AbortController().signal].map((signal) =>
      failure(tools.wait({}, { signal })),
    );
    controller.abort();
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['ErrCancelled', 'ErrCancelled']);
  });
});

it('explains a wrong address and wrong options', async () => {
  const wrong = async (url: unknown, options: object = {}): Promise<string> => {
    const thrown = await failure(createClient(url as string, options));
    expect(thrown.code).toBe('ErrInvalidOptions');
    return thrown.message;
  };
  expect(await wrong(registry)).toContain('createCaller(registry)');
  expect(await wrong('localhost:3000/mcp')).toContain('the text "localhost:3000/mcp"');
  expect(await wrong('file:///etc/passwd')).toContain('http or https URL');
  expect(await wrong(undefined)).toContain('got undefined');
  const url = 'http://localhost/mcp';
  expect(await wrong(url, { headers: new Headers({ authorization: 'Bearer t' }) })).toContain('headers');
  expect(await wrong(url, { headers: { authorization: undefined } })).toContain('headers');
  expect(await wrong(url, { protocol: '2024' })).toContain('protocol');
});

it('names the address of a server that is not reachable', async () => {
  const server = await serveHttp(registry, { port: 0 });
  await server.close();
  const thrown = await failure(createClient<typeof registry>(server.url));
  expect(thrown.code).toBe('ErrUpstreamLost');
  expect(thrown.message).toContain(String(server.url));
});

it.each(['auto', '2025', '2026'] as const)(
  'says that a server wants another token, and repeats no query of its address, in protocol %s',
  async (protocol) => {
    for (const status of [401, 403]) {
      const url = 'http://localhost/mcp?key=secret';
      const answer = async (): Promise<Response> => new Response('', { status });
      const { code, message } = await failure(createClient(url, { protocol, fetch: answer }));
      expect(code).toBe('ErrUpstreamLost');
      expect(message).toMatch(/^createClient cannot connect to http:\/\/localhost\/mcp: /);
      expect(message).toContain(`(HTTP ${status})`);
      expect(message).toContain('Pass a token');
      expect(message).not.toContain('secret');
    }
  },
);
