import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDemo } from '../../test/page/demo-registry.js';
import { createTestSource, openTestPage } from '../../test/page/page-client.js';

const open = () => openTestPage(createTestSource({ registry: createDemo().registry, found: 'registry' }));

describe('The server of the page', () => {
  it('serves the page under a strict policy, with files that browsers may keep', async () => {
    const page = await open();
    const response = await fetch(`${page.origin}/`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    // The whole policy, because a rule that is missing or wider than before would otherwise go unnoticed.
    expect(policy.split(/; */).toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      'media-src data:',
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
    for (const [name, value] of [
      ['cross-origin-opener-policy', 'same-origin'],
      ['cross-origin-resource-policy', 'same-origin'],
      ['referrer-policy', 'no-referrer'],
      ['x-content-type-options', 'nosniff'],
      ['x-frame-options', 'DENY'],
    ] as const)
      expect(response.headers.get(name), name).toBe(value);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const [, script = ''] = /src="([^"]+\.js)"/.exec(html) ?? [];
    const file = await fetch(new URL(script, `${page.origin}/`));
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    await file.text();
  });

  it('answers HEAD without a body, and other methods with the methods that work', async () => {
    const page = await open();
    const head = await fetch(`${page.origin}/`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    const tree = await page.fetch('/api/others', { method: 'HEAD' });
    expect(tree.status).toBe(200);
    expect(Number(tree.headers.get('content-length'))).toBeGreaterThan(100);
    const put = await page.fetch('/api/tree', { method: 'PUT', body: 'x' });
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, HEAD');
    expect((await page.fetch('/api/view')).headers.get('allow')).toBe('POST');
    const options = await page.fetch('/api/tree', { method: 'OPTIONS' });
    expect(options.status).toBe(405);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
    expect((await fetch(`${page.origin}/`, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  it('reads only its own files', async () => {
    const page = await open();
    for (const path of [
      '/package.json',
      '/..%2fpackage.json',
      '/assets/../../package.json',
      '/%2e%2e/x',
      '/a%00b',
    ])
      expect((await fetch(`${page.origin}${path}`)).status, path).toBe(404);
    expect(
      await page.send('GET /../../etc/passwd HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 404/);
  });

  it.each([
    ['no token', {}, 401],
    ['an empty token', { 'x-toolfold-token': '' }, 401],
    ['a wrong token', { 'x-toolfold-token': 'x'.repeat(43) }, 401],
    ['two tokens', { 'x-toolfold-token': 'TOKEN, TOKEN' }, 401],
    ['the token and more', { 'x-toolfold-token': 'TOKENx' }, 401],
    ['the token as authorization', { authorization: 'Bearer TOKEN' }, 401],
    ['the token as a cookie', { cookie: 'x-toolfold-token=TOKEN' }, 401],
    ['the page of another site', { 'x-toolfold-token': 'TOKEN', origin: 'https://evil.example' }, 403],
    ['a page without an origin', { 'x-toolfold-token': 'TOKEN', origin: 'null' }, 403],
    ['a page of another port', { 'x-toolfold-token': 'TOKEN', origin: 'http://127.0.0.1:1' }, 403],
    ['a page of another scheme', { 'x-toolfold-token': 'TOKEN', origin: 'https://HOST' }, 403],
    [
      'a page of another site without an origin',
      { 'x-toolfold-token': 'TOKEN', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    [
      'a page of another port of this site',
      { 'x-toolfold-token': 'TOKEN', 'sec-fetch-site': 'same-site' },
      403,
    ],
    [
      'a link of another site to the API',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      403,
    ],
    [
      'the page itself',
      { 'x-toolfold-token': 'TOKEN', origin: 'http://HOST', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['a program', { 'x-toolfold-token': 'TOKEN' }, 200],
  ])('answers %s with the right status', async (_, given, status) => {
    const page = await open();
    const headers = Object.entries(given).map(
      ([name, value]) =>
        `${name}: ${value.replaceAll('TOKEN', page.token).replaceAll('HOST', new URL(page.origin).host)}\r\n`,
    );
    const answer = await page.send(
      `GET /api/others HTTP/1.1\r\nhost: ${new URL(page.origin).host}\r\n${headers.join('')}connection: close\r\n\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('content-security-policy');
    expect(page.errors).toEqual([]);
  });

  it.each([
    ['GET', '/api/others'],
    ['GET', '/api/events'],
    ['GET', '/api/live'],
    ['POST', '/api/view'],
    ['POST', '/mcp/server/server'],
    ['POST', '/mcp/flat/none'],
    ['GET', '/mcp/server/server'],
    ['DELETE', '/mcp/server/server'],
  ])('protects %s %s like everything else', async (method, path) => {
    const page = await open();
    const own = new URL(page.origin).host;
    const ask = (host: string, headers: readonly string[]): Promise<string> =>
      page.send(
        [
          `${method} ${path} HTTP/1.1`,
          `host: ${host}`,
          ...headers,
          ...(method === 'POST' ? ['content-type: application/json', 'content-length: 2'] : []),
          'connection: close',
          '',
          method === 'POST' ? '{}' : '',
        ].join('\r\n'),
      );
    const token = `x-toolfold-token: ${page.token}`;
    expect(await ask(own, [])).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask(own, [`x-toolfold-token: ${'x'.repeat(43)}`])).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask('evil.example', [token])).toMatch(/^HTTP\/1\.1 421 /);
    expect(await ask(own, [token, 'origin: https://evil.example'])).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(own, [token, 'sec-fetch-site: cross-site'])).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each([
    ['evil.example', 421],
    ['evil.example:4400', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1@evil.example', 421],
    ['0.0.0.0', 421],
    ['127.0.0.2', 421],
    ['[::]', 421],
    ['[::ffff:127.0.0.1]', 421],
    ['2130706433', 421],
    ['', 421],
    ['127.0.0.1', 200],
    ['127.0.0.1:4400', 200],
    ['localhost:4400', 200],
    ['LOCALHOST', 200],
    ['[::1]:4400', 200],
  ])('answers requests to the host "%s" with %i', async (host, status) => {
    const page = await open();
    for (const path of ['/', '/api/others']) {
      const answer = await page.send(
        `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nx-toolfold-token: ${page.token}\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  it('lets a link of another site open the page, which has no token then', async () => {
    const page = await open();
    const ask = (path: string, { method = 'GET', mode = 'navigate', dest = 'document', more = '' } = {}) =>
      page.send(
        `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-toolfold-token: ${page.token}\r\nsec-fetch-site: cross-site\r\n` +
          `sec-fetch-mode: ${mode}\r\nsec-fetch-dest: ${dest}\r\n${more}connection: close\r\n\r\n`,
      );
    expect(await ask('/')).toMatch(/^HTTP\/1\.1 200/);
    expect(await ask('/', { mode: 'no-cors' })).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask('/', { dest: 'iframe' })).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask('/', { method: 'POST' })).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask('/', { more: 'origin: https://evil.example\r\n' })).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask('/index.html')).toMatch(/^HTTP\/1\.1 403/);
    expect(await ask('/api/others')).toMatch(/^HTTP\/1\.1 403/);
  });

  it.each(['//evil.example/api/others', '/\\evil.example/api/others', '/\\\\evil.example/'])(
    'refuses the path %s, because a URL parser reads a host in it',
    async (path) => {
      const page = await open();
      const answer = await page.send(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-toolfold-token: ${page.token}\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400/);
      expect(answer).toContain('not a path');
    },
  );

  it('survives malformed requests', async () => {
    const page = await open();
    const host = 'host: 127.0.0.1\r\nconnection: close\r\n';
    const sent = [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET http://evil.example/api/tree HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
      `GET //evil.example/api/tree HTTP/1.1\r\n${host}\r\n`,
      `GET http://[ HTTP/1.1\r\n${host}\r\n`,
      `GET * HTTP/1.1\r\n${host}\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
      `GET /?${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/1.1\r\n${host}x: ${'y'.repeat(20_000)}\r\n\r\n`,
      `POST /api/view HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /api/view HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}${host}evil\r\n\r\n`,
      '\0\0\0\0',
    ];
    await Promise.all(
      sent.map(async (text) => {
        const answer = await page.send(text.endsWith('\r\n\r\n') ? text : `${text}\r\n\r\n`);
        expect(answer, JSON.stringify(text.slice(0, 60))).not.toMatch(/^HTTP\/1\.1 [23]/);
      }),
    );
    expect(await page.get('/api/others')).toBeDefined();
    expect(page.errors).toEqual([]);
  });

  it.each([
    ['text instead of JSON', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'must be JSON'],
    [
      'a form',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'must be JSON',
    ],
    ['broken JSON', { body: '{"a":' }, 400, 'not valid JSON'],
    ['an empty body', { body: '' }, 400, 'not valid JSON'],
    ['a list', { body: '[]' }, 400, 'must be an object'],
    ['a number', { body: '1' }, 400, 'must be an object'],
    ['null', { body: 'null' }, 400, 'must be an object'],
    ['a deep body', { body: `${'['.repeat(5_000)}${']'.repeat(5_000)}` }, 400, 'nested deeper'],
    ['many values', { body: `[${'1,'.repeat(200_000)}1]` }, 400, 'nested deeper'],
    ['a body above 1 MiB', { body: `"${'x'.repeat(1024 * 1024)}"` }, 413, 'more than 1 MiB'],
    ['a field that does not exist', { body: '{"toolset":["a"]}' }, 400, 'Did you mean "toolsets"'],
    ['a wrong form', { body: '{"form":"serch"}' }, 400, 'form must be'],
    ['a wrong caller', { body: '{"caller":{"scopes":"money"}}' }, 400, 'scopes must be'],
    ['a client without a name', { body: '{"client":{}}' }, 400, 'name must be'],
    ['a prototype', { body: '{"__proto__":{"form":"flat"}}' }, 400, 'has no option'],
  ] as [string, RequestInit, number, string][])(
    'refuses %s with a reason',
    async (_, init, status, message) => {
      const page = await open();
      const failed = await page.fail('/api/view', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...init,
      });
      expect(failed).toMatchObject({ status, message: expect.stringContaining(message) as unknown });
      expect(page.errors).toEqual([]);
    },
  );

  it('stops reading a chunked body above 1 MiB, and closes the connection', async () => {
    const page = await open();
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await page.send(
      `POST /api/view HTTP/1.1\r\nhost: 127.0.0.1\r\nx-toolfold-token: ${page.token}\r\n` +
        `content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it.each([
    ['/api/tre', 404, 'Did you mean "/api/tree"'],
    ['/api/constructor', 404, 'There is no endpoint'],
    ['/api/tree/', 404, 'There is no endpoint'],
    ['/api/tree?form=flat', 400, 'has no parameter "form"'],
    ['/api/item', 400, 'needs the parameter "address"'],
    ['/api/item?adress=shop', 400, 'Did you mean "address"'],
    ['/api/item?address=shop&address=notes', 400, 'given twice'],
    ['/api/item?address=&address=notes', 400, 'given twice'],
    ['/api/item?address=shop/orders.lst', 404, 'Did you mean "shop/orders.list"'],
    ['/api/item?address=%E2%80%AEgpj', 404, 'No tool or action'],
    ['/api/cost?form=flatt&profile=none', 400, 'Did you mean "flat"'],
    ['/api/cost?form=flat&profile=gemni', 400, 'Did you mean "gemini"'],
    ['/api/cost?form=flat&profile=constructor', 400, 'There is no profile'],
    ['/api/search?query=%20', 400, 'The question is empty'],
    ['/api/search?query=a&limit=0', 400, 'limit must be'],
    ['/api/search?query=a&limit=1e9', 400, 'limit must be'],
    ['/api/search?query=a&tool=shop/order.list', 404, 'Did you mean "shop/orders.list"'],
  ])('answers %s with %i', async (path, status, message) => {
    const page = await open();
    expect(await page.fail(path)).toMatchObject({
      status,
      message: expect.stringContaining(message) as unknown,
    });
    expect(page.errors).toEqual([]);
  });

  it('limits the length of a question, and the tools that are explained with it', async () => {
    const page = await open();
    expect(await page.fail(`/api/search?query=${'x'.repeat(2_001)}`)).toMatchObject({
      status: 400,
      message: expect.stringContaining('At most 2,000') as unknown,
    });
    expect(await page.fail(`/api/search?query=a${'&tool=notes/add'.repeat(21)}`)).toMatchObject({
      status: 400,
      message: expect.stringContaining('At most 20') as unknown,
    });
  });

  it('ends all connections when it is closed, also those that send nothing', async () => {
    const page = await open();
    const idle = connect(page.port, '127.0.0.1');
    const ended = new Promise<void>((resolve) => idle.once('close', () => resolve()));
    await new Promise<void>((resolve) => idle.once('connect', () => resolve()));
    const events = await page.fetch('/api/events');
    const stream = events.text().catch(() => 'ended');
    await page.close();
    await page.close();
    await ended;
    await stream;
    await expect(fetch(`${page.origin}/`)).rejects.toThrow('fetch failed');
    expect(page.errors).toEqual([]);
  });

  it('serves many connections at once', async () => {
    const page = await open();
    const answers = await Promise.all(Array.from({ length: 200 }, () => page.fetch('/api/others')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(answers.map((answer) => answer.text()));
  });
});
