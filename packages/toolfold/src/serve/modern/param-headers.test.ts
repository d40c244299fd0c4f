import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findParamHeaders } from '../../compile/tool-forms.js';
import { paramHeaderMismatch } from './param-headers.js';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    size: { type: 'integer', 'x-mcp-header': 'Size' },
    ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    plain: { type: 'string' },
    nested: {
      type: 'object',
      properties: {
        deep: { type: 'object', properties: { id: { type: 'string', 'x-mcp-header': 'Deep-Id' } } },
      },
    },
  },
};

function check(
  args: Record<string, unknown> | undefined,
  headers: Record<string, string> = {},
  of: object = schema,
) {
  return paramHeaderMismatch(findParamHeaders(of), args, (name) => headers[name]);
}
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('arguments that are repeated in headers', () => {
  it.each([
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'eu' }, { 'mcp-param-region': '  eu\t' }],
    [{ region: '' }, { 'mcp-param-region': '' }],
    [{ region: 'ä€😀' }, { 'mcp-param-region': base64('ä€😀') }],
    [{ region: 'a b ' }, { 'mcp-param-region': base64('a b ') }],
    [{ region: '' }, { 'mcp-param-region': base64('') }],
    [{ region: '=?base64?x?=' }, { 'mcp-param-region': base64('=?base64?x?=') }],
    [{ size: 42 }, { 'mcp-param-size': '42' }],
    [{ size: 42 }, { 'mcp-param-size': '42.0' }],
    [{ size: -1 }, { 'mcp-param-size': '-1' }],
    [{ size: 0 }, { 'mcp-param-size': '0' }],
    [{ ratio: 0.5 }, { 'mcp-param-ratio': '0.50' }],
    [{ ratio: 1e-7 }, { 'mcp-param-ratio': '1e-7' }],
    [{ dry: false }, { 'mcp-param-dry-run': 'false' }],
    [{ nested: { deep: { id: 'x' } } }, { 'mcp-param-deep-id': 'x' }],
    [{ plain: 'x' }, {}],
    [{}, {}],
    [undefined, {}],
    // Arguments that are missing in the body are not required in the headers.
    [{}, { 'mcp-param-region': 'eu' }],
    [{ region: null }, { 'mcp-param-region': 'eu' }],
    [{ nested: 'text' }, {}],
    [{ nested: { deep: [] } }, {}],
    // Clients omit values that they cannot write exactly.
    [{ size: 2 ** 60 }, {}],
  ])('match: %j with %j', (args, headers) => {
    expect(check(args, headers)).toBeUndefined();
  });

  it.each([
    [{ region: 'eu' }, {}, /region is in the body and the Mcp-Param-Region header is absent/],
    [{ region: '' }, {}, /absent/],
    [{ dry: false }, {}, /absent/],
    [{ size: 0 }, {}, /absent/],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }, /differ/],
    [{ region: 'eu' }, { 'mcp-param-region': 'EU' }, /differ/],
    [{ region: 'eu' }, { 'mcp-param-region': '' }, /differ/],
    [{ region: '42' }, { 'mcp-param-region': '42.0' }, /differ/],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?***?=' }, /not valid Base64/],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }, /not valid Base64/],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?/w==?=' }, /not valid Base64/],
    [{ size: 42 }, { 'mcp-param-size': '43' }, /differ/],
    [{ size: 42 }, { 'mcp-param-size': '0x2a' }, /differ/],
    [{ size: 42 }, { 'mcp-param-size': '42,42' }, /differ/],
    [{ size: 42 }, { 'mcp-param-size': '' }, /differ/],
    [{ dry: true }, { 'mcp-param-dry-run': 'TRUE' }, /differ/],
    [{ dry: true }, { 'mcp-param-dry-run': '1' }, /differ/],
    [{ nested: { deep: { id: 'x' } } }, { 'mcp-param-deep-id': 'y' }, /nested\.deep\.id/],
    [{ region: 5 }, { 'mcp-param-region': '6' }, /differ/],
  ])('do not match: %j with %j', (args, headers, message) => {
    expect(check(args, headers)).toMatchObject({
      code: -32_020,
      message: expect.stringMatching(message) as string,
      data: { mismatch: { header: expect.stringMatching(/^Mcp-Param-/) as string } },
    });
  });

  it('match for any text in the encoding of clients, and for no other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (mine, other) => {
        expect(check({ region: mine }, { 'mcp-param-region': base64(mine) })).toBeUndefined();
        if (mine !== other)
          expect(check({ region: mine }, { 'mcp-param-region': base64(other) })).toBeDefined();
      }),
    );
  });

  it('match for any integer that can be written exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (size) => {
        expect(check({ size }, { 'mcp-param-size': String(size) })).toBeUndefined();
        expect(check({ size }, {})).toBeDefined();
      }),
    );
  });

  it('are only those that the schema declares at a valid place', () => {
    const of = (property: object): object => ({ type: 'object', properties: { a: property } });
    for (const property of [
      { type: 'string', 'x-mcp-header': '' },
      { type: 'string', 'x-mcp-header': 'two words' },
      { type: 'string', 'x-mcp-header': 'a:b' },
      { type: 'string', 'x-mcp-header': 5 },
      { type: 'array', 'x-mcp-header': 'A' },
      { 'x-mcp-header': 'A' },
      { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] },
    ])
      expect(check({ a: 'x' }, {}, of(property))).toBeUndefined();
    expect(check({ a: 'x' }, {}, { type: 'object', 'x-mcp-header': 'A' })).toBeUndefined();
    expect(check({ a: 'x' }, {}, of({ type: 'string', 'x-mcp-header': 'A' }))).toBeDefined();
  });

  it('may have the names of prototype properties', () => {
    const of = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","x-mcp-header":"P"},"constructor":{"type":"string","x-mcp-header":"C"}}}',
    ) as object;
    expect(check({}, {}, of)).toBeUndefined();
    expect(check(JSON.parse('{"__proto__":"x"}') as Record<string, unknown>, {}, of)).toBeDefined();
    expect(check({ constructor: 'x' } as never, { 'mcp-param-c': 'x' }, of)).toBeUndefined();
  });
});
