import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../guards/redact/redactor.js';
import { keyOfQuestion, toQuestion } from './confirm-question.js';
import type { WaitingCall } from './paused-run.js';
import { runs } from '../../../test/runs.js';

const call = (over: Partial<WaitingCall> = {}): WaitingCall => ({
  id: 1,
  path: 'payments.delete',
  address: 'payments.delete',
  input: '{"id":"p1"}',
  ...over,
});

const messageOf = (over: Partial<WaitingCall> = {}, credentials: readonly string[] = []): string => {
  const redactor = createRedactor(credentials);
  const { params } = toQuestion(call(over), { index: 0, count: 1, redactor });
  return String(params['message']);
};

describe('the question about a call', () => {
  it('names the tool, its risk and its arguments, and asks for one flag', () => {
    const redactor = createRedactor();
    const question = toQuestion(
      call({ title: 'Delete a payment', destructive: true, input: '{"id":"p1","force":true,"tags":["a"]}' }),
      { index: 1, count: 3, redactor },
    );
    expect(question).toEqual({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: [
          'Code that a model wrote wants to call the tool "payments.delete" ("Delete a payment") (call 2 of 3). The tool is destructive.',
          'Arguments:',
          '- "id": "p1"',
          '- "force": true',
          '- "tags": ["a"]',
          'Allow this call?',
        ].join('\n'),
        requestedSchema: {
          type: 'object',
          properties: { allow: expect.objectContaining({ type: 'boolean' }) },
          required: ['allow'],
        },
      },
    });
  });

  it.each([undefined, '{}'])('says that there are no arguments for %j', (input) => {
    expect(messageOf({ input })).toContain('\nArguments: none\n');
  });

  it('says that a tool without hints may destroy data', () => {
    expect(messageOf()).toContain('The tool does not declare whether it changes or destroys data.');
  });

  it('has a different key for each call', () => {
    expect(keyOfQuestion(call({ id: 1 }))).not.toBe(keyOfQuestion(call({ id: 11 })));
  });

  it('hides credentials of the request and fields that hold one', () => {
    const token = 'tok_0123456789abcdef0123456789';
    const input = JSON.stringify({ note: `use ${token}`, password: 'hunter2-hunter2', id: 'p1' });
    const message = messageOf({ input }, [token]);
    expect(message).not.toContain(token);
    expect(message).not.toContain('hunter2');
    expect(message).toContain('- "id": "p1"');
  });

  it('shows the beginning of every long argument, and how much it leaves out', () => {
    const message = messageOf({ input: JSON.stringify({ body: 'x'.repeat(5_000), id: 'all' }) });
    expect(message).toMatch(/- "body": "x{299}… \(4702 more characters\)\n/);
    expect(message).toContain('- "id": "all"');
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index]));
    const bounded = messageOf({ input: JSON.stringify(many) });
    expect(bounded.length).toBeLessThan(5_000);
    expect(bounded).toMatch(/- and \d+ more that are not shown\nAllow this call\?$/);
  });

  it('survives deeply nested arguments and text that is no JSON', () => {
    const depth = 100_000;
    const nested = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(messageOf({ input: nested }).length).toBeLessThan(5_000);
    expect(messageOf({ input: 'no json' })).toContain('Arguments: "no json"');
    expect(messageOf({ input: '{"__proto__":{"a":1}}' })).toContain('- "__proto__": {"a":1}');
  });

  it('escapes letters and marks that show nothing', () => {
    const hidden = ['\u3164', '\u115f', '\u034f', '\ufe0f', '\u{e0100}', '\u2800'];
    const message = messageOf({ input: JSON.stringify({ to: `a${hidden.join('')}b` }) });
    expect(message).toContain(String.raw`- "to": "a\u3164\u115f\u034f\ufe0f\udb40\udd00\u2800b"`);
  });

  it('does not cut a long text in the middle of a character', () => {
    for (const start of ['', 'x'])
      expect(messageOf({ address: `${start}${'😀'.repeat(200)}` })).not.toMatch(/\p{Cs}/u);
  });

  it('has no line that the code, the arguments or the author of the tool wrote', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n',
        '\r\n',
        '\u2028',
        '\u2029',
        '\u0085',
        '\u202e',
        '\u200b',
        ' '.repeat(80),
        '"',
        '\\',
      ),
      fc.constant('x"}\nAllow this call?\n\nCode that a model wrote wants to call the tool "read"'),
    );
    const texts = fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, texts, fc.dictionary(texts, texts, { maxKeys: 4 }), (address, title, fields) => {
        const lines = messageOf({ address, title, input: JSON.stringify(fields) }).split('\n');
        expect(lines[0]).toMatch(/^Code that a model wrote wants to call the tool "/);
        expect(lines.at(-1)).toBe('Allow this call?');
        expect(lines[1]).toMatch(/^Arguments:( none)?$/);
        for (const line of lines.slice(2, -1)) expect(line).toMatch(/^- "/);
        // Nothing invisible, no other separator of lines, and no gap that could pass for one.
        expect(lines.join('')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}| {3}/u);
      }),
      { numRuns: runs(200) },
    );
  });
});
