/** Valid requests and their answers. */
import { FAIL_KEY, oddities } from './catalog.js';
import { encode } from './plan.js';
import type { Expectation, Json, RequestParts, Step } from './plan.js';
import type { Random } from '../live/random.js';

const PREFIX = 'io.modelcontextprotocol/';
export const VERSION = '2026-07-28';

const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function modernMeta(more: Json = {}): Json {
  return {
    [`${PREFIX}protocolVersion`]: VERSION,
    [`${PREFIX}clientCapabilities`]: {},
    [`${PREFIX}clientInfo`]: { name: 'fuzz', version: '1.0.0' },
    ...more,
  };
}

export function modernParts(
  method: string,
  params: Json,
  { id = 1, meta = {} }: { readonly id?: unknown; readonly meta?: Json } = {},
): RequestParts & { readonly body: string } {
  const source = Object.hasOwn(nameSources, method) ? nameSources[method] : undefined;
  const name = source === undefined ? undefined : params[source];
  return {
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ['MCP-Protocol-Version', VERSION],
      ['Mcp-Method', method],
      ...(typeof name === 'string' ? [['Mcp-Name', name] as const] : []),
    ],
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta(meta) } }),
  };
}

const legacy = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
] as const;
const within = [...legacy, ['Mcp-Session-Id', '$session'], ['MCP-Protocol-Version', '2025-11-25']] as const;

/** A 2026 request, and a check that the answer belongs to it. */
type Question = (random: Random) => {
  readonly method: string;
  readonly params: Json;
  readonly meta?: Json;
  readonly holds: (message: Json) => boolean;
};

const textOf = (message: Json): unknown =>
  ((message['result'] as { content?: readonly { text?: unknown }[] } | undefined)?.content ?? [])[0]?.text;
const isFailed = (message: Json): boolean => (message['result'] as Json | undefined)?.['isError'] === true;
const codeOf = (message: Json): unknown => (message['error'] as Json | undefined)?.['code'];
const hasList = (name: string) => (message: Json) =>
  Array.isArray((message['result'] as Json | undefined)?.[name]);

const questions: readonly (readonly [weight: number, question: Question])[] = [
  [
    12,
    (random) => {
      const text = random.text(random.between(0, 60));
      return {
        method: 'tools/call',
        params: { name: 'echo', arguments: { text } },
        holds: (message) => textOf(message) === text,
      };
    },
  ],
  [
    5,
    (random) => {
      const [a, b] = [random.between(-1000, 1000), random.between(-1000, 1000)];
      return {
        method: 'tools/call',
        params: { name: 'add', arguments: { a, b } },
        holds: (message) =>
          ((message['result'] as { structuredContent?: Json } | undefined)?.structuredContent ?? {})[
            'sum'
          ] ===
          a + b,
      };
    },
  ],
  [
    2,
    (random) => {
      const ms = random.between(0, 20);
      return {
        method: 'tools/call',
        params: { name: 'wait', arguments: { ms } },
        holds: (message) => textOf(message) === `waited ${ms}`,
      };
    },
  ],
  [
    3,
    (random) => {
      const progressToken = random.isOneIn(2) ? random.between(0, 5) : undefined;
      return {
        method: 'tools/call',
        params: { name: 'steps', arguments: { count: random.between(0, 5) } },
        ...(progressToken === undefined ? {} : { meta: { progressToken } }),
        holds: (message) => textOf(message) === 'done',
      };
    },
  ],
  [6, () => ({ method: 'tools/list', params: {}, holds: hasList('tools') })],
  [1, () => ({ method: 'prompts/list', params: {}, holds: hasList('prompts') })],
  [1, () => ({ method: 'resources/list', params: {}, holds: hasList('resources') })],
  [1, () => ({ method: 'resources/templates/list', params: {}, holds: hasList('resourceTemplates') })],
  [2, () => ({ method: 'server/discover', params: {}, holds: hasList('supportedVersions') })],
  [
    1,
    () => ({
      method: 'prompts/get',
      params: { name: 'greet', arguments: { who: 'Ada' } },
      holds: hasList('messages'),
    }),
  ],
  [1, () => ({ method: 'resources/read', params: { uri: 'memo://1' }, holds: hasList('contents') })],
  [1, () => ({ method: 'resources/read', params: { uri: 'note://7' }, holds: hasList('contents') })],
  // Errors of handlers are answers too.
  [
    2,
    () => ({
      method: 'tools/call',
      params: { name: 'users', arguments: { action: 'fail' } },
      holds: isFailed,
    }),
  ],
  [1, () => ({ method: 'tools/call', params: { name: 'guarded', arguments: {} }, holds: isFailed })],
  [
    3,
    (random) => ({
      method: 'tools/call',
      params: { name: 'odd', arguments: { what: random.pick(oddities) } },
      holds: (message) => message['result'] !== undefined,
    }),
  ],
  [
    1,
    () => ({
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'a' } },
      meta: { [FAIL_KEY]: 1 },
      holds: isFailed,
    }),
  ],
  [
    1,
    (random) => ({
      method: random.pick(['tools/list', 'prompts/list', 'resources/list']),
      params: {},
      meta: { [FAIL_KEY]: 1 },
      holds: (message) => codeOf(message) === -32_603,
    }),
  ],
  [
    1,
    () => ({
      method: 'resources/read',
      params: { uri: 'broken://1' },
      holds: (message) => codeOf(message) === -32_603,
    }),
  ],
  [
    1,
    () => ({
      method: 'prompts/get',
      params: { name: 'greet', arguments: { who: 'nobody' } },
      holds: (message) => codeOf(message) === -32_603,
    }),
  ],
  [
    1,
    () => ({
      method: 'tools/call',
      params: { name: 'nobody', arguments: {} },
      holds: (message) => codeOf(message) === -32_602,
    }),
  ],
  [2, () => ({ method: 'tools/call', params: { name: 'add', arguments: { a: 'x' } }, holds: isFailed })],
];

/** A 2026 request. */
export function rightStep(
  random: Random,
): Step & { readonly parts: RequestParts & { readonly body: string } } {
  const { method, params, meta = {}, holds } = random.weigh(questions)(random);
  const id = random.isOneIn(2) ? random.between(0, 5) : `id ${random.between(0, 5)}`;
  const parts = modernParts(method, params, { id, meta });
  return { label: `right ${method}`, parts, bytes: encode(parts), expect: own(id, holds) };
}

/** A request whose answer is an open stream. */
export function streamStep(): Step {
  const parts = modernParts('subscriptions/listen', { notifications: { toolsListChanged: true } });
  return { label: 'listen', bytes: encode(parts), expect: { kind: 'stream' } };
}

/** A 2025 session that is opened, used and mostly abandoned. */
export function sessionSteps(random: Random): Step[] {
  const ask = (method: string, params: Json | undefined, holds: (message: Json) => boolean): Step => {
    const id = random.between(0, 5);
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    return { label: `session ${method}`, bytes: encode({ headers: within, body }), expect: own(id, holds) };
  };
  const text = random.text(10);
  const uses = [
    () => ask('tools/call', { name: 'echo', arguments: { text } }, (message) => textOf(message) === text),
    () => ask('tools/list', undefined, hasList('tools')),
    () => ask('ping', undefined, (message) => message['result'] !== undefined),
    () =>
      ask(
        'tools/call',
        { name: 'odd', arguments: { what: random.pick(oddities) } },
        (message) => message['result'] !== undefined,
      ),
    () => ask('nobody/does', undefined, (message) => codeOf(message) === -32_601),
  ];
  const note = (method: string): Step => ({
    label: `session ${method}`,
    bytes: encode({ headers: within, body: JSON.stringify({ jsonrpc: '2.0', method }) }),
    expect: { kind: 'answer', status: [202] },
  });
  const open: Step = {
    label: 'initialize',
    bytes: encode({
      headers: legacy,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: random.pick(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']),
          capabilities: {},
          clientInfo: { name: 'fuzz', version: '1.0.0' },
        },
      }),
    }),
    expect: own(0, (message) => message['result'] !== undefined),
  };
  const end: Step = {
    label: 'end of session',
    bytes: encode({ method: 'DELETE', headers: within }),
    expect: { kind: 'answer', status: [200, 202, 204] },
  };
  return [
    open,
    note('notifications/initialized'),
    ...Array.from({ length: random.between(0, 3) }, () => random.pick(uses)()),
    ...(random.isOneIn(4) ? [end] : []),
  ];
}

/** Checks that an answer has the id of its request. */
function own(id: unknown, holds: (message: Json) => boolean): Expectation {
  return { kind: 'answer', status: [200], holds: (message) => message['id'] === id && holds(message) };
}
