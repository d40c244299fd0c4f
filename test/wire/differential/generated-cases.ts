/** Generated cases: valid requests with random changes, and sessions with random requests. */
import fc from 'fast-check';
import {
  BOTH,
  CAPABILITIES_KEY,
  CLIENT_KEY,
  LOG_LEVEL_KEY,
  VERSION,
  VERSION_KEY,
  handshake,
  inSession,
  modernHeaders,
  modernMessage,
  post,
} from './http-case.js';
import type { Header, HttpCase, HttpRequest, Json } from './http-case.js';

/** A request during its changes. */
interface Draft {
  method: string;
  headers: Header[];
  message: unknown;
  /** Changes the bytes of the message. */
  bytes: (text: Buffer) => Buffer;
  readonly title: string[];
}

type Change = (draft: Draft) => void;

const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];
const oddText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', '0', 'null', '\u0000', '\ud800', '=?base64?ZWNobw==?=', ...oddNames),
);
const oddNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -0, 1.5, 1e300, -1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1),
);
const oddLeaf = fc.oneof(oddText, oddNumber, fc.boolean(), fc.constant(null));
const oddValue = fc.oneof(
  { weight: 4, arbitrary: oddLeaf },
  { weight: 1, arbitrary: fc.array(oddLeaf, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.oneof(oddText, fc.constantFrom(...oddNames)), oddLeaf, { maxKeys: 3 }),
  },
);

const someCall = fc.oneof(
  fc.record({ name: fc.constant('echo'), arguments: fc.record({ text: fc.string() }) }),
  fc.record({ name: fc.constant('add'), arguments: fc.record({ a: fc.integer(), b: fc.integer() }) }),
  fc.record({ name: fc.constantFrom('silent', 'fail', 'steps', 'ask') }),
  fc.record({
    name: fc.constant('route'),
    arguments: fc.record({ region: oddText, count: fc.integer() }, { requiredKeys: ['region'] }),
  }),
  fc.record({
    name: fc.constantFrom('echo', 'add', 'silent', 'nobody'),
    arguments: fc.dictionary(oddText, oddValue),
  }),
  fc.record({
    name: fc.constant('ask'),
    inputResponses: fc.dictionary(fc.constantFrom('who', 'other'), fc.oneof(oddValue, accepted()), {
      maxKeys: 2,
    }),
  }),
);

const someRequest: fc.Arbitrary<readonly [method: string, params: Json]> = fc.oneof(
  { weight: 5, arbitrary: someCall.map((params) => ['tools/call', params] as const) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'server/discover',
        'tools/list',
        'prompts/list',
        'resources/list',
        'resources/templates/list',
      )
      .map((method) => [method, {}] as const),
  },
  fc
    .dictionary(fc.constantFrom('who', 'language'), oddText)
    .map((args) => ['prompts/get', { name: 'greet', arguments: args }] as const),
  fc
    .oneof(fc.constantFrom('memo://1', 'note://5', 'broken://1', 'nowhere://'), oddText)
    .map((uri) => ['resources/read', { uri }] as const),
  fc
    .record({
      ref: fc.constantFrom<Json>(
        { type: 'ref/prompt', name: 'greet' },
        { type: 'ref/resource', uri: 'note://{id}' },
      ),
      argument: fc.record({ name: fc.constantFrom('language', 'id', 'who'), value: oddText }),
    })
    .map((params) => ['completion/complete', params] as const),
  oddText.map((method) => [method, {}] as const),
);

const headerNames = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'mcp-param-region',
  'mcp-param-count',
];
const headerValues = fc.oneof(
  fc.constantFrom(
    VERSION,
    '2025-11-25',
    '1999-01-01',
    'tools/call',
    'tools/list',
    'echo',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'text/event-stream',
    '*/*',
    BOTH,
    '',
    '=?base64?ZWNobw==?=',
    '=?base64?!?=',
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019 -_/.;,=?:'), maxLength: 12 }),
);

const headerChange: fc.Arbitrary<Change> = fc
  .record({
    name: fc.constantFrom(...headerNames),
    how: fc.constantFrom('drop', 'set', 'add', 'recase'),
    value: headerValues,
  })
  .map(({ name, how, value: given }) => (draft) => {
    // Session ids are secret and redacted from messages, so they must not occur there by chance.
    const value = name === 'mcp-session-id' ? Buffer.from(given).toString('hex') : given;
    const isIt = ([other]: Header): boolean => other.toLowerCase() === name;
    draft.title.push(`${how} ${name}${how === 'set' || how === 'add' ? ` "${value}"` : ''}`);
    if (how === 'recase')
      draft.headers = draft.headers.map((header) =>
        isIt(header) ? [name.toUpperCase(), header[1]] : header,
      );
    else if (how !== 'add') draft.headers = draft.headers.filter((header) => !isIt(header));
    if (how === 'set' || how === 'add') draft.headers.push([name, value]);
  });

const places: readonly (readonly string[])[] = [
  [],
  ['params'],
  ['params', '_meta'],
  ['params', 'arguments'],
  ['params', '_meta', CAPABILITIES_KEY],
];
const members = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'name',
  'arguments',
  '_meta',
  'cursor',
  'uri',
  'text',
  'inputResponses',
  'requestState',
  'progressToken',
  'elicitation',
  'result',
  'error',
  VERSION_KEY,
  CAPABILITIES_KEY,
  CLIENT_KEY,
  LOG_LEVEL_KEY,
  ...oddNames,
];

const memberChange: fc.Arbitrary<Change> = fc
  .record({
    place: fc.constantFrom(...places),
    member: fc.constantFrom(...members),
    value: fc.option(oddValue, { nil: undefined, freq: 4 }),
  })
  .map(({ place, member, value }) => (draft) => {
    let target: unknown = draft.message;
    for (const step of place) target = isObject(target) ? target[step] : undefined;
    if (!isObject(target)) return;
    draft.title.push(
      `${[...place, member].join('.')} ${value === undefined ? 'gone' : JSON.stringify(value)}`,
    );
    if (value === undefined) delete target[member];
    else
      Object.defineProperty(target, member, { value, enumerable: true, configurable: true, writable: true });
  });

const textChange: fc.Arbitrary<Change> = fc
  .record({
    how: fc.constantFrom('mark', 'byte', 'cut', 'tail', 'blank', 'batch', 'deep', 'twice', 'empty'),
    at: fc.nat(999).map((thousandths) => thousandths / 1_000),
    byte: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ how, at, byte }) => (draft) => {
    draft.title.push(`${how} at ${at.toFixed(2)} with ${byte}`);
    const before = draft.bytes;
    draft.bytes = (text) => changeText(before(text), how, at, byte);
  });

const httpChange: fc.Arbitrary<Change> = fc
  .constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD')
  .map((method) => (draft) => {
    draft.title.push(method);
    draft.method = method;
  });

const change = fc.oneof(
  { weight: 5, arbitrary: headerChange },
  { weight: 6, arbitrary: memberChange },
  { weight: 2, arbitrary: textChange },
  { weight: 1, arbitrary: httpChange },
);

/** A 2026-07-28 request, valid except for its changes. */
export const modernCase: fc.Arbitrary<HttpCase> = fc
  .tuple(someRequest, fc.array(change, { maxLength: 3 }))
  .map(([[method, params], changes]) => {
    const draft: Draft = {
      method: 'POST',
      headers: headersFor(method, params),
      message: structuredClone(modernMessage(method, params)),
      bytes: (text) => text,
      title: [method],
    };
    for (const apply of changes) apply(draft);
    return { title: draft.title.join(', '), requests: [toRequest(draft)] };
  });

/** A session with valid and odd requests, one after the other. */
export const sessionCase: fc.Arbitrary<HttpCase> = fc
  .record({
    version: fc.constantFrom('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'),
    steps: fc.array(
      fc.tuple(someRequest, fc.oneof(fc.nat(5), oddValue), fc.array(memberChange, { maxLength: 2 })),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
  })
  .map(({ version, steps }) => ({
    title: `a session of ${version}`,
    requests: [
      ...handshake(version),
      ...steps.map(([[method, params], id, changes]) => {
        const draft: Draft = {
          method: 'POST',
          headers: [],
          message: structuredClone({ jsonrpc: '2.0', id, method, params }),
          bytes: (text) => text,
          title: [],
        };
        for (const apply of changes) apply(draft);
        return post(inSession(version), draft.message);
      }),
    ],
  }));

function accepted(): fc.Arbitrary<Json> {
  return fc.record({ action: fc.constant('accept'), content: fc.record({ name: fc.string() }) });
}

/** Encodes a value that a header cannot hold, like a client. */
function headersFor(method: string, params: Json): Header[] {
  const args = params['name'] === 'route' && isObject(params['arguments']) ? params['arguments'] : {};
  const mirrored = Object.entries(args).map(([name, value]): Header => [`mcp-param-${name}`, String(value)]);
  return [...modernHeaders(method, params), ...mirrored].map(([name, value]): Header => {
    const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
    if (isPlain || !name.startsWith('mcp-')) return [name, value];
    return [name, `=?base64?${Buffer.from(value).toString('base64')}?=`];
  });
}

function toRequest({ method, headers, message, bytes }: Draft): HttpRequest {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return {
    method,
    headers,
    ...(hasBody ? { body: bytes(Buffer.from(JSON.stringify(message) ?? 'null')) } : {}),
  };
}

const DEEP = 10_000;

function changeText(text: Buffer, how: string, at: number, byte: number): Buffer {
  const middle = Math.floor(at * text.length);
  const [head, tail] = [text.subarray(0, middle), text.subarray(middle)];
  switch (how) {
    case 'mark':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]);
    case 'byte':
      return Buffer.concat([head, Buffer.from([byte]), tail]);
    case 'cut':
      return head;
    case 'tail':
      return Buffer.concat([text, Buffer.from([byte])]);
    case 'blank':
      return Buffer.concat([Buffer.from(' \n'), text, Buffer.from('\r\n\t')]);
    case 'batch':
      return Buffer.concat([Buffer.from('['), text, Buffer.from(']')]);
    case 'deep':
      return Buffer.concat([Buffer.from('['.repeat(DEEP)), text, Buffer.from(']'.repeat(DEEP))]);
    case 'twice':
      return Buffer.concat([text, text]);
    default:
      return Buffer.alloc(0);
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
