/** Requests that are invalid JSON, MCP or HTTP. */
import { encode } from './plan.js';
import type { RequestParts, Step } from './plan.js';
import type { Random } from '../live/random.js';
import { modernParts, rightStep } from './right-requests.js';

type Header = readonly [name: string, value: string];

const call = (): RequestParts & { readonly body: string } =>
  modernParts('tools/call', { name: 'echo', arguments: { text: 'hi' } });

function withHeader(parts: RequestParts, name: string, ...values: readonly string[]): RequestParts {
  const others = parts.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...parts, headers: [...others, ...values.map((value): Header => [name, value])] };
}

const withBody = (body: string | Buffer): RequestParts => ({ ...call(), body });
const edited = (from: string | RegExp, to: string): RequestParts => withBody(call().body.replace(from, to));
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Faults and the status with which each is rejected. */
const rejected: readonly (readonly [
  label: string,
  status: number,
  build: (random: Random) => RequestParts,
])[] = [
  [
    'invalid JSON',
    400,
    (random) => withBody(random.text(random.between(1, 40)).replaceAll(/^[\d"[{]/g, '}')),
  ],
  ['cut short', 400, (random) => withBody(call().body.slice(0, random.between(1, call().body.length - 1)))],
  ['empty', 400, () => withBody('')],
  [
    'bytes that are no text',
    400,
    () => withBody(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')])),
  ],
  [
    'bytes that are no text, in a call',
    400,
    () => withBody(Buffer.from(call().body.replace('hi', '\u00ff'), 'latin1')),
  ],
  [
    'JSON that is no message',
    400,
    (random) => withBody(random.pick(['null', '5', '"a"', 'true', '{}', '[]', '[1]', '{"jsonrpc":"2.0"}'])),
  ],
  ['no version of JSON-RPC', 400, () => edited('"jsonrpc":"2.0",', '')],
  ['another version of JSON-RPC', 400, () => edited('"2.0"', '"1.0"')],
  [
    'odd id',
    400,
    (random) =>
      edited(
        '"id":1',
        `"id":${random.pick(['null', '1.5', 'true', '{}', '[]', '1e300', '9007199254740993'])}`,
      ),
  ],
  [
    'odd params',
    400,
    (random) => edited(/"params":.*$/, `"params":${random.pick(['null', '[]', '5', '"a"'])}}`),
  ],
  ['no _meta', 400, () => edited(/,"_meta":.*$/, '}}')],
  ['no capabilities', 400, () => edited('"io.modelcontextprotocol/clientCapabilities":{},', '')],
  [
    'odd capabilities',
    400,
    (random) =>
      edited('clientCapabilities":{}', `clientCapabilities":${random.pick(['null', '[]', '5', '"a"'])}`),
  ],
  [
    'unknown version',
    400,
    () =>
      withHeader(
        edited('protocolVersion":"2026-07-28"', 'protocolVersion":"2099-01-01"'),
        'MCP-Protocol-Version',
        '2099-01-01',
      ),
  ],
  ['a batch', 400, () => withBody(`[${call().body}]`)],
  ['a large batch', 400, () => withBody(`[${Array.from({ length: 500 }, () => call().body).join(',')}]`)],
  ['unknown method', 404, () => modernParts('nobody/does', {})],
  [
    'header missing',
    400,
    (random) => withHeader(call(), random.pick(['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])),
  ],
  [
    'header wrong',
    400,
    (random) => withHeader(call(), random.pick(['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']), 'wrong'),
  ],
  [
    'header twice',
    400,
    (random) => withHeader(call(), random.pick(['Mcp-Method', 'Mcp-Name']), 'echo', 'tools/call'),
  ],
  [
    'wrong type',
    415,
    (random) =>
      withHeader(
        call(),
        'Content-Type',
        random.pick([
          'text/plain',
          'application/jsonp',
          'application/json-patch+json',
          'application/xml',
          '',
        ]),
      ),
  ],
  ['no type', 415, () => withHeader(call(), 'Content-Type')],
  ['page of elsewhere', 403, () => withHeader(call(), 'Origin', 'https://evil.example')],
  ['host of elsewhere', 403, () => withHeader(call(), 'Host', 'evil.example')],
  [
    'other method of HTTP',
    405,
    (random) => ({
      ...call(),
      method: random.pick(['PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE', 'LINK']),
    }),
  ],
  ['stream without a session', 405, () => ({ method: 'GET', headers: [['Accept', 'text/event-stream']] })],
  ['end without a session', 405, () => ({ method: 'DELETE', headers: [] })],
  [
    'session that is not there',
    404,
    (random) => ({
      headers: [...legacy, ['Mcp-Session-Id', random.pick(['made-up', '__proto__', 'x'.repeat(3_000)])]],
      body: ping,
    }),
  ],
  [
    'stream of a session that is not there',
    404,
    () => ({
      method: 'GET',
      headers: [
        ['Accept', 'text/event-stream'],
        ['Mcp-Session-Id', 'made-up'],
      ],
    }),
  ],
  ['invalid handshake', 400, () => ({ headers: legacy, body: ping.replace('ping', 'initialize') })],
  [
    'handshake of a client that does not accept events',
    406,
    () => ({ headers: [['Content-Type', 'application/json']], body: opening }),
  ],
  ['no session', 400, () => ({ headers: legacy, body: ping })],
  ['nested deeply', 400, (random) => edited('"hi"', nested(random.between(5_000, 50_000)))],
  [
    '_meta nested deeply',
    400,
    (random) => edited('"_meta":{', `"_meta":{"a":${nested(random.between(5_000, 20_000))},`),
  ],
];

const legacy: readonly Header[] = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
];
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const opening = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1.0.0' },
  },
});

/** A request that is certainly invalid. */
export function wrongStep(random: Random): Step {
  const [label, status, build] = random.pick(rejected);
  return { label, bytes: encode(build(random)), expect: { kind: 'rejection', status: [status] } };
}

/** A request of up to 4.3 MB. The server rejects one above its limit, and need not read it to the end. */
export function largeStep(random: Random): Step {
  const body = call().body.replace('hi', 'x'.repeat(random.pick([100_000, 1_000_000, 4_300_000])));
  return { label: 'large', bytes: encode(withBody(body)), expect: { kind: 'anything' } };
}

const noHttp: readonly ((random: Random) => Buffer)[] = [
  (random) => random.bytes(random.between(1, 300)),
  (random) =>
    Buffer.concat([Buffer.from('POST /mcp HTTP/1.1\r\n'), random.bytes(50), Buffer.from('\r\n\r\n')]),
  () => Buffer.from('GET / HTTP/0.9\r\n\r\n'),
  () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  (random) => Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), random.bytes(64)]),
  () => Buffer.from('\r\n\r\n\r\n\r\n'),
  () => Buffer.from('post /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  () => Buffer.from('POST  /mcp  HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  () => Buffer.from('POST /mcp HTTP/1.1\r\n\r\n'),
  () => Buffer.from('CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  () => encode(withHeader(call(), 'Content-Length', '5', '6'))(''),
  () => encode(withHeader(call(), 'Content-Length', '-1'))(''),
  () => encode(withHeader(withHeader(call(), 'Transfer-Encoding', 'chunked'), 'Content-Length', '5'))(''),
  () => encode(withHeader(call(), 'Transfer-Encoding', 'chunked'))(''),
  () => encode({ ...withHeader(call(), 'Transfer-Encoding', 'chunked'), body: 'zz\r\nhi\r\n0\r\n\r\n' })(''),
  () =>
    encode({ ...withHeader(call(), 'Transfer-Encoding', 'chunked'), body: 'ffffffffffffffffff\r\nhi\r\n' })(
      '',
    ),
  () => encode(withHeader(call(), 'Transfer-Encoding', 'gzip'))(''),
  () => encode(withHeader(call(), 'X-Long', 'x'.repeat(40_000)))(''),
  () =>
    encode({
      ...call(),
      headers: [...call().headers, ...Array.from({ length: 3_000 }, (_, at): Header => [`x-${at}`, 'y'])],
    })(''),
  () => encode({ ...call(), target: `/mcp?${'x'.repeat(30_000)}` })(''),
  () => encode(withHeader(call(), 'X-Odd', 'a\u0000b'))(''),
  () => encode(withHeader(call(), 'X Odd', 'a'))(''),
  () => encode(withHeader(call(), 'Host', 'localhost', 'localhost'))(''),
  () => encode(withHeader(call(), 'Expect', 'miracle'))(''),
  () => encode({ ...withHeader(withHeader(call(), 'Upgrade', 'websocket'), 'Connection', 'Upgrade') })(''),
  () => encode({ ...call(), target: '*' })(''),
  () => encode({ ...call(), target: '//evil.example/mcp' })(''),
  () => encode({ ...call(), target: '/mcp%00' })(''),
  () => encode({ ...call(), target: 'http://[/mcp' })(''),
  () => encode(withHeader(call(), 'Host', '['))(''),
  () => encode(withHeader(call(), 'Host', 'a b'))(''),
  () => encode(withHeader(call(), 'Host', ''))(''),
];

/** Bytes that are not HTTP, or that are difficult for a parser or router. */
export function brokenStep(random: Random): Step {
  const bytes = random.pick(noHttp)(random);
  return { label: 'broken HTTP', bytes: () => bytes, expect: { kind: 'parser' } };
}

/** A valid request with mutated bytes, significant or random ones. */
export function mutatedStep(random: Random): Step {
  const { parts, label } = rightStep(random);
  let bytes = encode(parts)('');
  for (let times = random.between(1, 4); times > 0; times--) bytes = mutate(bytes, random);
  return { label: `changed ${label}`, bytes: () => bytes, expect: { kind: 'parser' } };
}

/** A valid head with a mutated body. It is valid HTTP, so it must be answered. */
export function mutatedBodyStep(random: Random): Step {
  const { parts, label } = rightStep(random);
  let body: Buffer = Buffer.from(parts.body);
  for (let times = random.between(1, 4); times > 0; times--) body = mutate(body, random);
  return {
    label: `changed body of ${label}`,
    bytes: encode({ ...parts, body }),
    expect: { kind: 'anything' },
  };
}

const tokens = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\r\n',
  '\0',
  'null',
  '-',
  '1e999',
  '__proto__',
  '\ufeff',
  ' ',
];

function mutate(bytes: Buffer, random: Random): Buffer {
  const at = random.between(0, bytes.length);
  const until = Math.min(bytes.length, at + random.between(1, 12));
  const [head, cut, tail] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
  switch (random.between(0, 4)) {
    case 0:
      return Buffer.concat([head, tail]);
    case 1:
      return Buffer.concat([head, cut, cut, tail]);
    case 2:
      return Buffer.concat([head, Buffer.from(random.pick(tokens)), cut, tail]);
    case 3:
      return Buffer.concat([head, random.bytes(cut.length), tail]);
    default:
      return Buffer.concat([
        head,
        Buffer.from([(cut[0] ?? 0) ^ (1 << random.between(0, 7))]),
        cut.subarray(1),
        tail,
      ]);
  }
}
