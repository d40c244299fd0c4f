import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEEDS_SDK, PREFIX, isLegacyRequest, isRightRequest } from './envelope.js';

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
const request = (body: unknown, headers: Readonly<Record<string, string>>) => ({
  header: (name: string) => headers[name],
  body,
  target: '/mcp',
  signal: () => new AbortController().signal,
});
const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' };
const classify = (body: unknown, given: Readonly<Record<string, string>>): string =>
  classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...('mcp-protocol-version' in given
      ? { protocolVersionHeader: given['mcp-protocol-version'] as string }
      : {}),
    ...('mcp-method' in given ? { mcpMethodHeader: given['mcp-method'] as string } : {}),
  }).kind;

// The SDK is not loaded through our own loader here, so that only what is certain without it is said.
describe('without the SDK', () => {
  it('a request is right only where the SDK finds it right', () => {
    let count = 0;
    fc.assert(
      fc.property(meta, (_meta) => {
        const params = { _meta };
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
        if (isRightRequest(request(body, headers), 'tools/list', params) !== true) return;
        count++;
        expect(classify(body, headers)).toBe('modern');
      }),
      { numRuns: 6_000 },
    );
    expect(count).toBeGreaterThan(100);
  });

  it('a request is one of 2025 only where the SDK finds it one', () => {
    let count = 0;
    const body = record(
      {
        jsonrpc: mostly(fc.constant('2.0')),
        id: mostly(fc.integer()),
        method: mostly(fc.constantFrom('initialize', 'tools/call', 'notifications/initialized')),
        params: mostly(record({ name: fc.string(), _meta: mostly(fc.oneof(empty, meta)) })),
      },
      ['jsonrpc', 'method'],
    );
    const someHeaders = record({
      'mcp-protocol-version': fc.constantFrom('2025-11-25', '2024-11-05', VERSION, '2027-01-01', 'x', ''),
      'mcp-method': fc.constantFrom('tools/call', 'initialize'),
    }) as fc.Arbitrary<Record<string, string>>;
    fc.assert(
      fc.property(body, someHeaders, (given, with_) => {
        if (isLegacyRequest(request(given, with_)) !== true) return;
        count++;
        expect(classify(given, with_)).toBe('legacy');
      }),
      { numRuns: 6_000 },
    );
    expect(count).toBeGreaterThan(100);
  });

  it('says what only the SDK can tell', () => {
    const _meta = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: { other: {} } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
    expect(isRightRequest(request(body, headers), 'tools/list', { _meta })).toBe(NEEDS_SDK);
    expect(isLegacyRequest(request(body, {}))).toBe(NEEDS_SDK);
  });
});
