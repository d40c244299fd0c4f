import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  ClientCredentialsProvider,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig, Authenticator, HandlerOptions } from 'toolfold/web';
import { serveHttp, toNodeListener } from 'toolfold/node';
import { apiKeys, createHandler, oauth } from 'toolfold/web';
import type { RunningServer } from 'toolfold/node';
import { startAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import { modernRequest } from './raw-request.js';

const resource = 'https://mcp.example.com/mcp';
const metadataUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';

const createRegistry = () =>
  new ToolRegistry({ name: 'acme', version: '1.0.0', rateLimiter: false }).register(
    {
      name: 'whoami',
      description: 'Says who is asking',
      inputSchema: {},
      handler: async ({ context }) => {
        const before = context.caller.auth?.['extra'] as { sub?: string } | undefined;
        await new Promise((resolve) => void setTimeout(resolve, Math.random() * 3));
        return `${before?.sub} ${context.accessToken?.slice(-8)}`;
      },
    },
    {
      name: 'remembered',
      description: 'Says who is asking, and remembers it',
      inputSchema: {},
      readOnly: true,
      cached: { ttlMs: 60_000 },
      handler: ({ context }) => String((context.caller.auth?.['extra'] as { sub?: string } | undefined)?.sub),
    },
    {
      name: 'ban',
      description: 'Bans',
      inputSchema: {},
      scopes: ['users:write'],
      handler: () => 'banned',
    },
  );

const modern = (name: string, token?: string, id: number | string = 1) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return modernRequest('tools/call', { name, arguments: {} }, { id, headers });
};

let authority: TestAuthorizationServer;
beforeAll(async () => {
  authority = await startAuthorizationServer({ audience: resource });
});
afterAll(() => authority.close());
const guard = (more: object = {}): Authenticator =>
  oauth({ issuer: authority.issuer, jwksUri: authority.jwksUri, resource, ...more });

/** Sends the same requests to a Node server and to a fetch handler. */
const edges = [
  [
    'serveHttp',
    async (options: HandlerOptions) => {
      const running = await serveHttp(createRegistry(), { port: 0, ...options });
      return {
        ask: (path: string, init: RequestInit) => fetch(new URL(path, running.url), init),
        close: () => running.close(),
      };
    },
  ],
  [
    'a fetch handler',
    async (options: HandlerOptions) => {
      const handler = createHandler(createRegistry(), options);
      return {
        ask: (path: string, init: RequestInit) => handler.fetch(new Request(`http://localhost${path}`, init)),
        close: () => handler.close(),
      };
    },
  ],
] as const;

describe.each(edges)('%s', (_name, open) => {
  const using = async (
    options: HandlerOptions,
    work: (ask: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>,
  ) => {
    const { ask, close } = await open(options);
    await work((path, init = {}) => ask(path, init)).finally(close);
  };

  it('accepts only callers with a token, and runs calls as that caller', async () => {
    await using({ auth: guard({ requiredScopes: ['mcp'] }) }, async (ask) => {
      const token = await authority.sign({ scope: 'mcp' });
      const answer = await ask('/mcp', modern('whoami', token));
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        result: { content: [{ text: `ada ${token.slice(-8)}` }] },
      });
      const rejected = await ask('/mcp', modern('whoami'));
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get('www-authenticate')).toBe(
        `Bearer scope="mcp", resource_metadata="${metadataUrl}"`,
      );
      expect(await rejected.json()).toEqual({
        jsonrpc: '2.0',
        error: { code: -32_000, message: 'An access token is needed.' },
        id: null,
      });
      for (const method of ['GET', 'DELETE', 'PUT'])
        expect((await ask('/mcp', { method })).status, method).toBe(401);
    });
  });

  it('accepts no token from the query, a cookie or the body', async () => {
    await using({ auth: guard() }, async (ask) => {
      const token = await authority.sign();
      const { headers, body } = modern('whoami');
      const inBody = JSON.stringify({ ...(JSON.parse(body) as object), access_token: token });
      for (const [path, init] of [
        [`/mcp?access_token=${token}`, modern('whoami')],
        ['/mcp', { method: 'POST', headers: { ...headers, cookie: `access_token=${token}` }, body }],
        ['/mcp', { method: 'POST', headers, body: inBody }],
      ] as const) {
        const answer = await ask(path, init);
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).not.toContain('error');
      }
    });
  });

  it('rejects a request before it parses the body', async () => {
    await using({ auth: guard(), maxBodyBytes: 100 }, async (ask) => {
      const answer = await ask('/mcp', { method: 'POST', body: 'x'.repeat(10_000) });
      expect(answer.status).toBe(401);
    });
  });

  it('publishes the authorization servers to everyone', async () => {
    await using({ auth: guard({ requiredScopes: ['mcp'] }) }, async (ask) => {
      for (const path of ['/.well-known/oauth-protected-resource', new URL(metadataUrl).pathname]) {
        const answer = await ask(path);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(answer.headers.has('access-control-allow-origin')).toBe(false);
        expect(await answer.json()).toEqual({
          resource,
          authorization_servers: [authority.issuer],
          scopes_supported: ['mcp'],
          bearer_methods_supported: ['header'],
        });
        expect((await ask(path, { method: 'HEAD' })).status).toBe(200);
        const posted = await ask(path, { method: 'POST', body: '{}' });
        expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      }
      expect((await ask('/.well-known/oauth-protected-resource/other')).status).not.toBe(200);
    });
    await using({}, async (ask) => {
      expect((await ask('/.well-known/oauth-protected-resource')).status).not.toBe(200);
    });
  });

  it('challenges a call for missing scopes', async () => {
    await using({ auth: guard() }, async (ask) => {
      const answer = await ask('/mcp', modern('ban', await authority.sign({ scope: 'read' }), 'seven'));
      expect(answer.status).toBe(403);
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer error="insufficient_scope", error_description="This needs the scope users:write.", scope="users:write", resource_metadata="${metadataUrl}"`,
      );
      expect(await answer.json()).toMatchObject({ id: 'seven', error: { code: -32_000 } });
      const granted = await ask('/mcp', modern('ban', await authority.sign({ scope: 'users:write' })));
      expect(await granted.json()).toMatchObject({ result: { content: [{ text: 'banned' }] } });
    });
  });

  it('answers the call with an error if a key cannot get more scopes', async () => {
    const key = 'k'.repeat(40);
    await using({ auth: apiKeys({ keys: [{ key, clientId: 'ci' }] }) }, async (ask) => {
      expect((await ask('/mcp', modern('whoami'))).status).toBe(401);
      const answer = await ask('/mcp', modern('ban', key));
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({
        result: { isError: true, _meta: { 'toolfold/error': { code: 'ErrInsufficientScope' } } },
      });
    });
  });

  it('answers 503 if tokens cannot be verified, and reports the reason', async () => {
    const errors: unknown[] = [];
    const other = await startAuthorizationServer({ audience: resource });
    other.broken = (response) => response.writeHead(500).end();
    const auth = oauth({ issuer: other.issuer, jwksUri: other.jwksUri, resource });
    await using({ auth, onError: (error) => errors.push(error) }, async (ask) => {
      for (let turn = 0; turn < 3; turn++) {
        const answer = await ask('/mcp', modern('whoami', await other.sign()));
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      }
      expect(errors.map(String)).toEqual([`Error: ${other.jwksUri} answered with 500.`]);
    });
    await other.close();
  });

  it.each<[string, Authenticator['authenticate']]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['returns undefined', () => undefined as never],
    ['returns no auth', () => ({ auth: undefined }) as never],
    ['returns a promise of an invalid value', () => Promise.resolve({ auth: null } as never)],
    ['returns true', () => ({ auth: true }) as never],
  ])('rejects all callers if an authenticator %s', async (_what, authenticate) => {
    const errors: unknown[] = [];
    await using({ auth: { authenticate }, onError: (error) => errors.push(error) }, async (ask) => {
      const answer = await ask('/mcp', modern('whoami'));
      expect(answer.status).toBe(500);
      expect(await answer.text()).not.toContain('secret');
      expect(errors).toHaveLength(1);
    });
  });

  it('rejects a caller that an authenticator both accepts and rejects', async () => {
    const rejection = { status: 403, message: 'Blocked.' };
    const authenticate = () => ({ auth: { token: 't', clientId: 'c', scopes: [] }, rejection });
    await using({ auth: { authenticate } }, async (ask) => {
      expect((await ask('/mcp', modern('whoami'))).status).toBe(403);
    });
  });

  it('accepts a custom authenticator', async () => {
    const keys = apiKeys({ keys: [{ key: 'k'.repeat(40), clientId: 'ci' }], header: 'x-api-key' });
    const tokens = guard();
    const auth: Authenticator = {
      ...tokens,
      authenticate: (header) => (header('x-api-key') ? keys : tokens).authenticate(header),
    };
    await using({ auth }, async (ask) => {
      const asked = modern('remembered');
      const withKey = { ...asked, headers: { ...asked.headers, 'x-api-key': 'k'.repeat(40) } };
      expect(await (await ask('/mcp', withKey)).json()).toMatchObject({
        result: { content: [{ text: 'ci' }] },
      });
      const withToken = await ask('/mcp', modern('remembered', await authority.sign()));
      expect(await withToken.json()).toMatchObject({ result: { content: [{ text: 'ada' }] } });
      expect((await ask('/mcp', asked)).headers.get('www-authenticate')).toContain(metadataUrl);
    });
  });

  describe('with CORS', () => {
    const origin = 'https://app.example.com';
    const preflight = (headers: object = {}) => ({
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', ...headers },
    });
    const corsOf = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => /^access-control|^vary$/.test(name)));

    it('disabled sends no CORS headers', async () => {
      await using({ auth: guard(), allowedOrigins: ['app.example.com'] }, async (ask) => {
        const asked = await ask('/mcp', preflight());
        expect([asked.status, corsOf(asked)]).toEqual([405, {}]);
        const init = modern('whoami', await authority.sign());
        const answer = await ask('/mcp', { ...init, headers: { ...init.headers, origin } });
        expect([answer.status, corsOf(answer)]).toEqual([200, {}]);
      });
      await using({}, async (ask) => {
        expect((await ask('/mcp', preflight())).status).toBe(403);
      });
    });

    it('allows a listed origin to send every MCP header', async () => {
      const auth = apiKeys({ keys: [{ key: 'k'.repeat(40), clientId: 'ci' }] });
      await using({ auth, cors: { origins: [origin], maxAgeMs: 60_000 } }, async (ask) => {
        const answer = await ask(
          '/mcp',
          preflight({
            'access-control-request-headers':
              'authorization,mcp-param-region, Mcp-Param-Tenant-Id,x-evil,mcp-parameter,mcp-param-',
          }),
        );
        expect(answer.status).toBe(204);
        expect(await answer.text()).toBe('');
        expect(answer.headers.has('content-length')).toBe(false);
        expect(corsOf(answer)).toEqual({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, POST, DELETE',
          'access-control-allow-headers':
            'x-api-key, authorization, content-type, last-event-id, mcp-client-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-mcp-exclude-tools, x-mcp-readonly, x-mcp-tools, x-mcp-toolsets, mcp-param-region, mcp-param-tenant-id',
          'access-control-max-age': '60',
          vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'access-control-expose-headers': 'mcp-session-id, www-authenticate',
        });
      });
    });

    it('allows a listed origin to send the session context, if it has a header', async () => {
      const header = { name: 'X-Acme-Session', encoding: 'json', allowedKeys: ['tenant'] } as const;
      const toolsets = (enabled: boolean): ToolsetConfig => ({
        catalog: { none: { name: 'None', description: 'Nothing', tools: [] } },
        moduleLoaders: {},
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        context: {},
        sessionContext: { enabled, header },
        exposurePolicy: {},
      });
      for (const enabled of [true, false]) {
        await using({ toolsets: toolsets(enabled), cors: { origins: [origin] } }, async (ask) => {
          const allowed = (await ask('/mcp', preflight())).headers.get('access-control-allow-headers') ?? '';
          expect(allowed.split(', ').includes('x-acme-session')).toBe(enabled);
        });
      }
    });

    it('allows only a listed origin to read answers and rejections', async () => {
      await using({ auth: guard(), cors: { origins: [origin] } }, async (ask) => {
        const readable = {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'mcp-session-id, www-authenticate',
          vary: 'Origin',
        };
        const from = (init: ReturnType<typeof modern>, name: string | undefined) => ({
          ...init,
          headers: { ...init.headers, ...(name === undefined ? {} : { origin: name }) },
        });
        const token = await authority.sign();
        for (const [init, status] of [
          [modern('whoami', token), 200],
          [modern('ban', token), 403],
          [modern('whoami'), 401],
          [{ ...modern('whoami', token), body: '{' }, 400],
        ] as const) {
          const answer = await ask('/mcp', from(init as ReturnType<typeof modern>, origin));
          expect([answer.status, corsOf(answer)]).toEqual([status, readable]);
        }
        expect(corsOf(await ask('/.well-known/oauth-protected-resource', { headers: { origin } }))).toEqual(
          readable,
        );
        for (const other of [
          'https://evil.example',
          'https://app.example.com.evil.example',
          'http://app.example.com',
          'https://app.example.com:8443',
          'null',
        ]) {
          const answer = await ask('/mcp', from(modern('whoami', token), other));
          expect([answer.status, corsOf(answer)], other).toEqual([403, { vary: 'Origin' }]);
          expect((await ask('/mcp', preflight({ origin: other }))).status).toBe(403);
        }
        // Local pages may call the server; their browser decides what they may read.
        const local = await ask('/mcp', from(modern('whoami', token), 'http://localhost:5173'));
        expect([local.status, corsOf(local)]).toEqual([200, { vary: 'Origin' }]);
        const nobody = await ask('/mcp', from(modern('whoami', token), undefined));
        expect([nobody.status, corsOf(nobody)]).toEqual([200, { vary: 'Origin' }]);
      });
    });
  });
});

describe('a caller that a proxy has verified', () => {
  const given = { token: 't', clientId: 'proxy', scopes: [], extra: { sub: 'front' } };
  const never: Authenticator = {
    authenticate: () => {
      throw new Error('was asked');
    },
  };

  it('is not authenticated again', async () => {
    const handler = createHandler(createRegistry(), { auth: never });
    const request = new Request('http://localhost/mcp', modern('remembered'));
    const answer = await handler.fetch(request, { authInfo: given });
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'front' }] } });
    await handler.close();
  });

  it('may be passed with a Node request', async () => {
    const handler = createHandler(createRegistry(), { auth: never });
    const listener = toNodeListener(handler);
    const server = createServer((request, response) =>
      listener(Object.assign(request, { auth: given }), response),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    expect(await (await fetch(url, modern('remembered'))).json()).toMatchObject({
      result: { content: [{ text: 'front' }] },
    });
    await handler.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });

  it('is challenged if its auth names an authorization server', async () => {
    const handler = createHandler(createRegistry());
    const call = (authInfo: typeof given) =>
      handler.fetch(new Request('http://localhost/mcp', modern('ban')), { authInfo });
    expect((await call(given)).status).toBe(200);
    const challenged = await call({ ...given, resourceMetadataUrl: metadataUrl } as typeof given);
    expect(challenged.status).toBe(403);
    expect(challenged.headers.get('www-authenticate')).toContain('scope="users:write"');
    await handler.close();
  });
});

describe('malformed options', () => {
  it.each<[object, string]>([
    [{ auth: null }, 'auth must be'],
    [{ auth: false }, 'auth must be'],
    [{ auth: () => ({ auth: {} }) }, 'auth must be'],
    [{ auth: { authenticate: true } }, 'auth must be'],
    [{ auth: { authenticate: () => {}, headers: ['a b'] } }, 'auth.headers must be'],
    [{ auth: { authenticate: () => {}, metadata: {} } }, 'auth.metadata.resource must be'],
    [
      { auth: { authenticate: () => {}, metadata: { resource, authorization_servers: [] } } },
      'auth.metadata.authorization_servers must be',
    ],
    [{ cors: true }, 'cors must be'],
    [{ cors: {} }, 'cors.origins must be'],
    [{ cors: { origins: [] } }, 'cors.origins must be'],
    [{ cors: { origins: '*' } }, 'cors.origins must be'],
    [{ cors: { origins: ['*'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['null'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['https://a.example', 'b.example'] } }, 'cors.origins[1] must be'],
    [{ cors: { origins: ['https://a.example/'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['https://A.example'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['https://a.example:443'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['file://'] } }, 'cors.origins[0] must be'],
    [{ cors: { origins: ['https://a.example'], maxAgeMs: -1 } }, 'cors.maxAgeMs must be'],
    [{ cors: { origin: ['https://a.example'] } }, 'Did you mean "origins"?'],
  ])('%j are rejected', async (options, message) => {
    expect(() => createHandler(createRegistry(), options as never)).toThrow(message);
    await expect(serveHttp(createRegistry(), { port: 0, ...options } as never)).rejects.toMatchObject({
      code: 'ErrInvalidOptions',
      message: expect.stringContaining(message) as string,
    });
  });

  it('include an authenticator that can never work', async () => {
    const auth = { ...guard(), ready: () => Promise.reject(new Error('no jose')) };
    await expect(serveHttp(createRegistry(), { port: 0, auth })).rejects.toThrow('no jose');
  });
});

describe('over HTTP', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await serveHttp(createRegistry(), { port: 0, auth: guard() });
  });
  afterAll(() => running.close());

  const connect = async (token: () => Promise<string | undefined>, mode: 'auto' | 'legacy' = 'auto') => {
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(running.url), { authProvider: { token } });
    await client.connect(transport);
    return { client, transport };
  };
  const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

  it('rejects two Authorization headers, though Node shows one', async () => {
    const token = await authority.sign();
    const { headers, body } = modern('whoami');
    const status = await new Promise((resolve, reject) => {
      httpRequest(
        running.url,
        {
          method: 'POST',
          headers: { ...headers, Authorization: [`Bearer ${token}`, `Bearer ${token}`] as never },
        },
        (response) => resolve([response.statusCode, response.headers['www-authenticate']]),
      )
        .on('error', reject)
        .end(body);
    });
    expect(status).toEqual([401, expect.stringContaining('The Authorization header is malformed.')]);
  });

  it.each(['auto', 'legacy'] as const)('serves a client with a token (%s)', async (mode) => {
    const { client } = await connect(() => authority.sign({ sub: 'grace' }), mode);
    expect(textOf(await client.callTool({ name: 'whoami' }))).toMatch(/^grace /);
    await client.close();
  });

  it('serves a client of the first SDK with a token', async () => {
    const token = await authority.sign({ sub: 'grace' });
    const client = new FirstClient({ name: 'c', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new FirstHttpTransport(new URL(running.url), { requestInit }) as never);
    expect(textOf(await client.callTool({ name: 'whoami' }))).toMatch(/^grace /);
    await client.close();
  });

  it.each(['auto', 'legacy'] as const)('rejects a client without a token (%s)', async (mode) => {
    await expect(connect(async () => undefined, mode)).rejects.toThrow(UnauthorizedError);
  });

  it('tells a client which scopes a call needs', async () => {
    const { client } = await connect(() => authority.sign({ scope: 'read' }));
    await expect(client.callTool({ name: 'ban' })).rejects.toThrow(InsufficientScopeError);
    await expect(client.callTool({ name: 'ban' })).rejects.toMatchObject({
      requiredScope: 'users:write',
      resourceMetadataUrl: new URL(metadataUrl),
    });
    await client.close();
  });

  it('binds a session to the caller that opened it, through new tokens', async () => {
    let sub = 'ada';
    const { client, transport } = await connect(
      () => authority.sign({ sub, jti: crypto.randomUUID() }),
      'legacy',
    );
    expect(textOf(await client.callTool({ name: 'whoami' }))).toMatch(/^ada /);
    expect(textOf(await client.callTool({ name: 'whoami' }))).toMatch(/^ada /);
    const send = (token: string | undefined, method = 'POST') =>
      fetch(running.url, {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(method === 'POST'
          ? { body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }) }
          : {}),
      });
    const eve = await authority.sign({ sub: 'eve' });
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect((await send(eve, method)).status, method).toBe(404);
      expect((await send(undefined, method)).status, method).toBe(401);
    }
    sub = 'eve';
    await expect(client.callTool({ name: 'whoami' })).rejects.toThrow('Session not found');
    sub = 'ada';
    expect(textOf(await client.callTool({ name: 'whoami' }))).toMatch(/^ada /);
    await client.close();
  });

  it('never gives a caller the identity of another when requests interleave', async () => {
    const people = Array.from({ length: 8 }, (_, index) => `person-${index}`);
    const sessions = new Map(
      await Promise.all(
        people.map(async (sub) => {
          const { client } = await connect(() => authority.sign({ sub }), 'legacy');
          return [sub, client] as const;
        }),
      ),
    );
    const request = fc.record({
      sub: fc.constantFrom(...people),
      how: fc.constantFrom('new token', 'old token', 'session', 'bad token', 'no token'),
      tool: fc.constantFrom('whoami', 'remembered'),
    });
    const old = new Map(
      await Promise.all(people.map(async (sub) => [sub, await authority.sign({ sub })] as const)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 10, maxLength: 40 }), async (requests) => {
        const seen = await Promise.all(
          requests.map(async ({ sub, how, tool }) => {
            if (how === 'session') return textOf(await sessions.get(sub)?.callTool({ name: tool }));
            const token = {
              'new token': await authority.sign({ sub, jti: crypto.randomUUID() }),
              'old token': old.get(sub),
              'bad token': await authority.sign({ sub, aud: 'nobody' }),
              'no token': undefined,
            }[how];
            const response = await fetch(running.url, modern(tool, token));
            if (response.status !== 200) return String(response.status);
            const { result } = (await response.json()) as { result: unknown };
            return textOf(result);
          }),
        );
        const expected = requests.map(({ sub, how }) => (/bad|no/.test(how) ? '401' : sub));
        expect(seen.map((text) => text.split(' ')[0])).toEqual(expected);
      }),
      { numRuns: 25 },
    );
    await Promise.all([...sessions.values()].map((client) => client.close()));
  }, 60_000);
});

describe('a client that knows only the server address', () => {
  it.each(['auto', 'legacy'] as const)('finds the authorization server and connects (%s)', async (mode) => {
    // The address is known only when the server listens, but the guard must name it.
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const auth = oauth({ issuer: authority.issuer, resource: url, requiredScopes: ['mcp'] });
    const handler = createHandler(createRegistry(), { auth });
    server.on('request', toNodeListener(handler));

    const authProvider = new ClientCredentialsProvider({
      clientId: 'robot',
      clientSecret: 'secret',
      expectedIssuer: authority.issuer,
    });
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    expect(JSON.stringify((await client.callTool({ name: 'whoami' })).content)).toContain('robot');
    expect(authProvider.tokens()?.scope).toBe('mcp');
    if (mode === 'auto') {
      // The client lacks a scope, learns which one, gets a token with it and repeats the request.
      expect((await client.callTool({ name: 'ban' })).content).toEqual([{ type: 'text', text: 'banned' }]);
      expect(authProvider.tokens()?.scope?.split(' ').toSorted()).toEqual(['mcp', 'users:write']);
    }
    await client.close();
    await handler.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
});
