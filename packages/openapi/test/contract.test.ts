import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParameterPlan, ParameterStyle } from '../src/request-plan.js';
import { ApiServer, headerOf } from './api-server.js';
import { bodyOf, contextOf, parameterOf, planOf, propertyOf, schemeOf, senderTo } from './plans.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const context = contextOf();
const primitive = 'blue';
const list = ['blue', 'black', 'brown'];
const object = { R: 100, G: 200, B: 150 };

type Row = readonly [style: ParameterStyle, explode: boolean, value: unknown, expected: string];

/** The examples of the OpenAPI standard, for the parameter `color`. */
const pathRows: readonly Row[] = [
  ['simple', false, primitive, 'blue'],
  ['simple', true, primitive, 'blue'],
  ['simple', false, list, 'blue,black,brown'],
  ['simple', true, list, 'blue,black,brown'],
  ['simple', false, object, 'R,100,G,200,B,150'],
  ['simple', true, object, 'R=100,G=200,B=150'],
  ['label', false, primitive, '.blue'],
  ['label', true, primitive, '.blue'],
  ['label', false, list, '.blue,black,brown'],
  ['label', true, list, '.blue.black.brown'],
  ['label', false, object, '.R,100,G,200,B,150'],
  ['label', true, object, '.R=100.G=200.B=150'],
  ['matrix', false, '', ';color'],
  ['matrix', false, primitive, ';color=blue'],
  ['matrix', true, primitive, ';color=blue'],
  ['matrix', false, list, ';color=blue,black,brown'],
  ['matrix', true, list, ';color=blue;color=black;color=brown'],
  ['matrix', false, object, ';color=R,100,G,200,B,150'],
  ['matrix', true, object, ';R=100;G=200;B=150'],
];

const queryRows: readonly Row[] = [
  ['form', true, '', '?color='],
  ['form', false, '', '?color='],
  ['form', true, primitive, '?color=blue'],
  ['form', false, primitive, '?color=blue'],
  ['form', true, list, '?color=blue&color=black&color=brown'],
  ['form', false, list, '?color=blue,black,brown'],
  ['form', true, object, '?R=100&G=200&B=150'],
  ['form', false, object, '?color=R,100,G,200,B,150'],
  ['spaceDelimited', false, list, '?color=blue%20black%20brown'],
  ['spaceDelimited', false, object, '?color=R%20100%20G%20200%20B%20150'],
  ['spaceDelimited', true, list, '?color=blue&color=black&color=brown'],
  ['pipeDelimited', false, list, '?color=blue%7Cblack%7Cbrown'],
  ['pipeDelimited', false, object, '?color=R%7C100%7CG%7C200%7CB%7C150'],
  ['deepObject', true, object, '?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
  [
    'deepObject',
    true,
    { a: { b: [1, { c: true }] } },
    '?color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true',
  ],
  ['form', true, [], ''],
  ['form', true, {}, ''],
  ['form', false, [], ''],
  ['form', true, null, ''],
  ['form', true, undefined, ''],
  ['form', true, ['a', null, 'b'], '?color=a&color=b'],
  ['form', true, { a: null, b: 1 }, '?b=1'],
  ['form', true, 0, '?color=0'],
  ['form', true, false, '?color=false'],
  ['form', true, [{ a: 1 }], '?color=%7B%22a%22%3A1%7D'],
  ['form', false, ['a,b', 'c'], '?color=a%2Cb,c'],
  ['form', true, "é &=+#/?%\u0000!'()*", '?color=%C3%A9%20%26%3D%2B%23%2F%3F%25%00%21%27%28%29%2A'],
];

async function send(parameter: ParameterPlan, value: unknown, path = '/things'): Promise<void> {
  await senderTo(`${server.origin}/v1/`)(
    planOf({ path, parameters: [parameter] }),
    { [parameter.field]: value },
    context,
  );
}

describe('a parameter of a request', () => {
  it.each(pathRows)(
    'in the path with style %s, explode %s and value %j is sent as %s',
    async (style, explode, value, expected) => {
      await send(parameterOf('path', 'color', { style, explode }), value, '/things/{color}/end');
      expect(server.last).toMatchObject({ method: 'GET', target: `/v1/things/${expected}/end` });
    },
  );

  it.each(queryRows)(
    'in the query with style %s, explode %s and value %j is sent as %s',
    async (style, explode, value, expected) => {
      await send(parameterOf('query', 'color', { style, explode }), value);
      expect(server.last.target).toBe(`/v1/things${expected}`);
    },
  );

  it.each([
    ['simple', false, primitive, 'blue'],
    ['simple', false, list, 'blue,black,brown'],
    ['simple', true, list, 'blue,black,brown'],
    ['simple', false, object, 'R,100,G,200,B,150'],
    ['simple', true, object, 'R=100,G=200,B=150'],
    ['simple', false, 'a b/ü%', 'a b/ü%'],
  ] satisfies Row[])(
    'in a header with style %s, explode %s and value %j is sent as %s',
    async (style, explode, value, expected) => {
      await send(parameterOf('header', 'X-Color', { style, explode }), value);
      expect(headerOf(server.last, 'x-color')).toEqual([expected]);
    },
  );

  it.each([
    ['form', true, primitive, 'color=blue'],
    ['form', false, list, 'color=blue,black,brown'],
    ['form', true, list, 'color=blue; color=black; color=brown'],
    ['form', false, object, 'color=R,100,G,200,B,150'],
    ['form', true, 'a;b="c", d', 'color=a%3Bb%3D%22c%22%2C%20d'],
  ] satisfies Row[])(
    'in a cookie with style %s, explode %s and value %j is sent as %s',
    async (style, explode, value, expected) => {
      await send(parameterOf('cookie', 'color', { style, explode }), value);
      expect(headerOf(server.last, 'cookie')).toEqual([expected]);
    },
  );

  it('keeps reserved characters with allowReserved, except those that would end the value', async () => {
    await send(parameterOf('query', 'q', { allowReserved: true }), ":/?#[]@!$&'()*+,;=% é");
    expect(server.last.target).toBe('/v1/things?q=:/?%23[]@!$%26%27()*%2B,;=%25%20%C3%A9');
  });

  it('with content is sent as JSON', async () => {
    await send(parameterOf('query', 'filter', { mediaType: 'application/json' }), { a: [1, 'x'] });
    expect(server.last.target).toBe('/v1/things?filter=%7B%22a%22%3A%5B1%2C%22x%22%5D%7D');
    await send(parameterOf('path', 'filter', { mediaType: 'application/json' }), 'x', '/a/{filter}');
    expect(server.last.target).toBe('/v1/a/%22x%22');
    await send(parameterOf('header', 'X-Filter', { mediaType: 'application/json' }), { a: 1 });
    expect(headerOf(server.last, 'x-filter')).toEqual(['{"a":1}']);
  });

  it('is sent under its name in the specification, not under the name of its field', async () => {
    await send(parameterOf('query', 'page[size]', { field: 'page_size' }), 5);
    expect(server.last.target).toBe('/v1/things?page%5Bsize%5D=5');
  });

  const outside: readonly unknown[] = [
    '.',
    '..',
    'a/../b',
    '..\\x',
    'a\0b',
    '',
    '..;/admin',
    '.. /admin',
    'a/\t../b',
    '..\u3164',
    'a/.\u200b.;x',
    '%2e%2e',
    '..%2f..%2fadmin',
    'a%252f%252e.',
    '..?x',
    ['%2e%2e%5Cadmin'],
    { a: '..%252Fadmin' },
    [],
    ['../../admin'],
    ['a', '..'],
    ['x', 'a/..'],
    [['../x']],
    [{ a: '..\\x' }],
    ['a\0'],
    {},
    { a: '../../admin' },
    { '../x': 1 },
    { a: ['..'] },
    { a: { b: '../x' } },
  ];
  it.each(outside.map((value) => [value]))('in the path cannot be %j', async (value: unknown) => {
    const before = server.received.length;
    const sent = send(parameterOf('path', 'id'), value, '/things/{id}/sub');
    await expect(sent).rejects.toMatchObject({
      code: 'ErrValidationFailed',
      message: expect.stringContaining('id: ') as string,
    });
    expect(server.received).toHaveLength(before);
  });

  it.each([
    ['/l/{ids}/x', ['', '/admin']],
    ['/l/{ids}/x', ['', '/', '', '/admin']],
    ['/l/{ids}/x', ['/', 'x']],
    ['/l/x{ids}/x', ['/', '/admin']],
    ['/l/.{ids}', ['/admin']],
    ['/l%2F.{ids}', [';x']],
  ])('in the path %s cannot form a part ".." or "." out of %j', async (path, value) => {
    const before = server.received.length;
    await expect(
      send(parameterOf('path', 'ids', { style: 'label', explode: true }), value, path),
    ).rejects.toThrow('The path of the operation leads outside of the base address.');
    expect(server.received).toHaveLength(before);
  });

  it('in the path may begin with dots, and stand beside escapes that are not UTF-8', async () => {
    const ids = parameterOf('path', 'ids', { style: 'label', explode: true });
    await send(ids, ['', 'x', 'a/b'], '/l/{ids}/x');
    expect(server.last.target).toBe('/v1/l/..x.a%2Fb/x');
    await send(ids, ['x'], '/caf%E9/{ids}');
    expect(server.last.target).toBe('/v1/caf%E9/.x');
  });

  it.each([
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['%2ex', '%252ex'],
    ['a?.', 'a%3F.'],
    ['//evil.example', '%2F%2Fevil.example'],
    ['@evil.example', '%40evil.example'],
    ['...', '...'],
    ['\ud800', '%EF%BF%BD'],
  ])('in the path with value %j is sent as %s', async (value, expected) => {
    await send(parameterOf('path', 'id'), value, '/things/{id}');
    expect(server.last.target).toBe(`/v1/things/${expected}`);
  });

  it.each([
    ['X-A', 'a\r\nX-Evil: 1'],
    ['X-A', 'a\0'],
    ['X-A', '€'],
    ['Host', 'evil.example'],
    ['Cookie', 'a=b'],
    ['Connection', 'close'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '0'],
  ])('in a header is rejected for %s: %j', async (name, value) => {
    await expect(send(parameterOf('header', name, { field: 'h' }), value)).rejects.toMatchObject({
      code: 'ErrValidationFailed',
    });
  });

  it.each(['Accept', 'Authorization', 'Content-Type'])(
    'in the header %s is ignored, as the standard says',
    async (name) => {
      await send(parameterOf('header', name, { field: 'h' }), 'evil');
      expect(server.last.headers.map(([, value]) => value)).not.toContain('evil');
      expect(headerOf(server.last, 'accept')).toEqual(['application/json']);
    },
  );

  it('cannot override a credential, also not through the names in an exploded object', async () => {
    const security = [
      [
        { scheme: schemeOf('key', { type: 'apiKey', in: 'query', name: 'api_key' }), scopes: [] },
        { scheme: schemeOf('other', { type: 'apiKey', in: 'header', name: 'X-Key' }), scopes: [] },
        { scheme: schemeOf('sid', { type: 'apiKey', in: 'cookie', name: 'sid' }), scopes: [] },
      ],
    ];
    const parameters = [
      parameterOf('query', 'filter'),
      parameterOf('header', 'x-key', { field: 'header' }),
      parameterOf('cookie', 'sid', { field: 'cookie' }),
    ];
    const sendNow = senderTo(server.origin, { credentials: { key: 'k 1', other: 'k2', sid: 'k3' } });
    const plan = planOf({ parameters, security });
    await expect(sendNow(plan, { filter: { api_key: 'x' } }, context)).rejects.toThrow(
      '"api_key" is the name of a credential',
    );
    await sendNow(plan, { filter: { a: 1 }, header: 'x', cookie: 'x' }, context);
    expect(server.last.target).toBe('/things?a=1&api_key=k%201');
    expect(headerOf(server.last, 'x-key')).toEqual(['k2']);
    expect(headerOf(server.last, 'cookie')).toEqual(['sid=k3']);
  });

  // A matrix parameter may be empty.
  it.each(outside.filter((value) => value !== '').map((value) => [value]))(
    'in the path cannot be %j in any other style, nor with a media type',
    async (value: unknown) => {
      const before = server.received.length;
      for (const style of ['label', 'matrix'] as const)
        for (const explode of [false, true]) {
          const sent = send(parameterOf('path', 'id', { style, explode }), value, '/things/{id}');
          await expect(sent).rejects.toThrow();
        }
      if (typeof value !== 'object' || JSON.stringify(value).length < 3) return;
      const asJson = parameterOf('path', 'id', { mediaType: 'application/json' });
      await expect(send(asJson, value, '/things/{id}')).rejects.toMatchObject({
        code: 'ErrValidationFailed',
      });
      expect(server.received).toHaveLength(before);
    },
  );

  it('in the path may have dots that are no segment', async () => {
    for (const value of ['a..b', '...', '.x', 'v1.2', ['a..b', 'c.d'], { a: '1.5' }]) {
      await send(parameterOf('path', 'id'), value, '/things/{id}');
      expect(server.last.target).toMatch(/^\/v1\/things\//);
    }
  });

  it.each(['/../admin', '/a/%2e%2e/admin', '//evil.example/x/../..', '/a\\..\\..\\b'])(
    'cannot lead outside of the base address by the path %s of the specification',
    async (path) => {
      const before = server.received.length;
      await senderTo(`${server.origin}/v1/`)(planOf({ path }), {}, context).catch(() => undefined);
      for (const { target } of server.received.slice(before)) expect(target).toMatch(/^\/v1\//);
    },
  );

  it('may be part of a path that has a query or marks of its own', async () => {
    const id = parameterOf('path', 'id');
    await send(id, 'x', '/things/{id}:cancel?beta=true#fragment');
    expect(server.last.target).toBe('/v1/things/x:cancel?beta=true');
    await send(id, 'x', '/things({id})/é');
    expect(server.last.target).toBe('/v1/things(x)/%C3%A9');
  });
});

describe('the body of a request', () => {
  const post = async (
    body: ReturnType<typeof bodyOf>,
    input: Readonly<Record<string, unknown>>,
  ): Promise<string> => {
    await senderTo(server.origin)(planOf({ method: 'POST', body }), input, context);
    return server.last.body.toString('latin1');
  };

  it('is JSON of the given properties, with null and without undefined', async () => {
    const body = bodyOf('json', 'application/json', {
      properties: [
        propertyOf('a'),
        propertyOf('b', { field: 'body_b' }),
        propertyOf('__proto__', { field: 'p' }),
        propertyOf('c'),
      ],
    });
    expect(await post(body, { a: 'é', body_b: null, p: 1, c: undefined, stranger: 1 })).toBe(
      Buffer.from('{"a":"é","b":null,"__proto__":1}').toString('latin1'),
    );
    expect(headerOf(server.last, 'content-type')).toEqual(['application/json']);
    expect(headerOf(server.last, 'content-length')).toEqual([String(server.last.body.length)]);
  });

  it('is the whole value of one field, in the media type of the specification', async () => {
    const body = bodyOf('json', 'application/merge-patch+json', { wholeField: 'items' });
    expect(await post(body, { items: [1, { a: null }] })).toBe('[1,{"a":null}]');
    expect(headerOf(server.last, 'content-type')).toEqual(['application/merge-patch+json']);
  });

  it('is left out if it is optional and nothing was given, and an empty object if it is required', async () => {
    const properties = [propertyOf('a')];
    expect(await post(bodyOf('json', 'application/json', { required: false, properties }), {})).toBe('');
    expect(headerOf(server.last, 'content-type')).toEqual([]);
    expect(await post(bodyOf('json', 'application/json', { properties }), {})).toBe('{}');
    await expect(post(bodyOf('json', 'application/json', { wholeField: 'all' }), {})).rejects.toThrow(
      'all: is required',
    );
  });

  it('is a form with the styles of its properties', async () => {
    const body = bodyOf('form', 'application/x-www-form-urlencoded', {
      properties: [
        propertyOf('name'),
        propertyOf('tags'),
        propertyOf('csv', { explode: false }),
        propertyOf('card', { style: 'deepObject' }),
        propertyOf('json', { mediaType: 'application/json' }),
        propertyOf('url', { allowReserved: true }),
        propertyOf('none'),
      ],
    });
    const input = {
      name: 'a b&c=d+é',
      tags: ['x', 'y'],
      csv: ['x', 'y'],
      card: { exp: { month: 1 }, list: ['a'] },
      json: { a: 1 },
      url: 'https://a/?b=c',
      none: null,
    };
    expect(await post(body, input)).toBe(
      'name=a%20b%26c%3Dd%2B%C3%A9&tags=x&tags=y&csv=x,y&card%5Bexp%5D%5Bmonth%5D=1&card%5Blist%5D%5B0%5D=a' +
        '&json=%7B%22a%22%3A1%7D&url=https://a/?b=c',
    );
    expect(headerOf(server.last, 'content-type')).toEqual(['application/x-www-form-urlencoded']);
  });

  it('is multipart with the media types and the files of its parts', async () => {
    const body = bodyOf('multipart', 'multipart/form-data', {
      properties: [
        propertyOf('note'),
        propertyOf('meta'),
        propertyOf('xml', { mediaType: 'text/xml' }),
        propertyOf('tags'),
        propertyOf('file', { file: 'one', mediaType: 'image/png, image/jpeg' }),
        propertyOf('files', { file: 'list' }),
      ],
    });
    const sent = await post(body, {
      note: 'é',
      meta: { a: 1 },
      xml: '<a/>',
      tags: ['x', 'y'],
      file: { base64: 'AP8=', fileName: 'a"\r\nb.png' },
      files: [
        { text: 'one', mediaType: 'text/csv' },
        { text: 'two', fileName: 'two.txt' },
      ],
    });
    const [type] = headerOf(server.last, 'content-type');
    const boundary = /^multipart\/form-data; boundary=(toolfold-[0-9a-f-]{36})$/.exec(type ?? '')?.[1];
    const part = (head: string, content: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    expect(sent).toBe(
      part('name="note"', Buffer.from('é').toString('latin1')) +
        part('name="meta"\r\nContent-Type: application/json', '{"a":1}') +
        part('name="xml"\r\nContent-Type: text/xml', '<a/>') +
        part('name="tags"', 'x') +
        part('name="tags"', 'y') +
        part('name="file"; filename="a%22%0D%0Ab.png"\r\nContent-Type: image/png', '\0\xff') +
        part('name="files"; filename="file"\r\nContent-Type: text/csv', 'one') +
        part('name="files"; filename="two.txt"\r\nContent-Type: application/octet-stream', 'two') +
        `--${boundary}--\r\n`,
    );
  });

  it('is text or bytes', async () => {
    expect(await post(bodyOf('text', 'text/plain', { wholeField: 'text' }), { text: 'hi' })).toBe('hi');
    expect(headerOf(server.last, 'content-type')).toEqual(['text/plain']);
    const body = bodyOf('binary', 'image/*', { wholeField: 'image' });
    expect(await post(body, { image: { base64: 'AAH_', mediaType: 'image/webp' } })).toBe('\0\x01\xff');
    expect(headerOf(server.last, 'content-type')).toEqual(['image/webp']);
    expect(
      await post(bodyOf('binary', 'application/zip', { wholeField: 'zip' }), { zip: { text: 'x' } }),
    ).toBe('x');
    expect(headerOf(server.last, 'content-type')).toEqual(['application/zip']);
  });

  it.each([
    [{ base64: '!' }, 'file.base64: must be valid Base64'],
    [{}, 'file: must be { base64 } or { text }'],
    [{ base64: '', text: '' }, 'file: must be { base64 } or { text }'],
    ['text', 'file: must be { base64 } or { text }'],
    [{ text: 'x', mediaType: 'a\r\nb: c' }, 'file.mediaType: must be a media type'],
    [{ text: 'x', fileName: 'x'.repeat(300) }, 'file.fileName: must be text of at most 255'],
  ])('rejects the file %j', async (file, message) => {
    const body = bodyOf('binary', 'image/png', { wholeField: 'file' });
    await expect(post(body, { file })).rejects.toThrow(message);
  });

  it('must not be larger than maxRequestBytes', async () => {
    const sendNow = senderTo(server.origin, { maxRequestBytes: 300 });
    const json = planOf({ method: 'POST', body: bodyOf('json', 'application/json', { wholeField: 'all' }) });
    await expect(sendNow(json, { all: 'x'.repeat(299) }, context)).rejects.toThrow('larger than 300 bytes');
    await sendNow(json, { all: 'x'.repeat(298) }, context);
    const binary = planOf({ method: 'PUT', body: bodyOf('binary', 'image/png', { wholeField: 'file' }) });
    await expect(sendNow(binary, { file: { base64: 'AAAA'.repeat(200) } }, context)).rejects.toThrow(
      'larger than 300 bytes',
    );
    const properties = [propertyOf('file', { file: 'one' })];
    const multipart = planOf({
      method: 'PUT',
      body: bodyOf('multipart', 'multipart/form-data', { properties }),
    });
    await expect(sendNow(multipart, { file: { text: 'x'.repeat(290) } }, context)).rejects.toThrow(
      'larger than 300 bytes',
    );
  });

  it('cannot be part of a GET request', async () => {
    const plan = planOf({
      body: bodyOf('json', 'application/json', { required: false, properties: [propertyOf('a')] }),
    });
    await senderTo(server.origin)(plan, {}, context);
    await expect(senderTo(server.origin)(plan, { a: 1 }, context)).rejects.toThrow(
      'A GET request cannot have a body.',
    );
  });
});

describe('a whole request', () => {
  it('has exactly the headers that it needs', async () => {
    await senderTo(server.origin, { headers: { 'X-Own': '1' } })(planOf({ method: 'DELETE' }), {}, context);
    const { host } = new URL(server.origin);
    expect(server.last).toMatchObject({ method: 'DELETE', target: '/things' });
    const ownOfFetch = /^(?:accept-.*|sec-fetch-mode|connection)$/;
    expect(Object.fromEntries(server.last.headers.filter(([name]) => !ownOfFetch.test(name)))).toEqual({
      host,
      accept: 'application/json',
      'x-own': '1',
      'user-agent': 'toolfold',
    });
    expect(server.last.body).toHaveLength(0);
  });
});
