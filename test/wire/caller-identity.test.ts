import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolRegistryOptions } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { oauth } from 'toolfold/web';
import type { ServeHttpOptions } from 'toolfold/node';
import { startAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

type Json = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of cleanUps.splice(0)) await end();
});

/** A registry whose action counts its runs. */
function createRegistry(options: ToolRegistryOptions<unknown> = {}) {
  let runs = 0;
  const registry = new ToolRegistry({ name: 'bank', version: '1.0.0', ...options }).register({
    name: 'pay',
    description: 'Pays',
    inputSchema: {},
    idempotency: true,
    handler: ({ context }) => `run ${++runs} for ${context.caller.address ?? 'nobody'}`,
  });
  return { registry, runs: () => runs };
}

/** Adds headers to every request. */
const withHeaders = (face: Face, headers: Headers): Face => ({
  ...face,
  send: (init) => face.send({ ...init, headers: { ...init.headers, ...headers } }),
});

const serve = async (registry: ToolRegistry, options: ServeHttpOptions = {}): Promise<Face> => {
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, ...options });
  cleanUps.push(() => server.close());
  return { send: (init) => fetch(server.url, init), close: async () => {} } as Partial<Face> as Face;
};

const paid = (key: string): Json => ({ name: 'pay', _meta: { 'toolfold/idempotencyKey': key } });

/** Pays once, as a new 2025 or 2026 client. */
const eras: readonly [string, (face: Face, params: Json) => Promise<Json>][] = [
  ['2025', async (face, params) => (await openSession(face)).request('tools/call', params)],
  [
    '2026',
    async (face, { _meta, ...params }) => {
      const meta = _meta as Json | undefined;
      const client = createModernClient(face, meta ? { meta } : {});
      return (await client.request('tools/call', params)) as unknown as Json;
    },
  ],
];
const textOf = ({ result }: Json): string => (result as { content: [{ text: string }] }).content[0].text;
const isPaid = ({ result }: Json): boolean => (result as Json)['isError'] !== true;

describe('anonymous clients do not escape rate limits', () => {
  it.each(faces)('by opening sessions over %s', async (_, open) => {
    const { registry } = createRegistry({ rateLimiter: { calls: 5, windowMs: 60_000 } });
    const face = await open(registry);
    cleanUps.push(face.close);
    const answers: Json[] = [];
    for (let count = 0; count < 4; count++) {
      const session = await openSession(face);
      for (let call = 0; call < 5; call++) answers.push(await session.call('pay'));
    }
    expect(answers.filter(isPaid)).toHaveLength(5);
  });

  it.each(faces)(
    'with anonymousCalls, by opening sessions under other client ids over %s',
    async (_, open) => {
      const { registry } = createRegistry({
        rateLimiter: { calls: 10, windowMs: 60_000, anonymousCalls: 10 },
      });
      const face = await open(registry);
      cleanUps.push(face.close);
      const answers: Json[] = [];
      for (let count = 0; count < 40; count++) {
        const session = await openSession(withHeaders(face, { 'mcp-client-id': `client ${count}` }));
        answers.push(await session.call('pay'));
      }
      expect(answers.filter(isPaid)).toHaveLength(10);
    },
  );

  it.each(eras)('by coming from many addresses: %s', async (_, pay) => {
    const { registry } = createRegistry({ rateLimiter: { calls: 3, windowMs: 60_000, anonymousCalls: 8 } });
    const face = await serve(registry, { trustedProxies: 1 });
    const from = async (address: string): Promise<boolean> =>
      isPaid(await pay(withHeaders(face, { 'x-forwarded-for': address }), { name: 'pay' }));
    const paidFrom = async (addresses: readonly string[]): Promise<number> => {
      const answers: boolean[] = [];
      for (const address of addresses) answers.push(await from(address));
      return answers.filter(Boolean).length;
    };
    expect(await paidFrom(Array<string>(5).fill('203.0.113.1'))).toBe(3);
    // An IPv6 client controls 64 bits of its address. Forged entries before the last do not count.
    expect(await paidFrom(Array.from({ length: 5 }, (_each, at) => `1.1.1.${at}, 2001:db8::${at}`))).toBe(3);
    expect(await paidFrom(Array.from({ length: 20 }, (_each, at) => `2001:db8:${at}:1::1`))).toBe(2);
  });
});

describe('a repeated idempotency key runs once', () => {
  it.each(eras)('for an anonymous client in a new session: %s', async (_, pay) => {
    const { registry, runs } = createRegistry();
    const face = await serve(registry);
    const texts = [await pay(face, paid('k')), await pay(face, paid('k'))].map(textOf);
    expect(new Set(texts).size).toBe(1);
    expect(runs()).toBe(1);
  });

  it('for an anonymous client that changes from one protocol era to the other', async () => {
    const { registry, runs } = createRegistry();
    const face = await serve(registry);
    for (const [, pay] of eras) await pay(face, paid('k'));
    expect(runs()).toBe(1);
  });

  it.each(eras)('for each address, without sharing answers: %s', async (_, pay) => {
    const { registry, runs } = createRegistry();
    const face = await serve(registry, { trustedProxies: 1 });
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
      const answer = await pay(withHeaders(face, { 'x-forwarded-for': address }), paid('k'));
      expect(textOf(answer)).toContain(address);
    }
    expect(runs()).toBe(2);
  });
});

describe('with OAuth', () => {
  let issuer: TestAuthorizationServer;
  beforeAll(async () => {
    issuer = await startAuthorizationServer();
  });
  afterAll(() => issuer.close());

  const serveBehind = (registry: ToolRegistry): Promise<Face> => {
    const resource = 'https://mcp.example.com/mcp';
    return serve(registry, { auth: oauth({ issuer: issuer.issuer, jwksUri: issuer.jwksUri, resource }) });
  };
  let count = 0;
  /** Pays with a new token. */
  const payWith = async (
    pay: (face: Face, params: Json) => Promise<Json>,
    face: Face,
    claims: Json,
    params: Json,
  ): Promise<Json> => {
    const token = await issuer.sign({ jti: `${count++}`, ...claims });
    return pay(withHeaders(face, { authorization: `Bearer ${token}` }), params);
  };
  const service = { sub: undefined, client_id: 'service' };

  describe('a repeated idempotency key runs once', () => {
    it.each(eras)('for tokens without a subject, after a refresh: %s', async (_, pay) => {
      const { registry, runs } = createRegistry();
      const face = await serveBehind(registry);
      const tokens = [service, { ...service, scope: 'read', exp: Math.floor(Date.now() / 1_000) + 600 }];
      for (const claims of tokens)
        expect(textOf(await payWith(pay, face, claims, paid('k')))).toMatch(/^run 1 /);
      expect(runs()).toBe(1);
    });

    it.each(eras)('for a subject, after a refresh: %s', async (_, pay) => {
      const { registry, runs } = createRegistry();
      const face = await serveBehind(registry);
      for (const scope of ['read', 'write']) await payWith(pay, face, { sub: 'ada', scope }, paid('k'));
      expect(runs()).toBe(1);
    });

    it.each(eras)('for each caller, without sharing answers: %s', async (_, pay) => {
      const { registry, runs } = createRegistry();
      const face = await serveBehind(registry);
      const callers: Json[] = [
        service,
        { ...service, client_id: 'other' },
        { ...service, user_id: 'ada' },
        { ...service, user_id: 'bob' },
        { sub: 'ada', client_id: 'service' },
        { sub: 'bob', client_id: 'service' },
        { sub: 'bob', client_id: 'service', org_id: 'acme' },
        { sub: undefined },
        { sub: undefined },
      ];
      const texts: string[] = [];
      for (const claims of callers) texts.push(textOf(await payWith(pay, face, claims, paid('k'))));
      expect(new Set(texts).size).toBe(callers.length);
      expect(runs()).toBe(callers.length);
    });
  });

  it.each(eras)('a new token gives no caller a new rate limit: %s', async (_, pay) => {
    const { registry } = createRegistry({ rateLimiter: { calls: 3, windowMs: 60_000 } });
    const face = await serveBehind(registry);
    for (const claims of [service, { sub: 'ada' }, { sub: undefined }]) {
      const answers: Json[] = [];
      for (let call = 0; call < 6; call++) answers.push(await payWith(pay, face, claims, { name: 'pay' }));
      expect(answers.filter(isPaid)).toHaveLength(3);
    }
  });
});
