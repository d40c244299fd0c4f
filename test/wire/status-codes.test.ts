import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { apiKeys, oauth } from 'toolfold/web';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { startAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import type { TestAuthorizationServer } from '../../packages/toolfold/test/auth/authorization-server.js';
import { modernRequest } from './raw-request.js';

const page = readFileSync(new URL('../../docs/reference/headers.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

type Headers = Record<string, string>;
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const running: RunningServer[] = [];
let release = (): void => {};
let issuer: TestAuthorizationServer;

const toolsets: ToolsetConfig = {
  catalog: { users: { name: 'Users', description: 'People', tools: [tool('list_users')] } },
  moduleLoaders: {},
  startup: { mode: 'STATIC', toolsets: 'ALL' },
  context: {},
  exposurePolicy: {},
};

function tool(name: string, more: object = {}) {
  return { name, description: name, inputSchema: {}, readOnly: true, handler: () => name, ...more };
}

async function serve(options: ServeHttpOptions = {}): Promise<RunningServer> {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: { calls: 1, windowMs: 60_000 } }).register(
    tool('ping'),
    tool('limited'),
    tool('ban', { scopes: ['users:write'] }),
    tool('wait', { handler: () => new Promise<string>((resolve) => (release = () => resolve('done'))) }),
  );
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, ...options });
  running.push(server);
  return server;
}

/** Sends with node:http, because `fetch` does not let programs set `Host`. Resolves to status and headers. */
function send(
  { url }: RunningServer,
  {
    method = 'POST',
    path,
    headers = {},
    body,
  }: { method?: string; path?: string; headers?: Headers; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path ?? url, url), { method, headers }, (response) => {
      const { statusCode = 0, headers: got } = response;
      let text = '';
      const done = (): void => {
        resolve({ status: statusCode, headers: got, body: text });
        // A stream stays open until the end of the test.
        if (got['content-type'] !== 'text/event-stream') response.destroy();
      };
      if (got['content-type'] === 'text/event-stream') done();
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', done);
    });
    sent.on('error', reject).end(body);
  });
}

const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function legacy(server: RunningServer, method: string, headers: Headers = {}, id?: number): Promise<Answer> {
  const params =
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'client', version: '1' } }
      : {};
  const body = JSON.stringify({ jsonrpc: '2.0', method, params, ...(id === undefined ? {} : { id }) });
  return send(server, { headers: { ...types, ...headers }, body });
}

function modern(
  server: RunningServer,
  method: string,
  name?: string,
  headers: Headers = {},
): Promise<Answer> {
  return send(server, modernRequest(method, name === undefined ? {} : { name }, { headers }));
}

async function open(server: RunningServer): Promise<Headers> {
  const { headers } = await legacy(server, 'initialize', {}, 1);
  return { 'mcp-session-id': String(headers['mcp-session-id']) };
}

let plain: RunningServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
  plain = await serve({ toolsets, maxBodyBytes: 2_000, cors: { origins: ['https://app.example.com'] } });
});
afterAll(async () => {
  release();
  for (const { server } of running) server.closeAllConnections();
  await Promise.all(running.map((server) => server.close()));
  await issuer.close();
});

/** A request for each row, by its status and its recipient. */
const requests: Readonly<Record<string, () => Promise<Answer>>> = {
  '200 a request that was answered, successfully or not': () => modern(plain, 'tools/call', 'ping'),
  '200 a caller over its rate limit': async () => {
    await modern(plain, 'tools/call', 'limited');
    const answer = await modern(plain, 'tools/call', 'limited');
    expect(answer.body).toContain('ErrRateLimited');
    expect(answer.body).toContain('retryAfterMs');
    return answer;
  },
  '202 2025: a message without an answer': async () =>
    legacy(plain, 'notifications/initialized', await open(plain)),
  '204 a preflight of an origin that `cors` lists': async () => {
    const asked = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const answer = await send(plain, { method: 'OPTIONS', headers: asked });
    expect(Object.keys(answer.headers)).toEqual(
      expect.arrayContaining([
        'access-control-allow-origin',
        'access-control-allow-methods',
        'access-control-allow-headers',
        'access-control-max-age',
        'vary',
      ]),
    );
    return answer;
  },
  '400 a body that is not JSON': () => send(plain, { headers: types, body: '{' }),
  '400 a body that is nested too deep': () =>
    send(plain, { headers: types, body: `${'['.repeat(101)}${']'.repeat(101)}` }),
  '400 a body with too many JSON values': () =>
    serve({ maxValues: 10 }).then((url) => send(url, { headers: types, body: '[0,0,0,0,0,0,0,0,0,0]' })),
  '400 2026: headers that differ from the body': () =>
    modern(plain, 'tools/call', 'ping', { 'mcp-name': 'pong' }),
  '400 2025: a request without a session': () => legacy(plain, 'tools/list', {}, 1),
  '400 a selection with an unknown name': async () => {
    const answer = await modern(plain, 'tools/list', undefined, { 'x-mcp-toolsets': 'user' });
    expect(answer.body).toContain('Valid: users');
    return answer;
  },
  '401 a caller without valid credentials': async () => {
    const keys = [{ key: 'k'.repeat(32), clientId: 'nightly' }];
    const answer = await modern(await serve({ auth: apiKeys({ keys }) }), 'tools/list');
    expect(answer.headers).toHaveProperty('www-authenticate');
    return answer;
  },
  '403 a host that is not allowed': () =>
    send(plain, { headers: { ...types, host: 'elsewhere.example.com' }, body: '{}' }),
  '403 a web page that is not allowed': () =>
    send(plain, { headers: { ...types, origin: 'https://elsewhere.example.com' }, body: '{}' }),
  '403 an access token without a scope': async () => {
    const server = await serve({
      auth: oauth({ issuer: issuer.issuer, resource: 'https://mcp.example.com/mcp' }),
    });
    const authorization = `Bearer ${await issuer.sign({ scope: 'other' })}`;
    const answer = await modern(server, 'tools/call', 'ban', { authorization });
    expect(answer.headers['www-authenticate']).toContain('users:write');
    return answer;
  },
  '404 an unknown path': () => send(plain, { path: '/elsewhere', headers: types, body: '{}' }),
  '404 2025: a session that is unknown, has ended, belongs to another caller, or was opened with another client id or session context':
    () => legacy(plain, 'tools/list', { 'mcp-session-id': 'unknown' }, 1),
  '404 2026: an unknown method': () => modern(plain, 'tools/unknown'),
  '405 an HTTP method that is not served': async () => {
    const answer = await send(plain, { method: 'PUT', headers: types, body: '{}' });
    expect(answer.headers['allow']).toBe('GET, POST, DELETE');
    return answer;
  },
  '406 2025: `Accept` without a required type': () =>
    legacy(plain, 'initialize', { accept: 'application/json' }, 1),
  '408 a body that does not arrive within `bodyTimeoutMs`': async () =>
    send(await serve({ bodyTimeoutMs: 50 }), { headers: { ...types, 'content-length': '9' }, body: '{' }),
  '409 2025: a second stream of one session': async () => {
    const headers: Headers = { ...(await open(plain)), accept: 'text/event-stream' };
    const first = await send(plain, { method: 'GET', headers });
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'mcp-session-id': headers['mcp-session-id'],
    });
    return send(plain, { method: 'GET', headers });
  },
  '413 a body above `maxBodyBytes`': () => send(plain, { headers: types, body: ' '.repeat(2_001) }),
  '415 a body without the content type of JSON': () =>
    send(plain, { headers: { ...types, 'content-type': 'text/plain' }, body: '{}' }),
  '415 a body that is compressed': () =>
    send(plain, { headers: { ...types, 'content-encoding': 'gzip' }, body: '{}' }),
  '429 a caller above its share of `maxRequests` or `maxStreams`': async () => {
    const keys = [{ key: 'k'.repeat(32), clientId: 'nightly' }];
    const server = await serve({ auth: apiKeys({ keys }), maxRequests: 4 });
    const key = { 'x-api-key': 'k'.repeat(32) };
    void modern(server, 'tools/call', 'wait', key).catch(() => {});
    await expect.poll(async () => (await modern(server, 'tools/list', undefined, key)).status).toBe(429);
    const answer = await modern(server, 'tools/list', undefined, key);
    expect(answer.headers['retry-after']).toBe('1');
    return answer;
  },
  '429 a caller above `requestLimit`': async () => {
    const server = await serve({ requestLimit: { requests: 1, windowMs: 60_000 } });
    await modern(server, 'tools/list');
    return modern(server, 'tools/list');
  },
  '431 headers above `maxHeaderBytes`': () =>
    send(plain, { headers: { ...types, 'x-long': 'x'.repeat(17_000) }, body: '{}' }),
  '500 a request that hits an internal error': async () => {
    const authenticate = (): never => {
      throw new Error('not for clients');
    };
    const answer = await modern(await serve({ auth: { authenticate } }), 'tools/list');
    expect(answer.body).not.toContain('not for clients');
    return answer;
  },
  '503 a request above `maxRequests`': async () => {
    const server = await serve({ maxRequests: 1 });
    void modern(server, 'tools/call', 'wait').catch(() => {});
    await expect.poll(async () => (await modern(server, 'tools/list')).status).toBe(503);
    const answer = await modern(server, 'tools/list');
    expect(answer.headers['retry-after']).toBe('1');
    return answer;
  },
  '503 `/readyz` while the server is not ready': async () =>
    send(await serve({ isReady: () => false }), { method: 'GET', path: '/readyz' }),
};

describe('the status codes of docs/reference/headers.md', () => {
  const rows = [...section('Status codes').matchAll(/^\| (\d{3}) \| (.+?) \| .+ \|$/gm)].map(
    ([, status, who]) => `${status} ${who}`,
  );

  it('each have a request in this file', () => {
    expect(rows).toEqual(Object.keys(requests));
  });

  it.each(rows)('%s', async (row) => {
    const answer = await requests[row]?.();
    expect(answer?.status).toBe(Number(row.slice(0, 3)));
  });
});

describe('the paths of docs/reference/headers.md', () => {
  const rows = [...section('Paths').matchAll(/^\| (`\/.+?) \| (.+?) \| /gm)].flatMap(([, paths = '']) =>
    [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  );

  it('exist', async () => {
    const auth = oauth({ issuer: issuer.issuer, resource: 'https://mcp.example.com/mcp' });
    const catalog = {
      ...toolsets.catalog,
      billing: { name: 'Billing', description: 'Money', tools: [tool('bill')] },
    };
    const open = await serve({ toolsets: { ...toolsets, catalog } });
    const guarded = await serve({ auth });
    const statusOf = async (path: string): Promise<number> => {
      if (path.startsWith('/mcp')) {
        const { server } = open;
        return (await modern({ ...open, url: new URL(path, open.url).href, server }, 'tools/list')).status;
      }
      return (await send(guarded, { method: 'GET', path })).status;
    };
    expect(rows).toHaveLength(8);
    expect(await Promise.all(rows.map(statusOf))).toEqual(rows.map(() => 200));
  });
});
