import { runInNewContext } from 'node:vm';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod3';
import { ErrInvalidOptions, ErrInvalidSchema, ErrInvalidTool } from '../errors.js';
import { Tool } from 'toolfold/model';
import { DefaultValidator, loadGenerator } from '../validate/default-validator.js';
import type { JsonSchema } from '../values/json-schema.js';
import { readSchema } from './read-schema.js';
import type { SchemaSource } from './read-schema.js';

// Loads the generator, so that `generated` uses it from the first value on.
await loadGenerator();

describe.each(['generated', 'interpreted'] as const)('the validator, %s', (engine) => {
  const validator = new DefaultValidator({ engine });
  const ok = (schema: unknown, value: unknown): boolean => validator.compile(schema as JsonSchema)(value).ok;

  it('keeps a reference that is reached from below before it is reached from above', () => {
    const schema = {
      properties: { a: { $ref: '#/components/schemas/A/properties/b' } },
      components: {
        schemas: {
          A: { properties: { b: { $ref: '#/components/schemas/C' } } },
          C: { type: 'object', properties: { up: { $ref: '#/components/schemas/A' } } },
        },
      },
    };
    expect(ok(schema, { a: 5 })).toBe(false);
    expect(ok(schema, { a: {} })).toBe(true);
    expect(() =>
      validator.compile({ $defs: { y: { $ref: '#/properties' } }, properties: { not: { $anchor: 'q' } } }),
    ).not.toThrow();
  });

  it('applies both of two patterns that differ only in spelling', () => {
    const schema = { patternProperties: { '^x\\-': { type: 'number' }, '^x-': {} } };
    expect(ok(schema, { 'x-1': 'text' })).toBe(false);
    expect(ok(schema, { 'x-1': 1 })).toBe(true);
  });

  it('gives an answer where the evaluated-property tracking of Ajv throws', () => {
    const schema = {
      patternProperties: { '^x-': true },
      anyOf: [{ required: ['a'], properties: { a: { type: 'string' } } }, { required: ['b'] }],
    };
    expect(ok(schema, { 'x-a': 1 })).toBe(false);
    expect(ok(schema, { 'x-a': 1, b: 1 })).toBe(true);
  });

  it('compiles many references to a wide schema without multiplying them', () => {
    const wide = (part: unknown) =>
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, part]));
    const schema = {
      properties: wide({ $ref: '#/$defs/t' }),
      $defs: { t: { properties: wide({ type: 'string' }) } },
    };
    expect(ok(schema, { p1: { p2: 'x' } })).toBe(true);
    expect(ok(schema, { p1: { p2: 7 } })).toBe(false);
  });

  it('stops on values that take too long, and does not list millions of issues', () => {
    const operation = (name: string) => ({
      type: 'object',
      properties: { op: { const: name }, args: { type: 'array', items: { $ref: '#/$defs/expr' } } },
      required: ['op', 'args'],
    });
    const schema = {
      $ref: '#/$defs/expr',
      $defs: { expr: { anyOf: [operation('and'), operation('or'), operation('and'), { type: 'string' }] } },
    };
    const nest = (depth: number): unknown => (depth === 0 ? 7 : { op: 'and', args: [nest(depth - 1)] });
    const result = validator.compile(schema)(nest(24));
    expect(result.ok).toBe(false);
    expect(!result.ok && result.issues.length).toBeLessThanOrEqual(100);
    const strict = new DefaultValidator({ engine, limits: { steps: 1000 } });
    expect(strict.compile(schema)(nest(20))).toEqual({
      ok: false,
      issues: [{ path: [], message: 'takes too long to check' }],
    });
  });

  it('reports at most a hundred issues, in messages of bounded length', () => {
    const choices = Array.from({ length: 5000 }, (_, index) => `choice ${index}`);
    const result = validator.compile({ items: { enum: choices } })(
      Array.from({ length: 20_000 }, () => 'wrong'),
    );
    expect(result.ok).toBe(false);
    expect(!result.ok && result.issues).toHaveLength(100);
    expect(!result.ok && result.issues[0]!.message.length).toBeLessThan(1000);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a sparse list', [1, , 3]],
    ['half a character as a key', JSON.parse('{"\\ud800":1}')],
    ['not a number', Number.NaN],
  ])('gives an answer for %s', (_what, value) => {
    for (const schema of [
      { type: 'object', unevaluatedProperties: false },
      { additionalProperties: false, type: 'object' },
      { type: 'number' },
      { uniqueItems: true, type: 'string' },
    ]) {
      expect(ok(schema, value)).toBe(false);
    }
  });

  it('treats values that JSON omits as absent', () => {
    expect(ok({ additionalProperties: false, properties: { a: true } }, { a: 1, b: undefined })).toBe(true);
    expect(ok({ required: ['b'] }, { b: undefined })).toBe(false);
  });

  it('ignores properties that cousins have evaluated', () => {
    const t = { properties: { a: true } };
    expect(ok({ $ref: '#/$defs/t', anyOf: [{ unevaluatedProperties: false }], $defs: { t } }, { a: 1 })).toBe(
      false,
    );
    expect(ok({ allOf: [t], if: true, then: { unevaluatedProperties: false } }, { a: 1 })).toBe(false);
    expect(ok({ allOf: [t], unevaluatedProperties: false }, { a: 1 })).toBe(true);
  });

  it('handles contains with a minimum, beside other keywords, and the empty name', () => {
    expect(ok({ items: { contains: { const: 1 }, minContains: 1 } }, [[1], []])).toBe(false);
    expect(ok({ not: { prefixItems: [{}, { type: 'string' }], contains: { const: 2 } } }, [1])).toBe(true);
    expect(ok({ not: { required: [''] } }, {})).toBe(true);
  });

  it('decodes anchors, and does not treat a pointer as one', () => {
    expect(ok({ $ref: '#%61', $defs: { x: { $anchor: 'a', type: 'string' } } }, 5)).toBe(false);
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/a',
      definitions: { a: { type: 'string' }, b: { $id: '#/definitions/a', type: 'number' } },
    };
    expect(ok(schema, 'x')).toBe(true);
    expect(ok(schema, 5)).toBe(false);
  });

  it('compiles 1,200 schemas independently', () => {
    const generator = new DefaultValidator({ engine });
    for (let index = 0; index < 1200; index++)
      expect(generator.compile({ const: index })(index).ok).toBe(true);
  });

  it('rejects limits that would disable themselves, sparse schemas and tools without a schema object', () => {
    for (const limit of [Number.NaN, 0, -1, 'many']) {
      expect(() => new DefaultValidator({ engine, limits: { depth: limit as number } })).toThrow(
        ErrInvalidOptions,
      );
    }
    expect(() => validator.compile({ allOf: [, {}] as never })).toThrow(ErrInvalidSchema);
    expect(() => validator.validateInput(new Tool({ name: 'a', inputSchema: true as never }), {})).toThrow(
      ErrInvalidTool,
    );
  });

  it('ignores formats with inherited names', () => {
    const strict = new DefaultValidator({ engine, formats: true });
    for (const format of ['hasOwnProperty', '__proto__', 'constructor'])
      expect(strict.compile({ format })('x').ok).toBe(true);
  });
});

describe('a schema library', () => {
  it('that validates asynchronously runs once, and its rejection reaches only the caller', async () => {
    const check = vi.fn<() => Promise<boolean>>(async () => {
      throw new Error('database down');
    });
    const schema = readSchema(z.object({ id: z.string().refine(check) }));
    await expect(schema.validate({ id: 'x' })).rejects.toThrow('database down');
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('that returns a promise of another realm or any thenable is awaited', async () => {
    const library = (answer: unknown): SchemaSource => ({
      '~standard': {
        version: 1,
        vendor: 'acme',
        validate: () => answer as never,
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
      },
    });
    const rejection = { issues: [{ message: 'bad' }] };
    const thenable = { then: (resolve: (result: unknown) => void) => resolve(rejection) };
    for (const answer of [thenable, runInNewContext('Promise.resolve({ issues: [{ message: "bad" }] })')]) {
      expect(await readSchema(library(answer)).validate({})).toMatchObject({ ok: false });
    }
    expect(() => readSchema(library({})).validate({})).toThrow(TypeError);
  });

  it('whose code throws a RangeError is not reported as data nested too deep', () => {
    const schema = readSchema(
      z.object({ day: z.string().transform((text) => new Date(text).toISOString()) }),
    );
    expect(() => schema.validate({ day: 'nope' })).toThrow('Invalid time value');
  });

  it('may have null literals and trimming', () => {
    expect(readSchema(z3.object({ a: z3.literal(null) })).fields!.get('a')!.schema).toEqual({ type: 'null' });
    const trimmed = readSchema(
      toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.trim(), v.minLength(1)) })),
    );
    expect(trimmed.fields!.get('a')!.schema).toMatchObject({ type: 'string' });
    expect(trimmed.validate({ a: ' x ' })).toEqual({ ok: true, value: { a: 'x' } });
  });

  it('may have common patterns', () => {
    const email = /^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$/;
    for (const source of [
      z.object({ a: z.string().regex(email) }),
      z3.object({ a: z3.string().regex(email) }),
    ]) {
      const schema = readSchema(source);
      expect(schema.validate({ a: 'a.b@c.de' })).toMatchObject({ ok: true });
      const described = new DefaultValidator().compile(schema.jsonSchema);
      expect(described({ a: 'a.b@c.de' }).ok).toBe(true);
      expect(described({ a: 'a b' }).ok).toBe(false);
    }
    const flagged = readSchema(z3.object({ a: z3.string().regex(/^a.b$/s) }));
    expect(flagged.fields!.get('a')!.schema).toEqual({ type: 'string' });
  });

  it('is not recognised in JSON that only resembles one', () => {
    const source = JSON.parse(
      '{"type":"object","required":["a"],"_def":{"typeName":"ZodAny"}}',
    ) as SchemaSource;
    const schema = readSchema(source);
    expect(schema.vendor).toBe('json-schema');
    expect(schema.validate({})).toMatchObject({ ok: false });
  });
});
