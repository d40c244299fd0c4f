import { describe, expect, it } from 'vitest';
import type { CopiedCall } from './copied-call.js';
import { readJson } from '../../../mcp/wire/exact-json.js';
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
      "import { createTestClient } from '@toolfold/testing';
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
