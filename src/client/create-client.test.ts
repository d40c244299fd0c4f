import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolfoldError } from '../errors.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { createHandler } from '../serve/http/create-handler.js';
import { serveHttp } from '../serve/node/serve-http.js';
import { createClient } from './create-client.js';

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

it('names the address of a server that is not reachable', async () => {
  const server = await serveHttp(registry, { port: 0 });
  await server.close();
  const thrown = await failure(createClient<typeof registry>(server.url));
  expect(thrown.code).toBe('ErrUpstreamLost');
  expect(thrown.message).toContain(String(server.url));
});
