import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findParamHeaders } from '../../../../../src/compile/tool-forms.js';
import { paramHeaderMismatch } from '../../../../../src/serve/modern/param-headers.js';
import { runs } from '../../../../../test/runs.js';
import type { CopiedCall } from './copied-call.js';
import { readJson } from '../../../mcp/wire/exact-json.js';
import { encodeHeader, paramHeaders } from './param-headers.js';
import { quoteForShell } from './shell-quote.js';
import { toToolfoldCall } from './to-command.js';
import { toLiteral, toTest } from './to-test.js';

const call: CopiedCall = {
  address: 'notes/text.add',
  input: { text: "Ada's cat", due: { day: '2026-03-01' } },
  method: 'tools/call',
  params: {},
  form: 'grouped',
  profile: 'none',
  era: '2026',
  origin: 'http://127.0.0.1:1',
  words: ['examples/cli/registry.ts'],
};

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

describe('toolfold call', () => {
  it('has the arguments as JSON', () => {
    expect(toToolfoldCall(call)).toBe(
      `npx toolfold call examples/cli/registry.ts notes/text.add --input '{"text":"Ada'\\''s cat","due":{"day":"2026-03-01"}}'`,
    );
  });

  it('names the target in the way that fits it', () => {
    const lines = [
      ['https://example.com/mcp', '--header', 'Authorization: …'],
      ['--', 'npx', '-y', 'some server', '$(id)'],
      ['my servers/server.ts'],
      undefined,
    ].map((words) =>
      toToolfoldCall({ ...call, input: {}, era: '2025', caller: { scopes: ['a', 'b'] }, words }),
    );
    expect(lines).toEqual([
      "npx toolfold call https://example.com/mcp notes/text.add --protocol 2025 --header 'Authorization: …'",
      "npx toolfold call notes/text.add --protocol 2025 -- npx -y 'some server' '$(id)'",
      "npx toolfold call 'my servers/server.ts' notes/text.add --scopes a,b",
      'npx toolfold call registry.ts notes/text.add --scopes a,b',
    ]);
  });

  it('has the scopes that the action needs, because the page calls with all of them', () => {
    const needed = ['notes:write'];
    expect(toToolfoldCall({ ...call, input: {}, needed })).toContain('--scopes notes:write');
    expect(toToolfoldCall({ ...call, input: {}, needed, caller: { scopes: [] } })).not.toContain('--scopes');
  });
});

describe('a copied test', () => {
  it('repeats the call with its answers, and expects its result', () => {
    const code = toTest({
      ...call,
      era: '2025',
      caller: { clientId: 'ada', scopes: ['notes:write'] },
      result: { content: [{ type: 'text', text: 'added' }] },
      answers: [
        { method: 'elicitation/create', params: {}, result: { action: 'accept', content: { sure: true } } },
      ],
    });
    expect(code).toMatchInlineSnapshot(`
      "import { createTestClient } from 'toolfold/testing';
      import { expect, it } from 'vitest';
      import { registry } from './registry.js';

      it('notes/text.add answers', async () => {
        await using client = await createTestClient(registry, {
          "era": "2025",
          "auth": {
            "clientId": "ada",
            "scopes": [
              "notes:write"
            ]
          },
          "answers": {
            "elicit": [
              {
                "sure": true
              }
            ]
          }
        });
        const result = await client.call('notes/text.add', { text: "Ada's cat", due: { day: '2026-03-01' } });
        expect(result.content).toEqual([{ type: 'text', text: 'added' }]);
      });
      "
    `);
  });

  it('has all digits of a number', () => {
    expect(toLiteral(readJson('{"id":12345678901234567890}'))).toBe('{ id: 12345678901234567890 }');
    const long = `{"id":12345678901234567890,"text":"${'x'.repeat(100)}"}`;
    expect(toLiteral(readJson(long))).toContain('"id": 12345678901234567890,');
  });

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

  it('leaves texts that look like a key named __proto__ as they are', () => {
    const text = '{"__proto__":1}';
    for (const more of ['', 'x'.repeat(100)]) {
      const value: unknown = JSON.parse(
        `{"__proto__":{"a":1},"b":[{"__proto__":2}],"c":[${JSON.stringify(text)},${JSON.stringify(`"__proto__":${more}`)}]}`,
      );
      const read: unknown = new Function(`return (${toLiteral(value, 2)});`)();
      expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    }
    expect(toLiteral([text])).toBe(`['${text}']`);
  });
});
