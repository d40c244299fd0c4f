/** 2026-07-28 calls and lists with an invalid or unusual envelope. */
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  VERSION,
  VERSION_KEY,
  envelope,
  modern,
  modernMessage,
  withHeader,
} from './http-case.js';
import type { HttpCase, HttpRequest, Json } from './http-case.js';

const args = { name: 'echo', arguments: { text: 'hi' } };
const call = modern('tools/call', args);
const list = modern('tools/list');
const listen = modern('subscriptions/listen', { notifications: {} });
const notification = modern('notifications/cancelled', { requestId: 7 });
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

const withBody = (request: HttpRequest, message: unknown): HttpRequest => ({
  ...request,
  body: typeof message === 'string' ? message : JSON.stringify(message),
});
const withMember = (request: HttpRequest, name: string, value: unknown): HttpRequest =>
  withBody(request, { ...(JSON.parse(String(request.body)) as Json), [name]: value });
const withoutMember = (request: HttpRequest, name: string): HttpRequest => {
  const { [name]: _dropped, ...rest } = JSON.parse(String(request.body)) as Json;
  return withBody(request, rest);
};
const withParams = (params: unknown): HttpRequest => withMember(call, 'params', params);
const withMeta = (meta: unknown): HttpRequest => withParams({ ...args, _meta: meta });
const withMetaMember = (name: string, value: unknown): HttpRequest =>
  withMeta({ ...envelope, [name]: value });
const withoutMetaMember = (name: string): HttpRequest => {
  const { [name]: _dropped, ...rest } = envelope;
  return withMeta(rest);
};
/** Inserts text right after the first brace, for JSON that no JavaScript object can express. */
const withText = (text: string, after = '{'): HttpRequest =>
  withBody(call, String(call.body).replace(after, `${after}${text}`));

const ids: readonly unknown[] = [
  'text',
  '',
  '7',
  'ünïcode \u0000 "quoted"',
  'x'.repeat(5_000),
  0,
  -1,
  -0,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  null,
  true,
  false,
  {},
  [],
  [1],
];

const versions: readonly unknown[] = [
  '2025-11-25',
  '2024-11-05',
  '2099-01-01',
  '1900-01-01',
  '2026-07-29',
  'DRAFT',
  '',
  ' 2026-07-28',
  5,
  null,
  {},
  [VERSION],
];

const requests: Readonly<Record<string, HttpRequest>> = {
  ...Object.fromEntries(
    ids.map((id) => [`id ${JSON.stringify(id).slice(0, 30)}`, withMember(call, 'id', id)]),
  ),
  ...Object.fromEntries(
    ids.map((id) => [`list, id ${JSON.stringify(id).slice(0, 30)}`, withMember(list, 'id', id)]),
  ),
  'id written as 7.0': withBody(call, String(call.body).replace('"id":7', '"id":7.0')),
  'id written as 7e0': withBody(call, String(call.body).replace('"id":7', '"id":7e0')),
  'id with more digits than a number has': withBody(
    call,
    String(call.body).replace('"id":7', '"id":12345678901234567890'),
  ),
  'id too large for a number': withBody(call, String(call.body).replace('"id":7', '"id":1e999')),

  ...Object.fromEntries(
    (['1.0', '2', '', 2, 2.1, null, true, {}, ['2.0']] as const).map((version) => [
      `jsonrpc ${JSON.stringify(version)}`,
      withMember(call, 'jsonrpc', version),
    ]),
  ),
  'no jsonrpc': withoutMember(call, 'jsonrpc'),
  'no method': withoutMember(call, 'method'),
  'method null': withMember(call, 'method', null),
  'method a number': withMember(call, 'method', 5),
  'method an array': withMember(call, 'method', ['tools/call']),
  'method in other case': withMember(call, 'method', 'Tools/Call'),
  'method with a blank': withMember(call, 'method', 'tools/call '),
  'no params': withoutMember(call, 'params'),
  ...Object.fromEntries(
    ([null, [], [args], 'text', 5, true] as const).map((params) => [
      `params ${JSON.stringify(params).slice(0, 20)}`,
      withParams(params),
    ]),
  ),
  'params empty': withParams({}),
  'one member more': withMember(call, 'more', 1),
  'a result beside the method': withMember(call, 'result', {}),
  'an error beside the method': withMember(call, 'error', { code: 1, message: 'a' }),

  'no _meta': withParams(args),
  ...Object.fromEntries(
    ([null, [], 'text', 5, {}] as const).map((meta) => [`_meta ${JSON.stringify(meta)}`, withMeta(meta)]),
  ),
  'no version in _meta': withoutMetaMember(VERSION_KEY),
  'no capabilities in _meta': withoutMetaMember(CAPABILITIES_KEY),
  'no client in _meta': withoutMetaMember(CLIENT_KEY),
  ...Object.fromEntries(
    ([null, [], 'text', 5, true, { elicitation: 5 }, { sampling: null }, { made: { up: 1 } }] as const).map(
      (value) => [`capabilities ${JSON.stringify(value)}`, withMetaMember(CAPABILITIES_KEY, value)],
    ),
  ),
  ...Object.fromEntries(
    (
      [null, [], 'text', {}, { name: 'a' }, { name: 5, version: '1' }, { name: '', version: '' }] as const
    ).map((value) => [`client ${JSON.stringify(value)}`, withMetaMember(CLIENT_KEY, value)]),
  ),
  ...Object.fromEntries(
    versions.map((value) => [
      `version ${JSON.stringify(value)} in _meta`,
      withMetaMember(VERSION_KEY, value),
    ]),
  ),
  ...Object.fromEntries(
    versions
      .filter((value) => typeof value === 'string')
      .map((value) => [
        `version ${JSON.stringify(value)} in _meta and header`,
        withHeader(withMetaMember(VERSION_KEY, value), 'mcp-protocol-version', value),
      ]),
  ),
  'a foreign key in _meta': withMetaMember('com.example/trace', { deep: [1] }),
  'trace in _meta': withMetaMember('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  'a very long _meta': withMetaMember('com.example/long', 'x'.repeat(50_000)),

  ...Object.fromEntries(
    ['mcp-protocol-version', 'mcp-method', 'mcp-name'].flatMap((name) => {
      const right = call.headers.find(([other]) => other === name)?.[1] ?? '';
      return [
        [`${name} missing`, withHeader(call, name)],
        [`${name} empty`, withHeader(call, name, '')],
        [`${name} wrong`, withHeader(call, name, 'wrong')],
        [`${name} in other case`, withHeader(call, name, right.toUpperCase())],
        [`${name} twice`, withHeader(call, name, right, right)],
        [`${name} twice, one wrong`, withHeader(call, name, right, 'wrong')],
        [`${name} encoded`, withHeader(call, name, base64(right))],
        [`${name} with blanks around it`, withHeader(call, name, `  ${right}\t `)],
        [`${name} named in capitals`, withHeader(call, name.toUpperCase(), right)],
        [`${name} named otherwise`, withHeader(call, name.replaceAll('-', '_'), right)],
        [`${name} with a comma`, withHeader(call, name, `${right},`)],
      ] as [string, HttpRequest][];
    }),
  ),
  'mcp-method of another method': withHeader(call, 'mcp-method', 'tools/list'),
  'mcp-name of another tool': withHeader(call, 'mcp-name', 'add'),
  'mcp-name, badly encoded': withHeader(call, 'mcp-name', '=?base64?ZWNobw?='),
  'mcp-name, encoded in capitals': withHeader(call, 'mcp-name', '=?BASE64?ZWNobw==?='),
  'mcp-name, encoded nothing': withHeader(call, 'mcp-name', '=?base64??='),
  'mcp-name, encoded bytes that are no text': withHeader(call, 'mcp-name', '=?base64?/w==?='),
  'mcp-name on a list': withHeader(list, 'mcp-name', 'echo'),
  'no header at all but the type': { ...call, headers: [['content-type', 'application/json']] },
  'list without mcp-method': withHeader(list, 'mcp-method'),
  'list without version': withHeader(list, 'mcp-protocol-version'),
  'listen without mcp-method': withHeader(listen, 'mcp-method'),
  'an unknown session': withHeader(call, 'mcp-session-id', 'nobody'),
  'last-event-id': withHeader(call, 'last-event-id', '5'),

  notification: withoutMember(notification, 'id'),
  'unknown notification': withoutMember(modern('notifications/unheard'), 'id'),
  'notification without _meta': withBody(notification, {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 7 },
  }),
  'notification without params': withBody(notification, {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
  }),
  'notification without headers': {
    ...withoutMember(notification, 'id'),
    headers: [['content-type', 'application/json']],
  },
  'notification with another mcp-method': withHeader(
    withoutMember(notification, 'id'),
    'mcp-method',
    'notifications/progress',
  ),
  'notification with version of 2025 in _meta': withHeader(
    withBody(notification, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 7, _meta: { [VERSION_KEY]: 5 } },
    }),
    'mcp-protocol-version',
    VERSION,
  ),
  'notification of another version': withHeader(
    withoutMember(withMetaMember(VERSION_KEY, '2099-01-01'), 'id'),
    'mcp-protocol-version',
    '2099-01-01',
  ),
  'notification of another version than its header': withoutMember(
    withMetaMember(VERSION_KEY, '2099-01-01'),
    'id',
  ),
  'notification of 2025 in _meta and header': withHeader(
    withoutMember(withMetaMember(VERSION_KEY, '2025-11-25'), 'id'),
    'mcp-protocol-version',
    '2025-11-25',
  ),
  'another version and no header': withHeader(
    withMetaMember(VERSION_KEY, '2099-01-01'),
    'mcp-protocol-version',
  ),
  'an unusual client and another mcp-name': withHeader(
    withMetaMember(CAPABILITIES_KEY, { made: { up: 1 } }),
    'mcp-name',
    'add',
  ),
  'an unusual client and no mcp-method': withHeader(
    withMetaMember(CAPABILITIES_KEY, { made: { up: 1 } }),
    'mcp-method',
  ),
  'an unusual client and another version': withHeader(
    withMeta({ ...envelope, [VERSION_KEY]: '2099-01-01', [CAPABILITIES_KEY]: { made: { up: 1 } } }),
    'mcp-protocol-version',
    '2099-01-01',
  ),
  'no version, no capabilities, and a wrong client': withMeta({ [CLIENT_KEY]: 5 }),
  'no capabilities and a wrong version': withMeta({ [VERSION_KEY]: 5 }),
  'mcp-name that is only the marks of an encoding': withHeader(call, 'mcp-name', '=?base64?='),
  'a call without an id': withoutMember(call, 'id'),
  'a result posted': withBody(call, { jsonrpc: '2.0', id: 7, result: {} }),
  'an error posted': withBody(call, { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'no' } }),
  'an error posted without an id': withBody(call, { jsonrpc: '2.0', error: { code: -1, message: 'no' } }),
  'batch of one': withBody(call, [modernMessage('tools/call', args)]),
  'batch of two': withBody(call, [modernMessage('tools/call', args), modernMessage('tools/list')]),
  'batch of nothing': withBody(call, []),
  'batch of batches': withBody(call, [[]]),
  'batch of junk': withBody(call, [1, null, 'x']),

  '__proto__ in the message': withText('"__proto__":{"method":"tools/list"},'),
  '__proto__ in params': withText('"__proto__":{"name":"add"},', '"params":{'),
  '__proto__ in arguments': withText('"__proto__":{"text":"other"},', '"arguments":{'),
  '__proto__ in _meta': withText(`"__proto__":{"${VERSION_KEY}":"2025-11-25"},`, '"_meta":{'),
  'only __proto__ in arguments': withBody(
    call,
    String(call.body).replace('"text":"hi"', '"__proto__":{"text":"hi"}'),
  ),
  'constructor in arguments': withText('"constructor":{"prototype":{"polluted":1}},', '"arguments":{'),
  'constructor in params': withText('"constructor":{"prototype":{"polluted":1}},', '"params":{'),
  'toString in _meta': withText('"toString":1,"valueOf":null,"hasOwnProperty":false,', '"_meta":{'),
  'method given twice': withText('"method":"tools/list",'),
  'id given twice': withText('"id":1,'),
  'name given twice': withText('"name":"add",', '"params":{'),
  'version given twice': withText(`"${VERSION_KEY}":"2025-11-25",`, '"_meta":{'),
};

export const envelopeCases: readonly HttpCase[] = Object.entries(requests).map(([title, request]) => ({
  title,
  requests: [request],
}));
