import { describe, expect, it } from 'vitest';
import { createEditor, readEditor, switchMode } from './editor.js';
import { readSchema } from './read-schema.js';

const field = readSchema({
  type: 'object',
  properties: { count: { type: 'integer' }, text: { type: 'string' } },
  required: ['count'],
});

describe('a form that is also JSON', () => {
  it('keeps what was typed, also if it is no value yet', () => {
    const typed = { ...createEditor(field), draft: { fields: { count: { text: '12a' } }, extra: [] } };
    const json = switchMode(field, typed, 'json');
    expect(json.json).toBe('{}');
    expect(switchMode(field, json, 'form').draft).toEqual(typed.draft);
  });

  it('takes the values of changed JSON', () => {
    const json = switchMode(field, createEditor(field), 'json');
    const changed = switchMode(field, { ...json, json: '{"count":3,"more":[1]}' }, 'form');
    expect(readEditor(field, changed).value).toEqual({ count: 3, more: [1] });
  });

  it('keeps text that is not JSON, and says what is wrong', () => {
    const broken = { ...switchMode(field, createEditor(field), 'json'), json: '{"count":' };
    expect(switchMode(field, broken, 'form')).toBe(broken);
    expect(readEditor(field, broken).problems[0]?.message).toMatch(/^This is not JSON yet/);
  });
});

describe('JSON for a union', () => {
  const fixed = (method: string, more: Record<string, object>) => ({
    type: 'object',
    properties: { method: { const: method }, ...more },
    required: ['method', ...Object.keys(more)],
    additionalProperties: false,
  });
  const payment = readSchema({
    type: 'object',
    properties: {
      customer: { type: 'string' },
      payment: {
        oneOf: [
          fixed('card', { number: { type: 'string' } }),
          fixed('transfer', { iban: { type: 'string' }, bank: { type: 'string' } }),
          fixed('invoice', { days: { type: 'integer' } }),
        ],
      },
      amount: {
        anyOf: [
          { type: 'number', title: 'gross' },
          { type: 'number', title: 'net' },
        ],
      },
    },
  });
  const problemsOf = (value: object) =>
    readEditor(payment, { mode: 'json', draft: undefined, json: JSON.stringify(value), shown: '' }).problems;

  it('is checked against the alternative that its constants name', () => {
    expect(problemsOf({ payment: { method: 'invoice' } })).toEqual([
      { path: ['payment', 'days'], message: 'is required' },
    ]);
    expect(problemsOf({ payment: { method: 'transfer' } })).toHaveLength(2);
  });

  it('is checked against the alternative with the fewest problems, if no constant decides', () => {
    expect(problemsOf({ payment: { days: 3 } })).toEqual([
      { path: ['payment', 'method'], message: 'is required' },
    ]);
    expect(problemsOf({ payment: { method: 'cash', number: '1' } })).toEqual([
      { path: ['payment', 'method'], message: 'must be "card"' },
    ]);
  });

  it('keeps the chosen alternative of the form', () => {
    const chosen = {
      ...createEditor(payment),
      draft: {
        fields: {
          payment: {
            option: 1,
            draft: { fields: { method: { value: 'transfer' }, iban: { text: '1' } }, extra: [] },
          },
          amount: { option: 1, draft: { text: '3' } },
        },
        extra: [],
      },
    };
    const json = switchMode(payment, chosen, 'json');
    const changed = { ...json, json: json.json.replace('"1"', '"2"').replace('3', '4') };
    expect(switchMode(payment, changed, 'form').draft).toMatchObject({
      fields: {
        payment: { option: 1, draft: { fields: { iban: { text: '2' } } } },
        amount: { option: 1, draft: { text: '4' } },
      },
    });
  });
});
