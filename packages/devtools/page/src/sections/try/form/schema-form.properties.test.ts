import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enough, runs } from '../../../../../../../test/runs.js';
import { checkDraft } from './check-draft.js';
import { nextId, toDraft, toValue } from './draft.js';
import type { Draft } from './draft.js';
import { itemField } from './field.js';
import type { Field } from './field.js';
import { isSame } from './json.js';
import type { Json, JsonObject } from './json.js';
import { readSchema } from './read-schema.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });
addFormats.default(ajv);

const name = fc.constantFrom('a', 'b', 'c', 'name', 'd');
const text = fc.record(
  {
    type: fc.constant('string'),
    minLength: fc.integer({ min: 0, max: 3 }),
    maxLength: fc.integer({ min: 2, max: 6 }),
    format: fc.constantFrom('date', 'email', 'uuid', 'date-time', 'time', 'nonsense'),
  },
  { requiredKeys: ['type'] },
);
const number = fc.record(
  {
    type: fc.constantFrom('number', 'integer'),
    minimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 0, max: 50 }),
    exclusiveMaximum: fc.integer({ min: 0, max: 50 }),
    multipleOf: fc.constantFrom(1, 2, 5),
  },
  { requiredKeys: ['type'] },
);
const leaf = fc.oneof(
  text,
  number,
  fc.constant({ type: 'boolean' }),
  fc.constant({ type: 'null' }),
  fc.constant({ enum: ['x', 'y', 3, null] }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({ type: ['integer', 'boolean'] }),
  fc.constant({ const: 7 }),
  fc.constant({}),
  fc.constant({ type: 'string', contentEncoding: 'base64' }),
  fc.constant({ $ref: '#/$defs/tree' }),
  fc.constant({ allOf: [{ type: 'integer', minimum: 2 }, { maximum: 9 }] }),
);

const { schema } = fc.letrec((tie) => {
  const inner = tie('schema') as fc.Arbitrary<JsonObject>;
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .record({
          properties: fc.dictionary(name, inner, { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.oneof(fc.boolean(), inner),
        })
        .map((rest) => ({ type: 'object', ...rest })),
      fc
        .record(
          {
            items: inner,
            minItems: fc.constantFrom(0, 1),
            maxItems: fc.constantFrom(2, 3),
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: ['items'] },
        )
        .map((rest) => ({ type: 'array', ...rest })),
      fc
        .record({ prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }), items: fc.boolean() })
        .map((rest) => ({ type: 'array', minItems: 1, ...rest })),
      fc.array(inner, { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    ),
  };
});

const document = (schema as fc.Arbitrary<JsonObject>).map((root) => ({
  $defs: {
    tree: {
      type: 'object',
      properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      required: ['label'],
      additionalProperties: false,
    },
  },
  ...root,
}));

const typed = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom(
    '',
    '1',
    '-4',
    '10',
    '2.5',
    '12a',
    '1e3',
    'ada@example.com',
    '2026-02-30',
    '2026-03-01',
    '12:00:00Z',
  ),
  fc.constantFrom('2026-03-01T12:00:00Z', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', '😀😀😀'),
);

/** Fills in a field like a person who does anything that its control offers. */
function draftOf(field: Field, depth = 0): fc.Arbitrary<Draft> {
  const unset = fc.constant<Draft>(undefined);
  const none = field.isNullable ? [fc.constant<Draft>({ value: null })] : [];
  if (depth > 4) return unset;
  const filled = (): fc.Arbitrary<Draft> => {
    switch (field.kind) {
      case 'text':
      case 'number':
        return typed.map((each) => ({ text: each }));
      case 'boolean':
        return fc.boolean().map((value) => ({ value }));
      case 'file':
        return fc.constantFrom('', 'aGk=').map((value) => ({ value }));
      case 'const':
        return fc.constant({ value: field.value });
      case 'choice':
        return fc.constantFrom(...field.options.map(({ value }) => ({ value })));
      case 'object':
        return fc
          .tuple(
            fc.tuple(...field.properties.map((property) => draftOf(property.field(), depth + 1))),
            fc.array(
              fc.tuple(
                name,
                field.additional === false
                  ? fc.constant<Draft>({ raw: '1' })
                  : draftOf(field.additional(), depth + 1),
              ),
              { maxLength: 1 },
            ),
          )
          .map(([drafts, extra]) => ({
            fields: Object.fromEntries(
              field.properties.map((property, index) => [property.name, drafts[index]]),
            ),
            extra: extra.map(([key, draft]) => ({ id: nextId(), key, draft })),
          }));
      case 'array':
        return fc
          .tuple(...[0, 1, 2].map((index) => draftOf(itemField(field, index)?.() ?? field, depth + 1)))
          .chain((drafts) =>
            fc
              .nat(3)
              .map((count) => ({ items: drafts.slice(0, count).map((draft) => ({ id: nextId(), draft })) })),
          );
      case 'union':
        return fc
          .nat(field.options.length - 1)
          .chain((option) =>
            draftOf(field.options[option]!.field(), depth + 1).map((draft) => ({ option, draft })),
          );
      case 'raw':
        return fc.constantFrom('1', '{"a":1}', '', 'no', 'null').map((raw) => ({ raw }));
    }
  };
  return fc.oneof({ weight: 5, arbitrary: filled() }, unset, ...none);
}

describe('the form of a schema', () => {
  it('sends only values that fit the schema, if it reports no problem', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        document.chain((root) => {
          const field = readSchema(root);
          return fc.tuple(fc.constant(root), fc.constant(field), draftOf(field));
        }),
        ([root, field, draft]) => {
          if (checkDraft(field, draft).length > 0) return;
          if (field.kind === 'raw' && !field.isAnything) return;
          accepted++;
          const value = toValue(field, draft);
          expect(ajv.validate(root, value), `${JSON.stringify(root)} ${JSON.stringify(value)}`).toBe(true);
        },
      ),
      { numRuns: runs(20_000) },
    );
    expect(accepted).toBeGreaterThan(enough(2_000));
  });

  it('shows every JSON value, and sends it back unchanged', () => {
    const fitting = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('x', 7, null, [], {}, { a: 1 }, ['a', 'b']),
    );
    fc.assert(
      fc.property(document, fitting, (root, value) => {
        const field = readSchema(root);
        const sent = toValue(field, toDraft(field, value as Json));
        expect(isSame(sent, JSON.parse(JSON.stringify(value))), JSON.stringify(sent)).toBe(true);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('reports no problem for a value that it sent itself', () => {
    fc.assert(
      fc.property(
        document.chain((root) => {
          const field = readSchema(root);
          return fc.tuple(fc.constant(field), draftOf(field));
        }),
        ([field, draft]) => {
          if (checkDraft(field, draft).length > 0) return;
          expect(checkDraft(field, toDraft(field, toValue(field, draft)))).toEqual([]);
        },
      ),
      { numRuns: runs(5_000) },
    );
  });
});
