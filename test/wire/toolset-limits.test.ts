import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import type { ServeHttpOptions } from 'toolfold/node';
import { legacyClients, modern } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const sessionContext: ToolsetConfig['sessionContext'] = {
  header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
  credentialKeys: ['accessToken'],
};

async function serve(
  rateLimiter: { calls: number; windowMs: number; anonymousCalls?: number },
  config: Partial<ToolsetConfig> = {},
  options: ServeHttpOptions = {},
) {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter });
  const toolsets = configOf({ startup: { mode: 'STATIC', toolsets: ['basics'] }, ...config });
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets, ...options });
  cleanUps.push(() => server.close());
  return async (headers: Readonly<Record<string, string>>, connect = modern) => {
    const client = await connect(server.url, headers);
    cleanUps.push(() => client.close());
    return client.call('whoami');
  };
}

const auth = {
  authenticate: () => ({ auth: { token: 'x', clientId: 'c', scopes: [], extra: { sub: 'ada' } } }),
};

describe('the rate limit', () => {
  it.each([
    ['of an anonymous caller', {}],
    ['of a verified caller', { auth }],
  ])('cannot be evaded with another credential in every request: %s', async (_, options) => {
    const call = await serve({ calls: 2, windowMs: 60_000 }, { sessionContext }, options);
    const answers = [];
    for (let at = 0; at < 5; at++)
      answers.push(await call({ 'mcp-session-config': JSON.stringify({ accessToken: `made-up-${at}` }) }));
    expect(answers.filter(({ isError }) => isError)).toHaveLength(3);
  });

  it.each([
    ['without a token of the server', {}],
    ['with a token of the server', { accessToken: 'token-of-the-server' }],
  ])('of one anonymous caller is not used up by one at another address: %s', async (_, context) => {
    const call = await serve({ calls: 2, windowMs: 60_000 }, { context }, { trustedProxies: 1 });
    for (let at = 0; at < 5; at++) await call({ 'x-forwarded-for': '203.0.113.1' });
    expect(await call({ 'x-forwarded-for': '203.0.113.1', 'mcp-client-id': 'other' })).toMatchObject({
      isError: true,
    });
    expect(await call({ 'x-forwarded-for': '203.0.113.2' })).toMatchObject({ isError: false });
  });

  it.each([
    ['without a token of the server', {}],
    ['with a token of the server', { accessToken: 'token-of-the-server' }],
  ])('of one session is not used up by one from another address: %s', async (_, context) => {
    const [, connect] = legacyClients[0]!;
    const registry = new ToolRegistry({
      name: 'acme',
      version: '1.0.0',
      rateLimiter: { calls: 2, windowMs: 60_000 },
    });
    const toolsets = configOf({ startup: { mode: 'STATIC', toolsets: ['basics'] }, context });
    const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets, trustedProxies: 1 });
    cleanUps.push(() => server.close());
    const open = async (address: string) => {
      const client = await connect(server.url, { 'x-forwarded-for': address });
      cleanUps.push(() => client.close());
      return client;
    };
    const [greedy, modest] = [await open('203.0.113.1'), await open('203.0.113.2')];
    for (let at = 0; at < 5; at++) await greedy.call('whoami');
    expect(await modest.call('whoami')).toMatchObject({ isError: false });
  });
});

describe('a rejecting onLimitExceeded listener', () => {
  it('causes no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', listener);
    try {
      const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
      const toolsets = configOf({
        startup: { mode: 'DYNAMIC' },
        exposurePolicy: {
          maxActiveToolsets: 1,
          onLimitExceeded: async () => {
            throw new Error('no metrics today');
          },
        },
      });
      const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets });
      cleanUps.push(() => server.close());
      const [, connect] = legacyClients[0]!;
      await connect(`${server.url}/x/users,billing`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});
