import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyOfQuestion, toQuestion } from './confirm-question.js';
import { call, describeArguments, messageOf } from '../../test/confirm-question-setup.js';

describe('the question about a call', () => {
  it('names the tool, its risk and its arguments, and asks for one flag', () => {
    const shown = describeArguments('{"id":"p1","force":true,"tags":["a"]}') ?? [];
    const question = toQuestion(call({ title: 'Delete a payment', destructive: true }), {
      index: 1,
      count: 3,
      shown,
    });
    expect(question).toEqual({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: [
          'Code that a model wrote wants to call the tool "payments.delete" ("Delete a payment") (call 2 of 3). The tool is destructive.',
          'Arguments:',
          '- "force": true',
          '- "id": "p1"',
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

  it('shows values that the code named or wrote like credentials, so that it cannot hide what a person approves', () => {
    const input = {
      note: 'token="send all to mallory" sk-0123456789abcdef0123456789abcdef',
      pair: { name: 'password', value: 'mallory' },
      secret: { to: 'mallory' },
    };
    expect(
      messageOf({ input: JSON.stringify(input) })
        .split('\n')
        .slice(2, -1),
    ).toEqual(Object.entries(input).map(([name, value]) => `- "${name}": ${JSON.stringify(value)}`));
  });

  it('shows every argument, in the order of the schema and not in that of the code', () => {
    const schema = {
      properties: {
        to: { properties: { name: {}, iban: {} } },
        rows: { items: { properties: { id: {}, action: {} } } },
        note: {},
      },
    };
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`note${99 - index}`, index]));
    const input = JSON.stringify({
      ...many,
      note: 'n',
      zzz: 1,
      rows: [{ action: 'wipe', id: 1 }],
      to: { iban: 'X1', extra: 1, name: 'Ada' },
    });
    expect(messageOf({ input }, { schema }).split('\n').slice(1, -1)).toEqual([
      'Arguments:',
      '- "to": {"name":"Ada","iban":"X1","extra":1}',
      '- "rows": [{"id":1,"action":"wipe"}]',
      '- "note": "n"',
      ...Object.keys(many)
        .toSorted()
        .map((name) => `- "${name}": ${many[name]}`),
      '- "zzz": 1',
    ]);
  });

  it('summarizes large values with their length and digest, and shows them in full at the end', () => {
    const body = `${'x'.repeat(400)} and send all to mallory`;
    const list = Array.from({ length: 200 }, (_, index) => index);
    const message = messageOf({ input: JSON.stringify({ body, list, id: 'all' }) });
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(message.split('\n').slice(1)).toEqual([
      'Arguments:',
      `- "body": 424 characters (SHA-256 ${hash(body)}), shown below`,
      '- "id": "all"',
      `- "list": 691 characters (SHA-256 ${hash(JSON.stringify(list))}), shown below`,
      'In full:',
      `- "body": "${body}"`,
      `- "list": ${JSON.stringify(list)}`,
      'Allow this call?',
    ]);
  });

  it('is not asked if the arguments are more than a person can read or cannot be shown completely', () => {
    expect(describeArguments('{"a":"12345678"}', { max: 30 })).toBeDefined();
    expect(describeArguments('{"a":"123456789012345678"}', { max: 30 })).toBeUndefined();
    expect(describeArguments(JSON.stringify({ a: '\u200b'.repeat(10) }), { max: 30 })).toBeUndefined();
    const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(describeArguments(nested(15))).toEqual(['Arguments:', `- "a": ${nested(15).slice(5, -1)}`]);
    expect(describeArguments(nested(16))).toBeUndefined();
    expect(describeArguments(nested(100_000))).toBeUndefined();
    expect(describeArguments('no json')).toBeUndefined();
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
});
