import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { Caller } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import type { UpstreamHealth } from '@toolfold/gateway';
import { apiKeys } from 'toolfold/web';
import { connect, follow, serve, subscribe } from '../../../test/wire/followed-servers.js';
import { codeOf, freePort, textOf } from './upstream-servers.js';

const healthCheck = { everyMs: 50, timeoutMs: 2_000, failures: 2 };

function createOrigin(): ToolRegistry {
  return new ToolRegistry({ name: 'origin' })
    .register({ name: 'hello', description: 'Greets', inputSchema: {}, handler: () => 'hello' })
    .registerPrompt({ name: 'greet', handler: () => 'Greet me' })
    .registerResource({ name: 'note', uri: 'note://1', handler: () => 'one' }) as ToolRegistry;
}

/** A server at one address that can be stopped and started. */
async function createAddress(registry: ToolRegistry) {
  const port = await freePort();
  let server: Awaited<ReturnType<typeof serveHttp>> | undefined;
  const start = async (): Promise<void> => {
    server = await serveHttp(registry, { port, closeOnSignals: false });
  };
  const stop = async (): Promise<void> => {
    await server?.close();
    server = undefined;
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}/mcp`, start, stop };
}

describe.each(['2025', '2026'] as const)('a followed %s server at an address', (protocol) => {
  it('loses its items while it is down, with one announcement for each list, and gets them back', async () => {
    const address = await createAddress(createOrigin());
    await address.start();
    const { upstream, gateway, followed } = await follow({ url: address.url }, { protocol, healthCheck });
    const all = { tools: 1, prompts: 1, resources: 1 };
    expect([followed.counts, gateway.counts]).toEqual([all, all]);
    expect(upstream.health).toMatchObject({ state: 'up', failures: 0 });
    const client = await connect(await serve(gateway), '2025');
    const changes: string[] = [];
    gateway.onChange(({ kind }) => changes.push(kind));
    const seen: UpstreamHealth[] = [];
    upstream.onHealth((health) => seen.push(health));
    await address.stop();
    await expect.poll(() => upstream.health.state).toBe('down');
    expect(upstream.health.failures).toBeGreaterThanOrEqual(2);
    expect(upstream.health.reason).toMatch(/lost|reached|answer/);
    expect(gateway.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
    expect(changes).toEqual(['tools', 'prompts', 'resources']);
    expect(codeOf(await gateway.executeTool({ name: 'far_hello', arguments: {} }))).toBe('ErrUnknownTool');
    // The methods stay, because clients have read the capabilities when they connected.
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    // The circuit breaker opens after the second failed attempt.
    await expect.poll(() => seen.some(({ retryAt = 0, since }) => retryAt > since)).toBe(true);
    await address.start();
    await expect.poll(() => upstream.health.state).toBe('up');
    await expect.poll(() => gateway.counts).toEqual(all);
    expect(changes).toEqual(['tools', 'prompts', 'resources', 'tools', 'prompts', 'resources']);
    expect(textOf(await gateway.executeTool({ name: 'far_hello', arguments: {} }))).toBe('hello');
    expect(upstream.health).toMatchObject({ state: 'up', failures: 0 });
    expect(upstream.health.reason).toBeUndefined();
  });

  it('has its subscriptions opened again after a restart, and subscribers hear that the resource may have changed', async () => {
    const origin = createOrigin();
    const address = await createAddress(origin);
    await address.start();
    const { gateway, upstream } = await follow({ url: address.url }, { protocol, healthCheck });
    const client = await connect(await serve(gateway), '2026');
    const { updates } = await subscribe(client, '2026', 'note://1');
    await expect
      .poll(() => {
        origin.notifyResourceUpdated('note://1');
        return updates.length;
      })
      .toBeGreaterThan(0);
    await address.stop();
    await expect.poll(() => upstream.health.failures).toBeGreaterThan(0);
    const before = updates.length;
    await address.start();
    await expect.poll(() => updates.length).toBeGreaterThan(before);
    await expect.poll(() => upstream.health.state).toBe('up');
    const after = updates.length;
    await expect
      .poll(() => {
        origin.notifyResourceUpdated('note://1');
        return updates.length;
      })
      .toBeGreaterThan(after + 1);
  });
});

describe('a server that is down from the start', () => {
  it('makes follow reject, and leaves nothing behind', async () => {
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    const upstream = fromMcpServer({ url }, { healthCheck });
    onTestFinished(() => upstream.close());
    const registry = new ToolRegistry({ name: 'empty' });
    await expect(upstream.follow(registry)).rejects.toThrow('cannot be reached');
    expect(registry.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
    expect(upstream.health).toMatchObject({ state: 'unknown', failures: 1 });
    await upstream.close();
  });

  it('is followed with wait: false as soon as it answers', async () => {
    const address = await createAddress(createOrigin());
    const held = await follow({ url: address.url }, { healthCheck }, { wait: false });
    const { gateway, upstream } = held;
    expect(gateway.counts.tools).toBe(0);
    const client = await connect(await serve(gateway), '2025');
    expect((await client.listPrompts()).prompts).toEqual([]);
    await expect.poll(() => upstream.health.state).toBe('down');
    await address.start();
    await expect.poll(() => gateway.counts).toEqual({ tools: 1, prompts: 1, resources: 1 });
    expect((await client.getPrompt({ name: 'far_greet' })).messages).toHaveLength(1);
    held.stop();
    expect(gateway.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
  });
});

/** Passes requests on to a server, but ends the stream of changes once all four lists were read. Returns the times of the streams. */
async function endStreams(url: string) {
  const streams: number[] = [];
  let lists = 0;
  let end = (): void => undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(url, { method: 'POST', headers: headers as Record<string, string>, body });
    if (body.includes('"subscriptions/listen"')) {
      streams.push(performance.now());
      end = () => void response.end();
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    for await (const chunk of answer.body ?? []) if (!response.writableEnded) response.write(chunk);
    response.end();
    if (body.includes('/list"') && ++lists % 4 === 0) end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, streams };
}

it('opens streams of changes again after growing pauses if they end soon, and calls do not wait for them', async () => {
  const { url, streams } = await endStreams(await serve(createOrigin()));
  const { gateway, upstream } = await follow({ url }, { protocol: '2026', healthCheck: false });
  await expect.poll(() => streams.length).toBe(4);
  const [, second = 0, third = 0, fourth = 0] = streams;
  expect(third - second).toBeGreaterThan(490);
  expect(fourth - third).toBeGreaterThan(990);
  expect(textOf(await gateway.executeTool({ name: 'far_hello', arguments: {} }))).toBe('hello');
  expect(upstream.health.state).toBe('up');
});

describe('follow', () => {
  it('lets a function change the tools, and offers none of them if it throws later', async () => {
    const origin = createOrigin();
    let isBroken = false;
    const { gateway, errors } = await follow(
      { url: await serve(origin) },
      {},
      {
        tools: (tools) => {
          if (isBroken) throw new Error('not reviewed');
          return tools.map((tool) => ({ ...tool, description: `Reviewed: ${tool.description}` }));
        },
        prompts: false,
        resources: false,
      },
    );
    expect(gateway.counts).toEqual({ tools: 1, prompts: 0, resources: 0 });
    expect(gateway.listTools()[0]?.description).toBe('Reviewed: Greets');
    isBroken = true;
    origin.register({ name: 'more', description: 'More', inputSchema: {}, handler: () => 'more' });
    await expect.poll(() => gateway.counts.tools).toBe(0);
    expect(errors.map(String).join(' ')).toContain('not reviewed');
  });

  it('rejects a registry that has items, and unknown options', async () => {
    const upstream = fromMcpServer({ url: await serve(createOrigin()) });
    onTestFinished(() => upstream.close());
    await expect(upstream.follow(createOrigin())).rejects.toThrow('without items');
    await expect(upstream.follow(new ToolRegistry(), { wiat: false } as never)).rejects.toThrow(
      'no option "wiat"',
    );
    await expect(upstream.follow({} as never)).rejects.toThrow('needs a ToolRegistry');
    expect(() => fromMcpServer({ url: 'http://127.0.0.1:1/mcp' }, { healthCheck: { everyMs: 0 } })).toThrow(
      'healthCheck: everyMs must be',
    );
  });

  it('leaves items out whose names are taken in the registry in which it is mounted, and reports them', async () => {
    const { gateway, errors } = await follow({ url: await serve(createOrigin()) });
    const second = fromMcpServer(
      { url: await serve(createOrigin()) },
      { onError: (error) => errors.push(error) },
    );
    onTestFinished(() => second.close());
    const registry = new ToolRegistry({ name: 'second' });
    gateway.mount('near', registry);
    await second.follow(registry);
    expect(gateway.counts).toEqual({ tools: 2, prompts: 2, resources: 1 });
    expect(errors.map(String).join(' ')).toContain('The resource "note://1"');
  });

  it('uses the connection of the session context of each caller', async () => {
    const keys = ['operator', 'ada', 'bob'].map((clientId) => ({
      clientId,
      key: `${clientId}-${'0'.repeat(40)}`,
    }));
    const who = (context: { caller: Caller }) => String(context.caller.auth?.clientId);
    const origin = new ToolRegistry({ name: 'origin' })
      .register({
        name: 'whoami',
        description: 'Says who calls',
        inputSchema: {},
        handler: ({ context }) => who(context),
      })
      .registerPrompt({ name: 'who', handler: ({ context }) => who(context) })
      .registerResource({
        name: 'who',
        uri: 'who://me',
        handler: ({ context }) => who(context),
      }) as ToolRegistry;
    const connected: string[] = [];
    const { gateway } = await follow({
      url: await serve(origin, { auth: apiKeys({ keys }) }),
      headers: ({ tenant = 'operator' }) => {
        connected.push(String(tenant));
        return { authorization: `Bearer ${keys.find(({ clientId }) => clientId === tenant)?.key}` };
      },
    });
    const url = await serve(gateway, {
      toolsets: {
        catalog: {},
        moduleLoaders: {},
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        context: {},
        exposurePolicy: {},
        sessionContext: { header: { name: 'x-tenant', encoding: 'json', allowedKeys: ['tenant'] } },
      },
    });
    for (const era of ['2025', '2026'] as const) {
      for (const tenant of ['ada', 'bob', 'eve']) {
        const client = await connect(url, era, { headers: { 'x-tenant': JSON.stringify({ tenant }) } });
        const call = client.callTool({ name: 'far_whoami', arguments: {} });
        if (tenant === 'eve') {
          expect(await call).toMatchObject({ isError: true });
          await expect(client.readResource({ uri: 'who://me' })).rejects.toThrow('needs valid credentials');
          continue;
        }
        expect((await call).content).toEqual([{ type: 'text', text: tenant }]);
        const { messages } = await client.getPrompt({ name: 'far_who' });
        expect(messages[0]?.content).toMatchObject({ text: tenant });
        expect((await client.readResource({ uri: 'who://me' })).contents).toMatchObject([{ text: tenant }]);
      }
    }
    expect(connected.filter((tenant) => tenant !== 'eve')).toEqual(['operator', 'ada', 'bob']);
  });
});
