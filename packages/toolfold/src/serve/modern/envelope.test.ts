import { Server, classifyInboundRequest, createMcpHandler } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LEGACY, SDK_NOT_LOADED, PREFIX, VALID, classify } from './envelope.js';
import { loadSdk } from '../sdk.js';

const VERSION = '2026-07-28';
const junk = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.constant({}),
  fc.constant([]),
  fc.jsonValue(),
);
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: junk });
const empty = fc.constant({});
const record = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(model, { requiredKeys });
const meta = record(
  {
    [`${PREFIX}protocolVersion`]: mostly(fc.constant(VERSION)),
    [`${PREFIX}clientCapabilities`]: mostly(
      record({
        elicitation: mostly(record({ form: mostly(empty), url: mostly(empty) })),
        sampling: mostly(record({ tools: mostly(empty), context: mostly(empty) })),
        roots: mostly(record({ listChanged: fc.boolean() })),
        extensions: mostly(fc.dictionary(fc.string(), mostly(empty))),
      }),
    ),
    [`${PREFIX}clientInfo`]: mostly(
      record({ name: mostly(fc.string()), version: mostly(fc.string()), title: mostly(fc.string()) }, [
        'name',
        'version',
      ]),
    ),
    [`${PREFIX}logLevel`]: mostly(fc.constantFrom('debug', 'emergency')),
    progressToken: mostly(fc.oneof(fc.string(), fc.integer())),
  },
  [`${PREFIX}protocolVersion`, `${PREFIX}clientCapabilities`],
);
const other = fc.constantFrom('2025-11-25', '2024-11-05', '2027-01-01', 'x', '');
/** Generates a member that most messages have. */
const usual = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.option(value, { nil: undefined, freq: 12 });
const present = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .record(model)
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
const message = present({
  jsonrpc: usual(mostly(fc.constant('2.0'))),
  id: usual(mostly(fc.oneof(fc.integer(), fc.string()))),
  method: mostly(fc.constantFrom('tools/list', 'tools/call', 'initialize', 'notifications/initialized')),
  params: usual(
    mostly(
      present({
        name: usual(mostly(fc.constantFrom('a', 'b'))),
        _meta: usual(mostly(fc.oneof(empty, { weight: 5, arbitrary: meta }))),
      }),
    ),
  ),
  more: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, junk),
});
/** Headers that mostly agree with the body. */
const headersFor = (body: unknown): fc.Arbitrary<Record<string, string>> => {
  const { method, params } = Object(body) as { method?: unknown; params?: { name?: unknown } | null };
  return present({
    'mcp-protocol-version': usual(fc.oneof({ weight: 4, arbitrary: fc.constant(VERSION) }, other)),
    'mcp-method': usual(fc.oneof({ weight: 8, arbitrary: fc.constant(String(method)) }, fc.constant('a/b'))),
    'mcp-name': usual(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(String(Object(params).name)) },
        fc.constantFrom('c', '=?base64?YQ==?=', '=?base64?!?=', '=?base64?=', ''),
      ),
    ),
  }) as fc.Arbitrary<Record<string, string>>;
};
const exchange = message.chain((body) => fc.tuple(fc.constant(body), headersFor(body)));

const request = (body: unknown, headers: Readonly<Record<string, string>>) => ({
  // An HTTP parser trims the blanks around a value.
  header: (name: string) => headers[name]?.trim(),
  body,
  target: '/mcp',
  signal: () => new AbortController().signal,
});
const kindOf = (body: unknown, given: Readonly<Record<string, string>>): string =>
  classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...('mcp-protocol-version' in given
      ? { protocolVersionHeader: given['mcp-protocol-version'] as string }
      : {}),
    ...('mcp-method' in given ? { mcpMethodHeader: given['mcp-method'] as string } : {}),
  }).kind;
const sdk = createMcpHandler(() => new Server({ name: 'a', version: '1' }, { capabilities: {} }), {
  legacy: 'reject',
});
const answerOf = async (body: unknown, headers: Readonly<Record<string, string>>) => {
  const text = JSON.stringify(body);
  const asked = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  const response = await sdk.fetch(asked, { parsedBody: body });
  return { status: response.status, body: (await response.text()) || undefined };
};

/** Compares our verdict on random messages with that of the SDK, and counts the verdicts. */
async function compare(numRuns: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = { right: 0, legacy: 0, rejected: 0, unsure: 0 };
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(exchange, async ([body, headers]) => {
      const verdict = classify(request(body, headers));
      if (verdict === SDK_NOT_LOADED) count('unsure');
      else if (verdict === VALID) {
        count('right');
        expect(kindOf(body, headers)).toBe('modern');
        // The method is unknown, which the SDK reports only for valid requests.
        expect(await answerOf(body, headers)).toMatchObject({ status: 404 });
      } else if (verdict === LEGACY) {
        count('legacy');
        expect(kindOf(body, headers)).toBe('legacy');
      } else {
        count('rejected');
        expect(verdict).toEqual(await answerOf(body, headers));
      }
    }),
    { numRuns },
  );
  return counts;
}

describe('without the SDK', () => {
  it(
    'classifies a message like the SDK, and rejects it with the same bytes',
    { timeout: 60_000 },
    async () => {
      const counts = await compare(3_000);
      for (const what of ['right', 'legacy', 'rejected', 'unsure'])
        expect(counts[what], what).toBeGreaterThan(10);
    },
  );

  it('reports messages that only the SDK can classify', () => {
    const _meta = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: { other: {} } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
    const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' };
    expect(classify(request(body, headers))).toBe(SDK_NOT_LOADED);
    expect(classify(request([], {}))).toBe(SDK_NOT_LOADED);
  });

  it('allows foreign keys in _meta', () => {
    const _meta = {
      [`${PREFIX}protocolVersion`]: VERSION,
      [`${PREFIX}clientCapabilities`]: {},
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
    const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' };
    expect(classify(request(body, headers))).toBe(VALID);
  });
});

describe('an empty name', () => {
  it('is rejected if no header repeats it', () => {
    const _meta = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: {} };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: '', _meta } };
    const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call' };
    expect(classify(request(body, headers))).toMatchObject({ status: 400 });
    expect(classify(request(body, { ...headers, 'mcp-name': '' }))).toBe(VALID);
  });
});

describe('with the SDK', () => {
  beforeAll(async () => {
    await loadSdk();
  });

  it('classifies every message like the SDK', { timeout: 60_000 }, async () => {
    const counts = await compare(1_500);
    expect(counts['unsure']).toBe(0);
    for (const what of ['right', 'legacy', 'rejected']) expect(counts[what], what).toBeGreaterThan(10);
  });
});
