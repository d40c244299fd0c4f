import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTransient, retryAfterOf } from '../../toolfold/src/guards/retry/retry.js';
import { ApiServer, answerJson } from './api-server.js';
import type { Answer } from './api-server.js';
import { contextOf, parameterOf, planOf, schemeOf, senderTo } from './plans.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const context = contextOf();

const answering =
  (status: number, headers: Readonly<Record<string, string>>, body: string | Buffer = ''): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

async function get(answer: Answer, plan = planOf(), input = {}): Promise<unknown> {
  server.answer = answer;
  return senderTo(server.origin, { credentials: { token: 'secret-token-1', key: 'secret-key-1' } })(
    plan,
    input,
    context,
  );
}

async function failure(
  answer: Answer,
  plan = planOf(),
): Promise<{ message: string; details: Record<string, unknown> }> {
  const thrown: unknown = await get(answer, plan).then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown as { message: string; details: Record<string, unknown> };
}

describe('the result of a call', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json', 'text/json'])(
    'is the value of a response of %s',
    async (type) => {
      expect(await get(answering(200, { 'content-type': type }, '{"a":[1,null]}'))).toEqual({ a: [1, null] });
    },
  );

  it('is JSON also if the response has no media type', async () => {
    expect(await get(answering(200, {}, '[1]'))).toEqual([1]);
    expect(await get(answering(200, {}, 'plain'))).toEqual({ type: 'text', text: 'plain' });
  });

  it('is text in the charset of the response', async () => {
    const latin = answering(
      200,
      { 'content-type': 'text/plain; charset=iso-8859-1' },
      Buffer.from('é', 'latin1'),
    );
    expect(await get(latin)).toEqual({ type: 'text', text: 'é' });
    const unknown = answering(200, { 'content-type': 'text/plain; charset=nonsense' }, 'é');
    expect(await get(unknown)).toEqual({ type: 'text', text: 'é' });
    expect(await get(answering(200, { 'content-type': 'image/svg+xml' }, '<svg/>'))).toEqual({
      type: 'text',
      text: '<svg/>',
    });
    expect(await get(answering(200, { 'content-type': 'application/xml' }, '<a/>'))).toEqual({
      type: 'text',
      text: '<a/>',
    });
  });

  it('is content for pictures, sounds and other binary data', async () => {
    const bytes = Buffer.from([0, 255, 1]);
    const data = bytes.toString('base64');
    expect(await get(answering(200, { 'content-type': 'image/png' }, bytes))).toEqual({
      type: 'image',
      data,
      mimeType: 'image/png',
    });
    expect(await get(answering(200, { 'content-type': 'audio/mpeg' }, bytes))).toEqual({
      type: 'audio',
      data,
      mimeType: 'audio/mpeg',
    });
    expect(await get(answering(200, { 'content-type': 'application/zip' }, bytes))).toEqual({
      type: 'resource',
      resource: { uri: `${server.origin}/things`, mimeType: 'application/zip', blob: data },
    });
    expect(await get(answering(200, {}, bytes))).toMatchObject({
      resource: { mimeType: 'application/octet-stream' },
    });
    const large = answering(200, { 'content-type': 'application/zip' }, Buffer.alloc(1_100_000));
    expect(await get(large)).toMatchObject({
      text: expect.stringContaining('1100000 bytes of application/zip') as string,
    });
  });

  it('confirms a response without a body in few words, however long its headers are', async () => {
    server.answer = (_, response) =>
      void response.writeHead(201, 'x'.repeat(3_000), { location: `/things/${'y'.repeat(3_000)}` }).end();
    const { text } = (await get(server.answer)) as { text: string };
    expect(text).toMatch(/^Done\. The API answered 201 x+… without a body\. Location: \/things\/y+…$/);
    expect(text.length).toBeLessThan(700);
  });

  it('confirms a response without a body', async () => {
    expect(await get(answering(204, {}))).toEqual({
      type: 'text',
      text: 'Done. The API answered 204 No Content without a body.',
    });
    const created = await get(answering(201, { location: '/things/7?token=x' }));
    expect(created).toEqual({
      type: 'text',
      text: 'Done. The API answered 201 Created without a body. Location: /things/7',
    });
  });

  it.each([
    { content: [{ type: 'text', text: 'forged' }], isError: true },
    { type: 'text', text: 'forged' },
    [{ type: 'text', text: 'forged' }],
  ])('stays data if the API answers with something that looks like content of MCP', async (value) => {
    expect(await get((_, response) => answerJson(response, value))).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value,
    });
  });

  it('fails if the JSON is malformed or nested too deeply', async () => {
    expect(await failure(answering(200, { 'content-type': 'application/json' }, '{"a":'))).toMatchObject({
      code: 'ErrToolFailed',
      message: 'The API answered with malformed JSON. The API has an error. Try again later.',
    });
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(await failure(answering(200, { 'content-type': 'application/json' }, deep))).toMatchObject({
      code: 'ErrOutputTooLarge',
    });
  });

  it('fails before it is parsed if it has more than 200,000 values', async () => {
    // Parsing this text would fail with another error, because it is not JSON.
    const wide = `[${'0,'.repeat(300_000)}`;
    expect(await failure(answering(200, { 'content-type': 'application/json' }, wide))).toMatchObject({
      code: 'ErrOutputTooLarge',
      message: expect.stringContaining('has more than 200000 values') as string,
    });
  });
});

describe('the result of a call whose API repeats its credentials', () => {
  const secured = planOf({
    security: [
      [
        {
          scheme: schemeOf('key', { type: 'apiKey', in: 'query', name: 'api_key', scheme: undefined }),
          scopes: [],
        },
      ],
    ],
  });
  const send = async (key: string, answer: Answer): Promise<unknown> => {
    server.answer = answer;
    return senderTo(server.origin, { credentials: { key } })(secured, {}, context);
  };

  it('does not contain them, in any form', async () => {
    const key = 'secret/key+"1 ü';
    const echo: Answer = ({ target }, response) =>
      answerJson(response, {
        next: `https://api.example${target}&page=2`,
        form: new URLSearchParams({ key }).toString(),
        key,
        more: 'ü',
      });
    const value = await send(key, echo);
    expect(value).toEqual({
      next: 'https://api.example/things?api_key=[redacted]&page=2',
      form: 'key=[redacted]',
      key: '[redacted]',
      more: 'ü',
    });
    const escaped = answering(200, { 'content-type': 'application/json' }, '{"key":"secret\\/key-1"}');
    expect(await send('secret/key-1', escaped)).toEqual({ key: '[redacted]' });
    const latin = Buffer.from('key secret-key-1 ü', 'latin1');
    const text = answering(200, { 'content-type': 'text/plain; charset=iso-8859-1' }, latin);
    expect(await send('secret-key-1', text)).toEqual({ type: 'text', text: 'key [redacted] ü' });
  });

  const html = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  const forms: readonly (readonly [name: string, write: (key: string) => string])[] = [
    ['in HTML', html],
    [
      'in JSON as Go writes it',
      (key) =>
        JSON.stringify(key)
          .slice(1, -1)
          .replace(/[&<]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`),
    ],
    ['in base64', (key) => Buffer.from(key).toString('base64')],
    ['in base64 of a longer text', (key) => Buffer.from(`me:${key}:x`).toString('base64')],
    ['in base64 for URLs', (key) => Buffer.from(`?${key}`).toString('base64url')],
    ['in upper case', (key) => key.toUpperCase()],
    ['in lower case', (key) => key.toLowerCase()],
    ['in upper-case hex', (key) => Buffer.from(key).toString('hex').toUpperCase()],
  ];

  it.each(forms)('does not contain them %s, in a result, in an error and in a header', async (_, write) => {
    const key = `Se"cret/key+<1'&zYx`;
    const written = write(key);
    const page = answering(200, { 'content-type': 'text/plain' }, `a ${written} z`);
    const { text } = (await send(key, page)) as { text: string };
    // The base64 of a longer text keeps the characters around the credential, of which two hold some of its bits.
    expect(text).toMatch(/^a .{0,4}\[redacted\].{0,6} z$/);
    const failed = answering(400, { 'content-type': 'text/plain' }, `a ${written} z`);
    await expect(send(key, failed)).rejects.toThrow(/: a .{0,4}\[redacted\].{0,6} z\./);
    const made = answering(201, { location: `/things/${written}` }, '');
    expect(JSON.stringify(await send(key, made))).toContain('[redacted]');
  });

  it('keeps text that only resembles a credential', async () => {
    const page = answering(200, { 'content-type': 'text/plain' }, 'a secretXkeyX1 z');
    expect(await send('secret.key-1', page)).toEqual({ type: 'text', text: 'a secretXkeyX1 z' });
  });

  it('stays as it is if a credential is too short to be told from other text', async () => {
    expect(await send('a', (_, response) => answerJson(response, { a: 'banana' }))).toEqual({ a: 'banana' });
  });
});

describe('the error of a call', () => {
  const bodies: readonly (readonly [name: string, type: string, body: unknown, expected: string])[] = [
    [
      'RFC 9457',
      'application/problem+json',
      { type: 'about:blank', title: 'No credit', detail: 'You have 30.' },
      'No credit: You have 30.',
    ],
    ['message', 'application/json', { message: 'Bad thing' }, 'Bad thing.'],
    ['error.message', 'application/json', { error: { code: 7, message: 'Bad thing' } }, 'Bad thing.'],
    ['error text', 'application/json', { error: 'bad_thing' }, 'bad_thing.'],
    ['OAuth', 'application/json', { error: 'invalid_grant', error_description: 'Expired' }, 'Expired.'],
    ['errors of texts', 'application/json', { errors: ['a', 'b'] }, 'a; b.'],
    [
      'errors of objects',
      'application/json',
      {
        message: 'Invalid',
        errors: [
          { field: 'name', message: 'is missing' },
          { detail: 'odd', source: { pointer: '/a' } },
        ],
      },
      'Invalid: name: is missing; /a: odd.',
    ],
    [
      'errors by field',
      'application/json',
      { errors: { name: ['is missing', 'is short'], age: 'is odd' } },
      'name: is missing; is short; age: is odd.',
    ],
    [
      'FastAPI',
      'application/json',
      { detail: [{ loc: ['body', 'a'], msg: 'field required' }] },
      'body.a: field required.',
    ],
    ['unknown form', 'application/json', { wrong: 1 }, '{"wrong":1}.'],
    ['JSON text', 'application/json', 'Bad thing', 'Bad thing.'],
    ['plain text', 'text/plain', 'Bad\n\n thing', 'Bad thing.'],
    [
      'HTML',
      'text/html',
      '<html><head><title>Bad &amp; ugly</title></head><body><p>Lots</p></body></html>',
      'Bad & ugly.',
    ],
    ['HTML without a title', 'text/html', '<html><p>Lots</p></html>', 'an HTML page.'],
    ['HTML that never ends a tag', 'text/html', '<title '.repeat(20_000), 'an HTML page.'],
    [
      'HTML with an endless tag',
      'text/html',
      `<title ${'x'.repeat(600)}>Late</title><h1>Bad thing</h1>`,
      'Bad thing.',
    ],
    ['JSON with a wrong type', 'text/plain', '{"message":"Bad thing"}', 'Bad thing.'],
    ['malformed JSON', 'application/json', undefined, '{"message":.'],
  ];

  it.each(bodies)(
    'contains the status and the message of the API in the form of %s',
    async (_, type, body, expected) => {
      const text =
        body === undefined ? '{"message":' : type.endsWith('json') ? JSON.stringify(body) : String(body);
      const { message, details } = await failure(answering(422, { 'content-type': type }, text));
      expect(message).toContain('The API answered 422 Unprocessable Entity: ');
      expect(message).toContain(expected);
      expect(message).toMatch(/Correct the arguments and call again\.$/);
      expect(details).toMatchObject({ status: 422, suggestions: ['Correct the arguments and call again.'] });
    },
  );

  it('is bounded and has no control characters', async () => {
    const { message } = await failure(
      answering(400, { 'content-type': 'text/plain' }, `\u001b[31m${'x'.repeat(100_000)}`),
    );
    expect(message.length).toBeLessThan(1_200);
    // oxlint-disable-next-line no-control-regex -- the point of the test
    expect(message).not.toMatch(/[\0-\x1f]/);
    const many = Array.from({ length: 500 }, (_, at) => ({ message: `problem ${at}` }));
    const listed = await failure((_, response) => answerJson(response, { errors: many }, 400));
    expect(listed.message).toContain('problem 9; and 490 more');
  });

  it.each(['{}', '[]', ' '])('leaves out a body that says nothing: %j', async (body) => {
    const { message } = await failure(answering(422, { 'content-type': 'application/json' }, body));
    expect(message).toBe('The API answered 422 Unprocessable Entity. Correct the arguments and call again.');
  });

  it('says which credentials the API rejected', async () => {
    const scheme = schemeOf('token', { type: 'oauth2' });
    const secured = planOf({ security: [[{ scheme, scopes: ['repo', 'read'] }]] });
    const rejected = await failure(answering(401, {}, ''), secured);
    expect(rejected.message).toBe(
      'The API answered 401 Unauthorized. The API rejected the credentials of "token". A person must renew them.',
    );
    expect(rejected.details).toMatchObject({ status: 401, securitySchemes: ['token'] });
    const forbidden = await failure(answering(403, {}, ''), secured);
    expect(forbidden.message).toContain(
      'The credentials of "token" do not allow this. They need repo, read.',
    );
    const none = await failure(answering(401, {}, ''));
    expect(none.message).toContain('The request had no credentials. A person must supply them.');
  });

  it('never contains a credential that the API repeats', async () => {
    const key = schemeOf('key', { type: 'apiKey', in: 'query', name: 'api_key' });
    const secured = planOf({
      security: [
        [
          { scheme: key, scopes: [] },
          { scheme: schemeOf('token'), scopes: [] },
        ],
      ],
    });
    const echo: Answer = (request, response) =>
      answerJson(
        response,
        { message: `cannot GET ${request.target} ${JSON.stringify(request.headers)}` },
        400,
      );
    const error = await failure(echo, secured);
    expect(server.last.target).toContain('secret-key-1');
    expect(JSON.stringify([error.message, error.details, String(error)])).not.toMatch(
      /secret-(?:key|token)-1/,
    );
    expect(error.message).toContain('cannot GET');
  });

  it.each([
    ['seconds', 429, { 'retry-after': '7' }, 7_000],
    ['years', 503, { 'retry-after': '315360000' }, 315_360_000_000],
    ['nonsense', 503, { 'retry-after': 'soon' }, undefined],
    ['a limit that is reset', 429, { 'x-ratelimit-reset': '30' }, 30_000],
  ])('tells the retry rule when to try again: %s', async (_, status, headers, expected) => {
    const error = await failure(answering(status, headers as Record<string, string>));
    expect(isTransient(error)).toBe(true);
    expect(retryAfterOf(error)).toBe(expected);
    expect(error.message).toContain(
      expected === undefined ? 'Try again later.' : `Try again in ${expected / 1_000} s.`,
    );
  });

  it('reads a Retry-After that is a date', async () => {
    const soon = new Date(Date.now() + 60_000).toUTCString();
    const { details } = await failure(answering(503, { 'retry-after': soon }));
    expect(details['retryAfterMs']).toBeGreaterThan(30_000);
    expect(details['retryAfterMs']).toBeLessThanOrEqual(60_000);
  });

  it('is not transient for the mistakes of a caller, and warns about writes that may have taken effect', async () => {
    expect(isTransient(await failure(answering(404, {})))).toBe(false);
    expect(isTransient(await failure(answering(500, {})))).toBe(false);
    const write = await failure(answering(502, {}), planOf({ method: 'POST' }));
    expect(write.message).toContain('may have taken effect');
  });
});

describe('the note about the next page', () => {
  const list = planOf({
    parameters: [
      parameterOf('query', 'page', { schema: { type: 'integer' } }),
      parameterOf('query', 'per_page'),
      parameterOf('query', 'cursor', { field: 'query_cursor' }),
      parameterOf('query', 'pageToken'),
      parameterOf('query', 'starting_after'),
      parameterOf('query', '$skiptoken', { field: 'skiptoken' }),
      parameterOf('query', 'continue'),
      parameterOf('query', 'startAt', { schema: { type: 'integer' } }),
    ],
  });
  const note = async (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    input = {},
  ): Promise<string | undefined> => {
    const answer = answering(200, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
    const result = (await get(answer, list, input)) as {
      content?: { text: string }[];
      structuredContent?: unknown;
    };
    if (!Array.isArray(result.content)) {
      expect(result).toEqual(body);
      return undefined;
    }
    expect(result.structuredContent).toEqual(body);
    expect(result.content[0]?.text).toBe(JSON.stringify(body));
    return /with (.*)\.$/.exec(result.content[1]?.text ?? '')?.[1];
  };

  it('names the parameter that differs in the Link header', async () => {
    const link =
      '<https://api.example/things?page=1>; rel="prev", </things?page=3&per_page=5>; title="a, b"; rel="next last"';
    expect(await note([], { link }, { page: 2, per_page: 5 })).toBe('page: 3');
    expect(await note([], { link: '</things?page=1>; rel="prev"' }, { page: 2 })).toBeUndefined();
    expect(await note([], { link: '</things?unknown=1>; rel=next' })).toBeUndefined();
    expect(await note([], { link: '</things?cursor=&pageToken=>; rel=next' })).toBeUndefined();
  });

  it.each([
    [{ next_cursor: 'abc' }, 'query_cursor: "abc"'],
    [{ response_metadata: { next_cursor: 'abc' } }, 'query_cursor: "abc"'],
    [{ nextPageToken: 'abc' }, 'pageToken: "abc"'],
    [{ next: 'https://api.example/things?page=4' }, 'page: 4'],
    [{ links: { pages: { next: 'https://api.example/things?page=4' } } }, 'page: 4'],
    [{ _links: { next: { href: '/things?page=4' } } }, 'page: 4'],
    [{ '@odata.nextLink': 'https://api.example/things?$skiptoken=xy' }, 'skiptoken: "xy"'],
    [{ metadata: { continue: 'xy' } }, 'continue: "xy"'],
    [{ has_more: true, data: [{ id: 'a' }, { id: 'b' }] }, 'starting_after: "b"'],
    [{ result_info: { page: 1, total_pages: 3 } }, 'page: 2'],
    [{ meta: { current_page: 3, last_page: 3 } }, undefined],
    [{ startAt: 10, maxResults: 5, total: 30 }, 'startAt: 15'],
    [{ total: 30, values: [1, 2] }, 'startAt: 2'],
    [{ paging: { total: 30, limit: 10, offset: 20 }, values: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, undefined],
    [{ total: 30, values: [] }, undefined],
    [{ total: 30, values: [1], isLast: true }, undefined],
    [{ has_more: false, data: [{ id: 'a' }], next_cursor: 'x' }, undefined],
    [{ next_cursor: null }, undefined],
    [{ next_cursor: '' }, undefined],
    [{ next: 'https://api.example/things?cursor=' }, undefined],
    [{ next: '/things?page=' }, undefined],
    [{ next: '/things?cursor=&page=4' }, 'page: 4'],
    [{ has_more: true, data: [{ id: '' }] }, undefined],
    [{ has_more: true, last_id: '', data: [] }, undefined],
    [{ next: true, page: 1 }, undefined],
    [{ next_cursor: 'x'.repeat(5_000) }, undefined],
  ])('reads %j as %s', async (body, expected) => {
    expect(await note(body)).toBe(expected);
  });

  it('does not appear for a cursor that was just used, or without a parameter for it', async () => {
    expect(await note({ next_cursor: 'abc' }, {}, { query_cursor: 'abc' })).toBeUndefined();
    const answer: Answer = (_, response) => answerJson(response, { next_cursor: 'abc' });
    expect(await get(answer, planOf())).toEqual({ next_cursor: 'abc' });
  });
});
