import { describe, expect, test } from 'vitest';
import { outlineSchema } from './outline.js';
import type { OutlineNode } from './outline.js';
import { factsOf, typeInWords } from './schema-words.js';

const words = (schema: Record<string, unknown>) => typeInWords(schema, schema);

describe('types in words', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'array', items: { type: 'string' } }, 'list of strings'],
    [{ type: 'array' }, 'list'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'map of numbers'],
    [{ enum: ['a', 'b'] }, 'string'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ const: 4 }, 'fixed value'],
    [{}, 'any value'],
    [{ oneOf: Array.from({ length: 5 }, (_, index) => ({ const: index })) }, 'fixed value'],
  ])('%j is "%s"', (schema, expected) => {
    expect(words(schema)).toBe(expected);
  });
});

test('names formats, ranges, lengths and defaults', () => {
  expect(factsOf({ format: 'date', minimum: 1, maximum: 5, default: 3 })).toEqual([
    'format date',
    '1 to 5',
    'default 3',
  ]);
  expect(factsOf({ minLength: 2, maxLength: 2, exclusiveMinimum: 0 })).toEqual([
    'more than 0',
    'exactly 2 characters',
  ]);
});

function flatten(node: OutlineNode, depth = 0): string[] {
  return [
    ...(node.label === ''
      ? []
      : [`${'  '.repeat(depth - 1)}${node.label}: ${node.type}${node.isRecursive ? ' (as above)' : ''}`]),
    ...node.children().flatMap((child) => flatten(child, depth + 1)),
  ];
}

describe('the outline of a schema', () => {
  test('nests objects, items and alternatives', () => {
    const schema = {
      type: 'object',
      properties: {
        lines: { type: 'array', items: { type: 'object', properties: { article: { type: 'string' } } } },
        tags: { type: 'array', items: { type: 'string' } },
        payment: {
          oneOf: [
            { type: 'object', properties: { method: { const: 'card' }, number: { type: 'string' } } },
            { type: 'object', properties: { method: { const: 'invoice' } } },
          ],
        },
      },
    };
    expect(flatten(outlineSchema(schema))).toEqual([
      'lines: list of objects',
      '  each item: object',
      '    article: string',
      'tags: list of strings',
      'payment: object',
      '  method = "card": object',
      '    method: fixed value',
      '    number: string',
      '  method = "invoice": object',
      '    method: fixed value',
    ]);
  });

  test('ends where a definition contains itself', () => {
    const schema = {
      $ref: '#/$defs/Node',
      $defs: {
        Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, name: { type: 'string' } } },
      },
    };
    expect(flatten(outlineSchema(schema))).toEqual(['next: object (Node) (as above)', 'name: string']);
  });

  test('says that a reference leads nowhere or to itself', () => {
    const [lost, loop] = outlineSchema({
      type: 'object',
      properties: { lost: { $ref: '#/$defs/None' }, loop: { $ref: '#/$defs/Loop' } },
      $defs: { Loop: { $ref: '#/$defs/Loop' } },
    }).children();
    expect(lost?.problem).toContain('leads nowhere');
    expect(loop?.problem).toContain('refers to itself');
  });

  test('knows the pointers of a field and of the definition behind it', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b': { $ref: '#/$defs/Money' } },
      $defs: { Money: { type: 'number' } },
    };
    expect(outlineSchema(schema, '/inputSchema').children()[0]?.pointers).toEqual([
      '/inputSchema/properties/a~1b',
      '/inputSchema/$defs/Money',
    ]);
  });

  test('prefers the words beside a reference to those of its target', () => {
    const schema = {
      type: 'object',
      properties: { price: { $ref: '#/$defs/Money', description: 'The price' } },
      $defs: { Money: { type: 'number', description: 'An amount' } },
    };
    expect(outlineSchema(schema).children()[0]?.description).toBe('The price');
  });
});
