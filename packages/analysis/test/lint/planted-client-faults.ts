/** Lists of tools that break one rule of a client each, and the same lists without the fault. */
import type { McpTool } from 'toolfold/model';
import { tool } from './planted.js';
import type { Planted } from './planted.js';

const word = { type: 'string', description: 'Text to look for.' } as const;
const number = { type: 'integer', description: 'Number of parcels.' } as const;
const list = { type: 'array', description: 'Texts to look for.', items: word } as const;
const object = { type: 'object', description: 'Filters.', properties: { place: word } } as const;

const named = (rule: string, bad: string, good: string, server?: string): Planted => ({
  rule,
  faulty: [tool(bad)],
  clean: [tool(good)],
  ...(server === undefined ? {} : { server }),
});

/** A field with a fault, and without. */
const field = (rule: string, bad: object, good: object): Planted => ({
  rule,
  faulty: [tool('find_parcels', { value: bad })],
  clean: [tool('find_parcels', { value: good })],
});

/** A whole input schema with a fault, and without. */
const input = (rule: string, bad: object, good: object): Planted => ({
  rule,
  faulty: [{ ...tool('find_parcels'), inputSchema: bad as McpTool['inputSchema'] }],
  clean: [{ ...tool('find_parcels'), inputSchema: good as McpTool['inputSchema'] }],
});

const described = (rule: string, characters: number): Planted => ({
  rule,
  faulty: [tool('find_parcels', {}, { description: 'Lists parcels. '.repeat(characters / 15 + 1) })],
  clean: [tool('find_parcels', {}, { description: 'Lists parcels. '.repeat(3) })],
});

const many = (rule: string, count: number): Planted => ({
  rule,
  faulty: Array.from({ length: count + 1 }, (_, index) => tool(`find_parcels_${index}`)),
  clean: Array.from({ length: count }, (_, index) => tool(`find_parcels_${index}`)),
});

const strict = (planted: Planted): Planted => ({ ...planted, isStrict: true });

const closed = (fields: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
  additionalProperties: false,
});

const nested = (levels: number): object =>
  levels === 0 ? word : { ...closed({ inner: nested(levels - 1) }), description: 'Filters.' };

const fields = (count: number): Readonly<Record<string, object>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`place_${index}`, word]));

const server = 'depot-of-a-company-with-a-long-name';
const longName = 'find_all_parcels_of_a_customer_by_place';

/** The planted faults of the rules in the profiles of clients. */
export const plantedClientFaults: readonly Planted[] = [
  named('name-pattern', 'find.parcels', 'find_parcels'),
  named('name-start', '2find_parcels', 'find_parcels'),
  named('name-length', 'find_parcels_'.repeat(6), 'find_parcels'),
  named('prefixed-name-length-59', longName, 'find_parcels', server),
  named('prefixed-name-length-64', longName, 'find_parcels', server),
  described('description-length-1024', 1_024),
  described('description-length-2048', 2_048),
  many('at-most-40-tools', 40),
  many('at-most-128-tools', 128),
  input('root-object', { properties: { value: word } }, { type: 'object', properties: { value: word } }),
  input(
    'no-root-composition',
    { type: 'object', properties: { value: word }, oneOf: [{ required: ['value'] }] },
    { type: 'object', properties: { value: word }, required: ['value'] },
  ),
  {
    rule: 'property-key',
    faulty: [tool('find_parcels', { 'filter[place]': word })],
    clean: [tool('find_parcels', { filter_place: word })],
  },
  input(
    'no-ref',
    { type: 'object', properties: { value: { $ref: '#/$defs/word' } }, $defs: { word } },
    { type: 'object', properties: { value: word } },
  ),
  field('array-items', { type: 'array', description: 'Texts to look for.' }, list),
  field('object-properties', { type: 'object', description: 'Filters.' }, object),
  field('properties-not-empty', { ...object, properties: {} }, object),
  input(
    'required-defined',
    { type: 'object', properties: { value: word }, required: ['value', 'place'] },
    { type: 'object', properties: { value: word }, required: ['value'] },
  ),
  field('typed-schemas', { description: 'Text to look for.' }, word),
  field('no-type-list', { ...word, type: ['string', 'null'] }, word),
  field('no-any-of-in-items', { ...list, items: { anyOf: [word, number] } }, list),
  field('any-of-alone', { description: 'A value.', anyOf: [word, number] }, word),
  field('object-keywords', { ...word, properties: { place: word } }, object),
  field('no-one-of', { oneOf: [word, number] }, word),
  field('no-conditions', { ...word, not: { type: 'string', enum: ['none'] } }, word),
  field('no-exclusive-bounds', { ...number, exclusiveMinimum: 0 }, { ...number, minimum: 1 }),
  field('no-const', { ...word, const: 'parcels' }, word),
  field('string-enums', { ...number, enum: [1, 2] }, { ...word, enum: ['1', '2'] }),
  field('no-multiple-of', { ...number, multipleOf: 5 }, number),
  field('no-unique-items', { ...list, uniqueItems: true }, list),
  field('no-tuples', { ...list, prefixItems: [word] }, list),
  field('no-contains', { ...list, contains: word }, list),
  field('no-pattern-properties', { ...object, patternProperties: { '^x_': word } }, object),
  field('no-additional-properties', { ...object, additionalProperties: false }, object),
  field('known-formats', { ...word, format: 'email' }, { ...word, format: 'date-time' }),
  field('no-examples', { ...word, examples: ['parcels'] }, word),
  field('known-keywords', { ...word, deprecated: true }, word),
  input('bounded-schema', closed({ value: nested(30) }), { type: 'object', properties: { value: word } }),
  ...[
    input(
      'strict-closed',
      { type: 'object', properties: { value: word }, required: ['value'] },
      closed({ value: word }),
    ),
    input('strict-required', { ...closed({ value: word }), required: [] }, closed({ value: word })),
    input('strict-typed', closed({ value: { description: 'Text.' } }), closed({ value: word })),
    input('strict-no-default', closed({ value: { ...word, default: 'a' } }), closed({ value: word })),
    input(
      'strict-formats',
      closed({ value: { ...word, format: 'uri' } }),
      closed({ value: { ...word, format: 'date' } }),
    ),
    input('strict-keywords', closed({ value: { ...word, minLength: 1 } }), closed({ value: word })),
    input('strict-depth', closed({ value: nested(7) }), closed({ value: nested(2) })),
    input('strict-properties', closed(fields(101)), closed(fields(100))),
  ].map(strict),
];
