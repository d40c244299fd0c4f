import { describe, expect, it } from 'vitest';
import { ErrToolFailed } from '@toolfold/schema/errors';
import { createRedactor } from './redactor.js';
import { encodingsOf } from '../../../test/guards/redactor-setup.js';

const MARK = '[redacted]';
const { text, value } = createRedactor();

describe('text: shapes of credentials', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

  it.each([
    ['Authorization: Bearer abc.def-123', `Authorization: Bearer ${MARK}`],
    ['authorization: basic dXNlcjpwYXNz rejected', `authorization: basic ${MARK} rejected`],
    ['"Authorization":"Bearer abc"', `"Authorization":"${MARK}"`],
    [
      String.raw`{\"authorization\":\"Bearer abc\",\"a\":1}`,
      String.raw`{\"authorization\":\"[redacted]\",\"a\":1}`,
    ],
    [`curl -H 'Authorization: Custom abcdefgh1' -v`, `curl -H 'Authorization: ${MARK}' -v`],
    ['Authorization: Digest username="bob", response="0123"\nHost: x', `Authorization: ${MARK}\nHost: x`],
    ['Authorization: Token abc1', `Authorization: Token ${MARK}`],
    [
      'headers: map[Authorization:[Bearer abc] Accept:[*/*]]',
      `headers: map[Authorization:${MARK} Accept:[*/*]]`,
    ],
    ['got bearer abc123, sorry', `got bearer ${MARK}, sorry`],
    ['sent Basic dXNlcjpwYXNzd29yZA== to it', `sent Basic ${MARK} to it`],
    [`the token ${jwt} is old`, `the token ${MARK} is old`],
    [`next=%20${jwt}`, `next=%20${MARK}`],
    ['Incorrect API key provided: sk-proj-abc123def456.', `Incorrect API key provided: ${MARK}.`],
    ['sk-ant-api03-AbCdEf012345', MARK],
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', MARK],
    ['gho_0123456789abcdefghijABCDEFGHIJ012345', MARK],
    ['github_pat_11ABCDEFG0123456789_abcdef', MARK],
    ['xoxb-123456789012-abcdef', MARK],
    ['AKIAIOSFODNN7EXAMPLE', MARK],
    [`AIza${'Sy0123456789abcdefghijABCDEFGHIJ_-x'}`, MARK],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- b', `a ${MARK} b`],
    ['-----BEGIN PRIVATE KEY-----\nMIIE cut off', MARK],
    ['password=hunter2', `password=${MARK}`],
    ['login failed (password=hunter2)', `login failed (password=${MARK})`],
    ['Server=x;Password=hunter2;User=bob', `Server=x;Password=${MARK};User=bob`],
    ['token: "a \\" b", next', `token: "${MARK}", next`],
    ["token: 'abc", `token: '${MARK}`],
    ['{"api_key":"abc","user":"bob"}', `{"api_key":"${MARK}","user":"bob"}`],
    ['{"secrets":["a1",{"b":"c"}],"user":"bob"}', `{"secrets":${MARK},"user":"bob"}`],
    ['{"pin":1,"password":12345}', `{"pin":1,"password":${MARK}}`],
    ['GET /x?access_token=abc&page=2', `GET /x?access_token=${MARK}&page=2`],
    ['u=https%3A%2F%2Fx%3Fpassword%3Dabc', `u=https%3A%2F%2Fx%3Fpassword%3D${MARK}`],
    ['user[password]=abc&x=1', `user[password]=${MARK}&x=1`],
    [':password => "abc"', `:password => "${MARK}"`],
    ['API key: abc1', `API key: ${MARK}`],
    ['Cookie: a=b; sid=c\nHost: x', `Cookie: ${MARK}\nHost: x`],
    ['failed: tool --token abc1 --verbose', `failed: tool --token ${MARK} --verbose`],
    ['auth=abc', `auth=${MARK}`],
    ['at https://user:p@ss@host/x', `at https://${MARK}@host/x`],
    ['postgres://u:p@db:5432/x', `postgres://${MARK}@db:5432/x`],
  ])('%s', (given, clean) => {
    expect(text(given)).toBe(clean);
    expect(text(clean)).toBe(clean);
  });

  it.each([
    'Validation failed: password: must be at least 8 characters; token: is required',
    'OAuth: invalid_grant; Authorization: Bearer token required',
    'cookie: must be string; authorization: insufficient scope; password: Too small: expected 8',
    '"users/ban" needs the scope token:write; missing: token:write, secrets:read.',
    'token: Required; secret: expected string, received undefined',
    'A bearer token is missing. Bearer authentication needs one.',
    'Bearer realm="mcp", error="invalid_token", scope="users:write"',
    'Bearer resource_metadata="https://example.com/.well-known/x"',
    'The basic plan; basic authentication; Basic Authentication',
    '"password": null, "token": true, token: undefined, password=',
    'password: Password must contain at least 1 number; set the variable API_KEY: see the docs',
    'cookie: disabled; auth: none; const auth: Authenticator; the option --token is missing',
    'max_tokens: 100, token_count=5, key: abc, author: bob',
    'http://localhost:3000/@vite/client at 2024-01-01T10:00:00Z, mail bob@example.com',
    'Unexpected token < in JSON at position 0; see task-123456789012 and desk-1234567890',
    'C:\\temp a=b c:d :: == ?? % %3 %3D --x --',
    '',
  ])('keeps: %s', (given) => {
    expect(text(given)).toBe(given);
  });

  it.each(
    Object.entries({
      'eyJ-': 4,
      'eyJaaaaaaaa.': 12,
      'sk-': 3,
      'bearer ': 7,
      'basic+': 6,
      'SG.aaaaaaaaaaaaaaaaaaaa': 23,
      password: 8,
      'password=': 9,
      'password="': 10,
      'password="\\"': 12,
      'password:\\"': 11,
      'password: ': 10,
      'password:[': 10,
      'password:{"': 11,
      'authorization: a ': 17,
      'cookie:': 7,
      '--token ': 8,
      ':': 1,
      '=': 1,
      ' ': 1,
      '\\': 1,
      '"': 1,
      '-': 1,
      '%3d': 3,
      'a.': 2,
      '://a:': 5,
      '://@': 4,
      '@': 1,
      A: 1,
      aA: 2,
      '-----BEGIN ': 11,
      '-----BEGIN PRIVATE KEY-----': 27,
      '[redacted]': 10,
    }),
  )('finishes a megabyte of %j', (piece, length) => {
    const hostile = piece.repeat(Math.ceil(1_000_000 / length));
    const clean = text(hostile);
    expect(text(clean)).toBe(clean);
  });
});

describe('text: given credentials', () => {
  it('removes them everywhere, and nothing else', () => {
    const redactor = createRedactor(['hunter2']);
    expect(redactor.text('a hunter2 b')).toBe(`a ${MARK} b`);
    expect(redactor.text('xhunter2hunter2y')).toBe(`x${MARK}y`);
    expect(redactor.text('Hunter2, hunter')).toBe('Hunter2, hunter');
  });

  it.each(['p@ss w/rd+"1"\\', 'äöü€😀 long enough', 'a\nb\tc\u0000d', 'x'.repeat(500), 'abcd', '??>>~~!*()'])(
    'knows every way to write %j',
    (credential) => {
      const redactor = createRedactor([credential]);
      for (const user of ['', 'a', 'ab', 'abc']) {
        for (const form of encodingsOf(credential, user)) {
          expect(redactor.text(`before ${form} after`)).not.toContain(form);
        }
      }
      expect(redactor.text('before and after')).toBe('before and after');
    },
  );

  it('removes one that is written with any character references of HTML, and no other character', () => {
    const redactor = createRedactor(['p&ss="w/<😀>\'9']);
    for (const form of [
      'p&#38;ss&#61;&#34;w&#47;&#60;&#128512;&#62;&#39;9',
      'p&#x26;ss&#x3D;&#x22;w&#x2f;&#X3C;&#x1f600;&#x3e;&#x27;9',
      'p&amp;ss&#061;&quot;w/&lt;😀&gt;&apos;9',
      '&#112;&#38;&#115;&#115;&#61;&#34;&#119;&#47;&#60;&#128512;&#62;&#39;&#57;',
    ])
      expect(redactor.text(`&lt;b&gt; ${form}&#33; &#1114112; &amp`)).toBe(
        `&lt;b&gt; ${MARK}&#33; &#1114112; &amp`,
      );
  });

  it('removes the longest if one is part of another, and all that overlap', () => {
    expect(createRedactor(['abcd', 'abcdefgh']).text('-abcdefgh-')).toBe(`-${MARK}-`);
    expect(createRedactor(['abcdef', 'efghij']).text('-abcdefghij-')).toBe(`-${MARK}-`);
    expect(createRedactor(['abab']).text('-ababab-')).toBe(`-${MARK}-`);
  });

  it('removes a whole credential of which a pattern matches a part', () => {
    expect(createRedactor(['abc&def ghi']).text('password=abc&def ghi!')).toBe(`password=${MARK}!`);
    expect(createRedactor(['x?token=a', 'a&b1']).text('/x?token=a&b1')).toBe(`/${MARK}`);
  });

  it('removes parts of a long one, because messages are often truncated', () => {
    const credential = Array.from({ length: 20 }, (_, index) => `part${index}-`).join('');
    expect(createRedactor([credential]).text(`got "${credential.slice(0, 64)}…`)).toBe(`got "${MARK}…`);
  });

  it('removes the beginning of one with 32 characters or more, from 16 characters on', () => {
    const credential = 'Zk3vQ9xLm2Tb7RwY5cJh8NpD4sGf6KaE';
    const redactor = createRedactor([credential]);
    for (let end = 16; end <= 32; end++)
      expect(redactor.text(`a ${credential.slice(0, end)}… b`)).toBe(`a ${MARK}… b`);
    expect(redactor.text(credential.slice(0, 15))).toBe(credential.slice(0, 15));
  });

  it('keeps texts that contain only short parts of a long one, and blank space', () => {
    const redactor = createRedactor([
      `https://hooks.example.com/services/${' '.repeat(40)}T0123456789/abcdefghijkl`,
    ]);
    for (const given of ['https://example.com/a', `a${' '.repeat(60)}b`, 'see hooks, services']) {
      expect(redactor.text(given)).toBe(given);
    }
  });

  it('does not search for short texts and common words', () => {
    const redactor = createRedactor([
      '',
      '1',
      'yes',
      ' a ',
      '    ',
      'true',
      'Bearer',
      'none',
      MARK,
      'redacted',
    ]);
    const given = `1 yes a     true none Bearer ${MARK}`;
    expect(redactor.text(given)).toBe(given);
  });

  it('finishes in time with long, many and hostile credentials', () => {
    const long = 'ab'.repeat(500_000);
    expect(createRedactor([long]).text(`x${long}y`)).toBe(MARK);
    expect(createRedactor(['aaaa', `b${'a'.repeat(30)}`]).text('a'.repeat(1_000_000))).toBe('…');
    const filled = Array.from({ length: 3_000 }, (_, index) => `${'a'.repeat(8 + (index % 40))}b`).join('');
    expect(createRedactor([filled]).text('a'.repeat(1_000_000)).length).toBeLessThanOrEqual(1_000_000);
    for (const escape of ['%25', '&amp;', '\\\\', '%', '&#x', '&#x61;', '&#9999999;', '\\u00', '%2525']) {
      const hostile = escape.repeat(200_000);
      const clean = createRedactor(['hunter2', long.slice(0, 5_000)]).text(hostile);
      expect(clean).toBe(`${hostile.slice(0, 12_288)}…`);
    }
    const many = Array.from({ length: 2_000 }, (_, index) => `credential${index}`);
    const clean = createRedactor(many).text(many.join(' '));
    expect(clean).not.toContain('credential');
  });

  it('hides a text that needs too many comparisons', () => {
    const alike = Array.from({ length: 500 }, (_, index) => `aaaa-${index}`);
    expect(createRedactor(alike).text('aaaa'.repeat(4_000))).toBe(MARK);
    expect(createRedactor(alike).text('only aaaa-7 is wrong')).toBe(`only ${MARK} is wrong`);
  });

  it.each([
    ['a password in a URL', (rest: string) => `https://bob:${rest}@db.example/x`],
    ['a JWT', (rest: string) => `eyJhbGciOiJIUzI1NiJ9.${rest}.${rest}`],
    ['a quoted value', (rest: string) => `password="${rest}"`],
    ['a private key', (rest: string) => `-----BEGIN PRIVATE KEY-----\n${rest}\n-----END PRIVATE KEY-----`],
  ])('leaves no part of %s that the truncation of a long text splits', (_, write) => {
    for (const length of [40, 1_900, 30_000]) {
      if (length > 2_000 && write('').includes('@')) continue;
      for (const before of [20, 35, 500, 1_000, 5_000]) {
        const secret = 'S3cr3t'.repeat(length / 6);
        const clean = text(`${' '.repeat(16_384 - before)}${write(secret)} ${'tail '.repeat(3_000)}`);
        expect(clean).not.toContain('S3cr3t');
      }
    }
  });
});

describe('value', () => {
  it('copies JSON unchanged', () => {
    const given = { a: 1, b: [true, null, 'x', { c: -0.5 }], d: {}, e: '' };
    expect(value(given)).toEqual(given);
    expect(value(given)).not.toBe(given);
    expect([value(undefined), value(null), value(5), value('x'), value(false)]).toEqual([
      undefined,
      null,
      5,
      'x',
      false,
    ]);
  });

  it('replaces every value under a secret name, also short ones, and keeps empty, boolean and null values', () => {
    expect(
      value({
        password: '1',
        pin: 1,
        token: 1234,
        apiKey: ['a'],
        credentials: { user: 'x' },
        secret: null,
        has_password: true,
        cookie: '',
        max_tokens: 5,
        auth: { scopes: ['a'] },
        nested: [{ 'api-key': 1n }, { auth: 'user:pass' }],
      }),
    ).toEqual({
      password: MARK,
      pin: 1,
      token: MARK,
      apiKey: MARK,
      credentials: MARK,
      secret: null,
      has_password: true,
      cookie: '',
      max_tokens: 5,
      auth: { scopes: ['a'] },
      nested: [{ 'api-key': MARK }, { auth: MARK }],
    });
  });

  it('replaces the value of a pair with a secret name', () => {
    expect(
      value([
        { name: 'X-Api-Key', value: 'a' },
        { key: 'color', value: 'red' },
      ]),
    ).toEqual([
      { name: 'X-Api-Key', value: MARK },
      { key: 'color', value: 'red' },
    ]);
  });

  it('redacts texts and names, and numbers names that became equal', () => {
    const redactor = createRedactor(['hunter2', '123456']);
    expect(redactor.value({ hunter2: 1, ' hunter2': 'is hunter2', n: 91234567, m: 12345 })).toEqual({
      [MARK]: 1,
      [` ${MARK}`]: `is ${MARK}`,
      n: MARK,
      m: 12345,
    });
    const two = createRedactor(['hunter2', 'hunter3']);
    expect(two.value({ hunter2: 1, hunter3: 2 })).toEqual({ [MARK]: 1, [`${MARK} 2`]: 2 });
  });

  it('copies errors with their fields, causes and inner errors, without their stack', () => {
    const cause = Object.assign(new TypeError('bad token=abc'), { status: 401, headers: { cookie: 'a=b' } });
    const error = new AggregateError([new Error('password=abc'), 'x'], 'all failed', { cause });
    expect(value(error)).toEqual({
      name: 'AggregateError',
      message: 'all failed',
      errors: [{ name: 'Error', message: `password=${MARK}` }, 'x'],
      cause: { name: 'TypeError', message: `bad token=${MARK}`, status: 401, headers: { cookie: MARK } },
    });
    expect(value(new ErrToolFailed('no', { hint: 'Wait.', details: { token: 'a', n: 1 } }))).toEqual({
      name: 'ErrToolFailed',
      message: 'no Wait.',
      code: 'ErrToolFailed',
      audience: 'model',
      hint: 'Wait.',
      details: { token: MARK, n: 1 },
    });
  });

  it('converts every other value to JSON', () => {
    class Point {
      x = 1;
      #hidden = 2;
      get sum(): number {
        return this.x + this.#hidden;
      }
    }
    const given = {
      map: new Map<unknown, unknown>([
        ['token', 'a'],
        [1, new Set([1, 'password=a'])],
        [{}, 2],
      ]),
      bytes: Buffer.from('hunter2'),
      floats: new Float64Array(2),
      buffer: new ArrayBuffer(3),
      view: new DataView(new ArrayBuffer(4)),
      date: new Date(0),
      never: new Date(Number.NaN),
      big: 12n,
      fn: () => 1,
      symbol: Symbol('token=abc'),
      nan: Number.NaN,
      infinite: -Infinity,
      undefined,
      list: [undefined, , () => 1],
      regex: /a/g,
      url: new URL('https://u:p@host/?token=a'),
      query: new URLSearchParams('token=a&b=c'),
      boxed: [Object('password=a'), Object(1), Object(false)],
      point: new Point(),
      bare: Object.assign(Object.create(null), { a: 1 }),
      promise: Promise.resolve(1),
      custom: { toJSON: () => ({ password: 'a' }) },
    };
    const copy = value(given);
    expect(copy).toEqual({
      map: { token: MARK, '1': [1, `password=${MARK}`], '[object]': 2 },
      bytes: '[7 bytes]',
      floats: '[16 bytes]',
      buffer: '[3 bytes]',
      view: '[4 bytes]',
      date: '1970-01-01T00:00:00.000Z',
      never: null,
      big: '12',
      fn: '[function]',
      symbol: `Symbol(token=${MARK})`,
      nan: 'NaN',
      infinite: '-Infinity',
      list: [null, null, '[function]'],
      regex: '/a/g',
      url: `https://${MARK}@host/?token=${MARK}`,
      query: `token=${MARK}&b=c`,
      boxed: [`password=${MARK}`, 1, false],
      point: { x: 1 },
      bare: { a: 1 },
      promise: {},
      custom: { password: MARK },
    });
    expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
  });

  it('survives values that cannot be read', () => {
    const broken = {
      get bad() {
        throw new Error('no');
      },
      good: 1,
      toJSON: undefined,
    };
    expect(value(broken)).toEqual({ bad: '[unreadable]', good: 1 });
    const trap = (): never => {
      throw new Error('no');
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = [
      new Proxy({}, { ownKeys: trap }),
      new Proxy({}, { getPrototypeOf: trap }),
      new Proxy({}, { get: trap }),
      proxy,
      { toJSON: trap },
      Object.assign(Object.create({}), { [Symbol.toStringTag]: 'String', valueOf: trap }),
      Object.create({}, { [Symbol.toStringTag]: { get: trap } }),
      Object.defineProperty(new Error('x'), 'message', { get: trap }),
    ];
    expect(value(hostile)).toEqual([
      ...Array.from({ length: 7 }, () => '[unreadable]'),
      { name: 'Error', message: '[unreadable]' },
    ]);
  });

  it('does not let a name reach a prototype', () => {
    const copy = value(JSON.parse('{"__proto__":{"a":1},"constructor":2}')) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('stops at cycles, at the maximum depth and at the maximum size', () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle['self'] = cycle;
    const error = new Error('x');
    error.cause = error;
    expect(value([cycle, error])).toEqual([
      { a: 1, self: '[circular]' },
      { name: 'Error', message: 'x', cause: '[circular]' },
    ]);
    const shared = { a: 1 };
    expect(value([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);

    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = { deep };
    expect(JSON.stringify(value(deep))).toContain('[too deep]');
    const growing = { toJSON: () => [{ ...growing }] };
    expect(JSON.stringify(value(growing))).toContain('[too deep]');
    let wide: unknown = 'x';
    for (let level = 0; level < 14; level++) wide = [wide, wide, wide, wide];
    expect(JSON.stringify(value(wide)).length).toBeLessThan(200_000);
    const rows = value(Array.from({ length: 1_000_000 }, () => 'row')) as unknown[];
    expect(rows.at(-1)).toBe('[cut]');
    const record = value(Object.fromEntries(rows.concat(rows).map((_, index) => [`a${index}`, index])));
    expect((record as Record<string, unknown>)['…']).toBe('[cut]');
    const long = value(['a'.repeat(400_000), 'b'.repeat(400_000), 'c', 'token=abc']) as string[];
    expect(long.map((item) => item.length)).toEqual([12_289, 12_289, 1, 16]);
    const lines = value(Array.from({ length: 20 }, () => 'a'.repeat(10_000))) as string[];
    expect(lines.join('').length).toBeLessThan(70_000);
    const names = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`token=${index}`, 1]));
    expect(Object.keys(value(names) as object)).toHaveLength(4_000);
  });
});

describe('no credential is left', () => {
  it.each([
    [
      'twice in a URL, after a text that looks like an escape',
      ['^aaaa', 'a"aaaa'],
      '%0a%2522aaaa',
      'a%2522aaaa',
    ],
  ])('%s', (_, secrets, message, form) => {
    expect(createRedactor(secrets).text(message)).not.toContain(form);
  });
});
