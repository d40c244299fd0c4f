import { describe, expect, it } from 'vitest';
import { checkDraft } from './check-draft.js';
import { isKept, isMultiple } from './decimal.js';
import { createEditor, readEditor, switchMode } from './editor.js';
import { readSchema } from './read-schema.js';

const messages = (schema: object, text: string): readonly string[] =>
  checkDraft(readSchema(schema as never), { text }).map(({ message }) => message);

describe('a number of the form', () => {
  it('may be a multiple of a decimal fraction, such as a price of 0.01', () => {
    const price = { type: 'number', multipleOf: 0.01 };
    for (const text of ['19.99', '0.07', '1.1', '-4.35', '1e3', '0', '1.10'])
      expect(messages(price, text)).toEqual([]);
    expect(messages(price, '19.995')).toEqual(['must be a multiple of 0.01']);
    expect(isMultiple(0.3, 0.1)).toBe(true);
    expect(isMultiple(1e300, 1e-7)).toBe(true);
    expect(isMultiple(7, 2.5)).toBe(false);
    expect(isMultiple(1e-9, 1e300)).toBe(false);
  });

  it('is kept, or the form says that it would be sent with other digits', () => {
    for (const text of ['9007199254740991', '0.1', '-1.50', '+3', '5.', '.5', '1e21', '100', '0.000', '-0'])
      expect(messages({ type: 'number' }, text)).toEqual([]);
    expect(messages({ type: 'integer' }, '12345678901234567890')).toEqual([
      'has more digits than a number can keep: it would be sent as 12345678901234567000',
    ]);
    expect(isKept('9007199254740993')).toBe(false);
    expect(isKept('1e-400')).toBe(false);
  });

  it('is not rounded silently in JSON', () => {
    const field = readSchema({ type: 'object', properties: { id: { type: 'integer' }, any: {} } });
    const json = { ...switchMode(field, createEditor(field), 'json'), json: '{"id":12345678901234567890}' };
    expect(readEditor(field, json).problems).toEqual([
      {
        path: [],
        message:
          '12345678901234567890 has more digits than a number can keep: it would be sent as 12345678901234567000',
      },
    ]);
    // The form would show the rounded number as if it had been typed.
    expect(switchMode(field, json, 'form')).toBe(json);
    const raw = { ...createEditor(field), draft: { fields: { any: { raw: '[1e999]' } }, extra: [] } };
    expect(readEditor(field, raw).problems).toMatchObject([{ path: ['any'] }]);
    const text = { ...json, json: '{"any":"12345678901234567890"}' };
    expect(readEditor(field, text).problems).toEqual([]);
  });
});
