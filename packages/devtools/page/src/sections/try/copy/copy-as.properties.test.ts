import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findParamHeaders } from '../../../../../../toolfold/src/compile/tool-forms.js';
import { paramHeaderMismatch } from '../../../../../../toolfold/src/serve/modern/param-headers.js';
import { runs } from '../../../../../../../test/runs.js';
import { encodeHeader, paramHeaders } from './param-headers.js';
import { quoteForShell } from './shell-quote.js';
import { toLiteral } from './to-test.js';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    "'",
    '"',
    '$(touch /tmp/x)',
    '`id`',
    '\\',
    '\n',
    '; ls',
    '-n',
    '!!',
    '*',
    '~',
    '',
    "'\\''",
    '\u202e',
  ),
);

describe('a text in a shell command', () => {
  it('reaches the program unchanged', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 20, maxLength: 20 }), (texts) => {
        // No argument of a program holds NUL.
        const words = texts.map((text) => text.replaceAll('\0', ''));
        const script = `printf '%s\\0' ${words.map(quoteForShell).join(' ')}`;
        const printed = execFileSync('/bin/sh', ['-c', script]).toString('utf8');
        expect(printed.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('curl', () => {
  const of = (property: object): object => ({ type: 'object', properties: { a: property } });
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', 'x-mcp-header': 'Text' },
      size: { type: 'integer', 'x-mcp-header': "It's" },
      ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
      nested: of(of({ type: 'string', 'x-mcp-header': 'Deep' })),
      list: { type: 'array', 'x-mcp-header': 'List' },
      wrong: { type: 'string', 'x-mcp-header': 'two words' },
    },
  };

  it('repeats the arguments in headers as the server demands', () => {
    const text = fc.string({ unit: 'grapheme' });
    const args = fc.record(
      {
        text,
        size: fc.integer(),
        ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
        dry: fc.boolean(),
        nested: fc.oneof(fc.record({ a: fc.record({ a: text }) }), text),
        list: fc.array(text),
        wrong: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(args, (input) => {
        const sent = JSON.parse(JSON.stringify(input)) as typeof input;
        const headers = new Map(
          Object.entries(paramHeaders(schema, sent)).map(([name, value]) => [
            name.toLowerCase(),
            encodeHeader(value),
          ]),
        );
        for (const value of headers.values()) expect(value).toMatch(/^[\x21-\x7e][\x20-\x7e]*$/);
        expect(
          paramHeaderMismatch(findParamHeaders(schema), sent, (name) => headers.get(name)),
        ).toBeUndefined();
        expect([...headers.keys()].some((name) => /list|two/.test(name))).toBe(false);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a copied test', () => {
  it('writes every JSON value as code that means the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read: unknown = new Function(`return (${toLiteral(value)});`)();
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
      }),
      { numRuns: runs(2_000) },
    );
    expect(toLiteral(JSON.parse('{"__proto__":1}'))).toBe('{ ["__proto__"]: 1 }');
  });
});
