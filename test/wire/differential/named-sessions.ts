/** 2025 and earlier requests, with and without a session. */
import { VERSION, handshake, inSession, initialize, legacyHeaders, post, withHeader } from './http-case.js';
import type { Header, HttpCase, HttpRequest, Json } from './http-case.js';

const message = (method: string, params?: Json, id: unknown = 1): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const echo = message('tools/call', { name: 'echo', arguments: { text: 'hi' } });
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const stranger: readonly Header[] = [...legacyHeaders, ['mcp-session-id', 'made-up']];
const within = (method: string, version?: string, accept = 'text/event-stream'): HttpRequest => ({
  method,
  headers: [
    ...inSession(version).filter(([name]) => !/^(accept|content-type)$/.test(name)),
    ['accept', accept],
  ],
});

/** Requests in an open session, by title. */
const asked: Readonly<Record<string, unknown>> = {
  ping: message('ping'),
  'list tools': message('tools/list'),
  'list tools, empty params': message('tools/list', {}),
  'list tools, unknown cursor': message('tools/list', { cursor: 'nowhere' }),
  call: echo,
  'call with structured result': message('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }),
  'call without arguments': message('tools/call', { name: 'silent' }),
  'call, wrong argument': message('tools/call', { name: 'echo', arguments: { text: 5 } }),
  'call, arguments an array': message('tools/call', { name: 'echo', arguments: [] }),
  'call, unknown tool': message('tools/call', { name: 'nobody' }),
  'call, no name': message('tools/call', {}),
  'call, a handler that throws': message('tools/call', { name: 'fail' }),
  'call with progress': message('tools/call', { name: 'steps', _meta: { progressToken: 'a' } }),
  'call that asks a client that cannot answer': message('tools/call', { name: 'ask' }),
  'call that asks, with a forged state': message('tools/call', {
    name: 'ask',
    requestState: 'made up',
  }),
  'fill a prompt with a number': message('prompts/get', { name: 'greet', arguments: { who: 1 } }),
  'list resources with a state': message('resources/list', { requestState: '' }),
  'list prompts': message('prompts/list'),
  'fill a prompt': message('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
  'fill an unknown prompt': message('prompts/get', { name: 'nobody' }),
  'list resources': message('resources/list'),
  'list templates': message('resources/templates/list'),
  'read a resource': message('resources/read', { uri: 'note://3' }),
  'read an unknown resource': message('resources/read', { uri: 'nowhere://' }),
  subscribe: message('resources/subscribe', { uri: 'memo://1' }),
  unsubscribe: message('resources/unsubscribe', { uri: 'memo://1' }),
  complete: message('completion/complete', {
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'language', value: 'e' },
  }),
  'unknown method': message('nobody/does'),
  'method of 2026-07-28': message('server/discover'),
  'initialize again': message('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }),
  'id text': message('ping', undefined, 'text'),
  'id null': message('ping', undefined, null),
  'id a float': message('ping', undefined, 1.5),
  'id an object': message('ping', undefined, {}),
  'no version of JSON-RPC': { id: 1, method: 'ping' },
  'params null': { ...message('tools/list'), params: null },
  'params an array': { ...message('tools/list'), params: [] },
  'one member more': { ...message('ping'), more: 1 },
  notification: { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
  'unknown notification': { jsonrpc: '2.0', method: 'notifications/unheard' },
  'cancelling nothing': { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
  'an unexpected result': { jsonrpc: '2.0', id: 99, result: {} },
  'an unexpected error': { jsonrpc: '2.0', id: 99, error: { code: 1, message: 'no' } },
  'body null': null,
  'body a number': 5,
  'an empty object': {},
};

const inOpened = (title: string, ...requests: readonly HttpRequest[]): HttpCase => ({
  title: `in a session: ${title}`,
  requests: [...handshake(), ...requests],
});

export const sessionCases: readonly HttpCase[] = [
  ...Object.entries(asked).map(([title, body]) => inOpened(title, post(inSession(), body))),
  ...versions.flatMap((version) => [
    {
      title: `a session of ${version}`,
      requests: [
        ...handshake(version),
        post(inSession(version), message('tools/list')),
        post(inSession(version), echo),
        within('DELETE', version),
        post(inSession(version), echo),
      ],
    },
  ]),
  {
    title: 'a batch in a session of 2025-03-26',
    requests: [
      ...handshake('2025-03-26'),
      post(inSession('2025-03-26'), [echo, message('ping', undefined, 2)]),
      post(inSession('2025-03-26'), [{ jsonrpc: '2.0', method: 'notifications/unheard' }]),
    ],
  },
  { title: 'an unknown version', requests: [initialize('1999-01-01')] },
  { title: 'a version of the future', requests: [initialize('2099-01-01')] },
  { title: 'initialize with the version of 2026-07-28', requests: [initialize(VERSION)] },
  inOpened('a stream', within('GET')),
  inOpened('a stream, not for events', within('GET', undefined, 'application/json')),
  inOpened('the end', within('DELETE')),
  inOpened('the end twice', within('DELETE'), within('DELETE')),
  inOpened('a call after the end', within('DELETE'), post(inSession(), echo)),
  inOpened('PUT', within('PUT')),
  inOpened('without its version', post(withoutVersion(), echo)),
  inOpened('another version', post(inSession('2025-06-18'), echo)),
  inOpened('an unknown version', post(inSession('1999-01-01'), echo)),
  inOpened('an invalid version', post(inSession('latest'), echo)),
  inOpened('a stream with an unknown version', within('GET', '1999-01-01')),
  inOpened('accepts only JSON', withHeader(post(inSession(), echo), 'accept', 'application/json')),
  inOpened('accepts only events', withHeader(post(inSession(), echo), 'accept', 'text/event-stream')),
  inOpened('type text', withHeader(post(inSession(), echo), 'content-type', 'text/plain')),
  inOpened('invalid JSON', { method: 'POST', headers: inSession(), body: '{' }),
  inOpened('no body', { method: 'POST', headers: inSession(), body: '' }),
  inOpened('the session named twice', withHeader(post(inSession(), echo), 'mcp-session-id', 'a', 'b')),
  {
    title: 'in a session: a call before the initialized notification',
    requests: [initialize(), post(inSession(), echo)],
  },
  ...['POST', 'GET', 'DELETE'].map((method): HttpCase => ({
    title: `${method} in an unknown session`,
    requests: [
      method === 'POST'
        ? post(stranger, echo)
        : { method, headers: [...stranger, ['accept', 'text/event-stream']] },
    ],
  })),
  { title: 'a session without a name', requests: [post([...legacyHeaders, ['mcp-session-id', '']], echo)] },
  { title: 'initialize in an unknown session', requests: [{ ...initialize(), headers: stranger }] },
  {
    title: 'initialize with headers of 2026-07-28',
    requests: [withHeader(initialize(), 'mcp-protocol-version', VERSION)],
  },
  {
    title: 'initialize without params',
    requests: [post(legacyHeaders, message('initialize'))],
  },
  {
    title: 'initialize without a client',
    requests: [
      post(legacyHeaders, message('initialize', { protocolVersion: '2025-11-25', capabilities: {} })),
    ],
  },
  {
    title: 'initialize without an id',
    requests: [post(legacyHeaders, { jsonrpc: '2.0', method: 'initialize' })],
  },
  {
    title: 'initialize, accepts only JSON',
    requests: [withHeader(initialize(), 'accept', 'application/json')],
  },
];

/** Requests that `createMcpHandler` serves without a session. */
export const sessionlessCases: readonly HttpCase[] = [
  { title: 'initialize', requests: [initialize()] },
  { title: 'a list', requests: [post(legacyHeaders, message('tools/list'))] },
  { title: 'a call', requests: [post(legacyHeaders, echo)] },
  {
    title: 'a call of 2025-11-25',
    requests: [withHeader(post(legacyHeaders, echo), 'mcp-protocol-version', '2025-11-25')],
  },
  {
    title: 'a call of an unknown version',
    requests: [withHeader(post(legacyHeaders, echo), 'mcp-protocol-version', '1999-01-01')],
  },
  { title: 'ping', requests: [post(legacyHeaders, message('ping'))] },
  {
    title: 'a notification',
    requests: [post(legacyHeaders, { jsonrpc: '2.0', method: 'notifications/initialized' })],
  },
  { title: 'a result', requests: [post(legacyHeaders, { jsonrpc: '2.0', id: 1, result: {} })] },
  { title: 'a batch', requests: [post(legacyHeaders, [echo])] },
  {
    title: 'a batch that opens a session',
    requests: [
      post(legacyHeaders, [
        message('initialize', {
          protocolVersion: '2025-03-26',
          capabilities: {},
          clientInfo: { name: 'a', version: '1' },
        }),
      ]),
    ],
  },
  {
    title: 'a call that accepts only JSON',
    requests: [withHeader(post(legacyHeaders, echo), 'accept', 'application/json')],
  },
  { title: 'invalid JSON', requests: [{ method: 'POST', headers: legacyHeaders, body: '{' }] },
];

function withoutVersion(): Header[] {
  return inSession().filter(([name]) => name !== 'mcp-protocol-version');
}
