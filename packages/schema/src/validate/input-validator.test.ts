import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { createInputValidator } from './input-validator.js';
import type { UnknownFields } from './input-validator.js';

const validator = (action: SchemaSource, common?: SchemaSource, mode: UnknownFields = 'strict') =>
  createInputValidator(readSchema(action), common && readSchema(common), mode);

/** The issues as `path: message`, or the value if there are none. */
const check = async (...[given, ...rest]: [unknown, ...Parameters<typeof validator>]) => {
  const result = await validator(...rest)(given);
  return result.ok ? result.value : result.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

const closed = (properties: Readonly<Record<string, JsonSchemaObject>>): JsonSchemaObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe('strict', () => {
  it('accepts valid input, parsed and with defaults', async () => {
    const action = { id: z.string().trim(), limit: z.number().default(10) };
    expect(await check({ id: ' a ' }, action)).toEqual({ id: 'a', limit: 10 });
  });

  it('names every unknown field, together with all other issues', async () => {
    const action = { id: z.string(), limit: z.number() };
    const issues = await check({ id: 1, lmit: 5, extra: true }, action, { workspace: z.string() });
    expect(issues).toEqual([
      'lmit: is not a known field',
      'extra: is not a known field',
      expect.stringMatching(/^workspace: /),
      expect.stringMatching(/^id: /),
      expect.stringMatching(/^limit: /),
    ]);
  });

  it('rejects unknown fields even if all other fields are valid', async () => {
    expect(await check({ id: 'a', extra: 1 }, { id: z.string() })).toEqual(['extra: is not a known field']);
    expect(await check({ id: 'a', extra: 1 }, z.strictObject({ id: z.string() }))).toEqual([
      'extra: is not a known field',
    ]);
    expect(await check({ extra: 1 }, {})).toEqual(['extra: is not a known field']);
  });

  it('accepts the fields of all branches', async () => {
    const action = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]);
    expect(await check({ b: 1 }, action)).toEqual({ b: 1 });
    expect(await check({ b: 1, c: 1 }, action)).toEqual(['c: is not a known field']);
  });

  it('leaves the arguments unchanged', async () => {
    const given = Object.freeze({ id: 'a', extra: 1 });
    await check(given, { id: z.string() }, { w: z.string() });
    expect(given).toEqual({ id: 'a', extra: 1 });
  });
});

describe('strip', () => {
  it('drops unknown fields', async () => {
    expect(await check({ id: 'a', extra: 1 }, { id: z.string() }, undefined, 'strip')).toEqual({ id: 'a' });
    expect(
      await check({ id: 'a', w: 'w', extra: 1 }, { id: z.string() }, { w: z.string() }, 'strip'),
    ).toEqual({
      w: 'w',
      id: 'a',
    });
  });

  it('drops unknown fields before a schema that would reject them sees them', async () => {
    const action = closed({ id: { type: 'string' } });
    expect(await check({ id: 'a', extra: 1 }, action, undefined, 'strip')).toEqual({ id: 'a' });
    expect(
      await check({ id: 'a', extra: 1 }, z.strictObject({ id: z.string() }), undefined, 'strip'),
    ).toEqual({
      id: 'a',
    });
  });

  it('still names issues of other fields', async () => {
    expect(await check({ id: 1, extra: 1 }, { id: z.string() }, undefined, 'strip')).toEqual([
      expect.stringMatching(/^id: /),
    ]);
  });
});

describe('a schema that allows more fields', () => {
  const sources: Record<string, SchemaSource> = {
    'a loose object': z.looseObject({ id: z.string() }),
    'a catchall': z.object({ id: z.string() }).catchall(z.number()),
    'a record': z.record(z.string(), z.union([z.string(), z.number()])),
    anything: z.unknown(),
    additionalProperties: { type: 'object', properties: { id: {} }, additionalProperties: true },
    unevaluatedProperties: {
      type: 'object',
      properties: { id: {} },
      unevaluatedProperties: { type: 'number' },
    },
    patternProperties: {
      type: 'object',
      properties: { id: {} },
      patternProperties: { '^e': {} },
      additionalProperties: false,
    },
    'a reference': {
      $ref: '#/$defs/open',
      $defs: { open: { type: 'object', properties: { id: {} }, additionalProperties: {} } },
    },
    'a branch': {
      anyOf: [
        { properties: { id: {} }, required: ['none'] },
        { properties: { id: {} }, additionalProperties: true },
      ],
    },
    'a part': { allOf: [{ properties: { id: {} } }, { type: 'object', additionalProperties: true }] },
  };

  it.each(Object.entries(sources))('receives them in both modes: %s', async (_name, source) => {
    for (const mode of ['strict', 'strip'] as const) {
      expect(await check({ id: 'a', extra: 1 }, source, undefined, mode)).toEqual({ id: 'a', extra: 1 });
      expect(await check({ id: 'a', extra: 1, w: 'w' }, source, { w: z.string() }, mode)).toEqual({
        id: 'a',
        extra: 1,
        w: 'w',
      });
    }
  });

  it.each(Object.entries(sources))('receives them as the common schema too: %s', async (_name, source) => {
    for (const action of [{ own: z.string() }, closed({ own: { type: 'string' } })]) {
      expect(await check({ id: 'a', extra: 1, own: 'o' }, action, source)).toEqual({
        id: 'a',
        extra: 1,
        own: 'o',
      });
    }
  });

  it('validates them', async () => {
    expect(await check({ id: 'a', extra: 'x' }, sources['a catchall']!)).toEqual([
      expect.stringMatching(/^extra: /),
    ]);
    expect(await check({ id: 'a', other: 1 }, sources['patternProperties']!)).toEqual([
      expect.stringMatching(/^other: /),
    ]);
  });

  it('does not include one that omits or forbids additional properties', async () => {
    for (const source of [
      { type: 'object', properties: { id: {} } },
      { type: 'object', properties: { id: {} }, unevaluatedProperties: false },
      { anyOf: [{ properties: { id: {} } }, { properties: { id: {} }, additionalProperties: false }] },
      z.object({ id: z.string(), nested: z.looseObject({}).optional() }),
    ]) {
      expect(await check({ id: 'a', extra: 1 }, source)).toContain('extra: is not a known field');
    }
  });
});

describe('the common schema and the schema of the action', () => {
  it('each receive the fields that they declare, even if both reject others', async () => {
    const input = { workspace: 'w', id: 'a' };
    expect(
      await check(input, z.strictObject({ id: z.string() }), z.strictObject({ workspace: z.string() })),
    ).toEqual(input);
    expect(
      await check(input, closed({ id: { type: 'string' } }), closed({ workspace: { type: 'string' } })),
    ).toEqual(input);
    expect(await check({ ...input, x: 1 }, closed({ id: {} }), closed({ workspace: {} }))).toEqual([
      'x: is not a known field',
    ]);
  });

  it('both validate a field that both declare, and the schema of the action decides its value', async () => {
    const common = { id: z.string().min(2) };
    expect(
      await check({ id: 'ab' }, { id: z.string().transform((text) => text.toUpperCase()) }, common),
    ).toEqual({ id: 'AB' });
    expect(await check({ id: 'a' }, { id: z.string().max(0) }, common)).toHaveLength(2);
  });

  it('produce one object, common fields first, from any libraries', async () => {
    const value = await check({ id: 'a', workspace: 'w' }, closed({ id: { type: 'string' } }), {
      workspace: z.string(),
      lang: z.string().default('en'),
    });
    expect(value).toEqual({ workspace: 'w', lang: 'en', id: 'a' });
    expect(Object.keys(value as object)).toEqual(['workspace', 'lang', 'id']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('both report their issues in one answer', async () => {
    expect(await check({}, { id: z.string() }, { workspace: z.string() })).toEqual([
      expect.stringMatching(/^workspace: /),
      expect.stringMatching(/^id: /),
    ]);
  });
});

describe('validation', () => {
  const slow = { id: z.string().refine(async (text) => text === 'yes', 'must be yes') };

  it('is synchronous if the schemas are, and otherwise asynchronous', () => {
    expect(validator({ id: z.string() }, { w: z.string() })({})).not.toBeInstanceOf(Promise);
    expect(validator({ id: z.string() })({ extra: 1 })).not.toBeInstanceOf(Promise);
    expect(validator(slow)({ id: 'no' })).toBeInstanceOf(Promise);
    expect(validator({ w: z.string() }, slow)({ id: 'no' })).toBeInstanceOf(Promise);
  });

  it('names all issues even if it is asynchronous', async () => {
    expect(await check({ id: 'no', extra: 1 }, slow, { w: z.string() })).toEqual([
      'extra: is not a known field',
      expect.stringMatching(/^w: /),
      'id: must be yes',
    ]);
    expect(await check({ id: 'yes', w: 'w' }, { w: z.string() }, slow)).toEqual({ id: 'yes', w: 'w' });
  });

  it('treats inherited names like any other', async () => {
    const json = (text: string): unknown => JSON.parse(text) as unknown;
    const odd = json(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{}}}',
    ) as JsonSchemaObject;
    for (const common of [undefined, { constructor: z.string().optional() }]) {
      expect(await check(json('{"__proto__":1}'), odd, common)).toEqual([
        expect.stringMatching(/^__proto__: /),
      ]);
      const value = await check(json('{"__proto__":"x","toString":1}'), odd, common);
      expect(JSON.stringify(value)).toBe('{"__proto__":"x","toString":1}');
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(await check(json(`{"${name}":1}`), { id: z.string().optional() })).toEqual([
        `${name}: is not a known field`,
      ]);
      expect(await check(json(`{"${name}":{"polluted":1}}`), {}, undefined, 'strip')).toEqual({});
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
