import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTypeScript } from '../../../../test/compile-typescript.js';
import type { JsonSchemaObject } from '@toolfold/schema';
import { runAtOnce } from '../../../search/src/index/slices.js';
import { writeSignatureLine } from './signature-line.js';
import { writeDeclarations as declarationSteps } from './write-declarations.js';
import type { DeclaredTool } from './write-declarations.js';

const data = new URL('../../../../test/data/', import.meta.url);

const writeDeclarations = (tools: readonly DeclaredTool[]): string => runAtOnce(declarationSteps(tools));
const toTool = (inputSchema: JsonSchemaObject, more: Partial<DeclaredTool> = {}): DeclaredTool => ({
  path: 'space.run',
  description: undefined,
  notes: [],
  inputSchema,
  outputSchema: undefined,
  ...more,
});
const declare = (inputSchema: unknown, more?: Partial<DeclaredTool>): string =>
  writeDeclarations([toTool(inputSchema as JsonSchemaObject, more)]);

/** A signature as a declaration, if it shows the whole call. */
function toDeclaration(signature: string): string[] {
  if (signature.includes('…')) return [];
  const call = /^tools\.[^(]*\((.*)\)(?:: (.*))?$/s.exec(signature.replace('()', '({})'));
  return [`type Input = ${call?.[1]}; type Output = ${call?.[2] ?? 'unknown'};`];
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject;
}

function readCatalogs(): readonly DeclaredTool[] {
  const servers = readdirSync(new URL('servers/', data)).filter((name) => name.endsWith('.json'));
  return ['github-tools.json', ...servers.map((name) => `servers/${name}`)].flatMap((file) => {
    const { tools } = JSON.parse(readFileSync(new URL(file, data), 'utf8')) as { tools: ListedTool[] };
    return tools.map(({ name, description, inputSchema, outputSchema }) =>
      toTool(inputSchema, { path: name.replaceAll('-', '_'), description, outputSchema }),
    );
  });
}

/** The schemas of the test suite of JSON Schema, which use every keyword. */
function readSuite(): readonly JsonSchemaObject[] {
  return ['2020-12/', 'draft-07/'].flatMap((dialect) => {
    const folder = new URL(`json-schema/${dialect}`, data);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { schema: unknown }[])
      .flatMap(({ schema }) => (typeof schema === 'object' ? [schema as JsonSchemaObject] : []));
  });
}

// The compiler is a process.
describe('declarations of tools', () => {
  it('are valid TypeScript for all tools of the catalogs, alone and together', async () => {
    const tools = readCatalogs();
    expect(tools.length).toBeGreaterThan(200);
    const signatures = tools.map(({ path, inputSchema, outputSchema }) =>
      writeSignatureLine(path, inputSchema, outputSchema),
    );
    const whole = signatures.flatMap(toDeclaration);
    expect(whole.length).toBeGreaterThan(150);
    expect(
      await compileTypeScript([
        ...tools.map((tool) => writeDeclarations([tool])),
        writeDeclarations(tools),
        ...whole,
      ]),
    ).toBe('');
  });

  it('are not cut for the tools of the catalogs, 20 at a time', () => {
    const tools = readCatalogs();
    for (let from = 0; from < tools.length; from += 20)
      expect(writeDeclarations(tools.slice(from, from + 20))).not.toContain('more fields */');
  });

  it('are valid TypeScript for every keyword of JSON Schema', async () => {
    const schemas = readSuite();
    expect(schemas.length).toBeGreaterThan(400);
    const texts = schemas.flatMap((schema) => [
      declare(schema, { outputSchema: schema }),
      ...toDeclaration(writeSignatureLine('run', schema, schema)),
    ]);
    expect(await compileTypeScript(texts)).toBe('');
  });

  it('are valid TypeScript for hostile schemas, names and texts', async () => {
    const texts = fc
      .sample(hostileTools, { numRuns: 400 })
      .flatMap((tools) => [
        writeDeclarations(tools),
        ...tools.flatMap(({ inputSchema, outputSchema }) =>
          toDeclaration(writeSignatureLine('run', inputSchema, outputSchema)),
        ),
      ]);
    expect(await compileTypeScript(texts)).toBe('');
  });

  it('accept the values that simple schemas accept', async () => {
    const texts = fc.sample(pairs, { numRuns: 150 }).map(({ schema, value }) => {
      const root = { type: 'object', properties: { value: schema }, required: ['value'], $defs: definitions };
      return `${declare(root, { path: 'run' })}\ntools.run({ value: ${JSON.stringify(value)} });`;
    });
    expect(await compileTypeScript(texts)).toBe('');
  });
});

const definitions = {
  node: {
    type: 'object',
    properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
    additionalProperties: false,
  },
};

/** Names and texts that end comments, quotes and lines, or that JavaScript and TypeScript treat in a special way. */
const words = fc.oneof(
  fc.constantFrom(
    '*/',
    '/** x */',
    '*\\/',
    '\n} }; evil(); //',
    '"',
    "'",
    '`${x}`',
    '\\',
    '\u2028',
    '\u0000',
    '\ud800',
    '__proto__',
    'constructor',
    'prototype',
    'new',
    'delete',
    'get',
    'set',
    'readonly',
    'string',
    'unknown',
    'Promise',
    'tools',
    '1',
    '-',
    '',
    ' ',
    '日本',
    '🎉',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const identifiers = fc.constantFrom(
  'a',
  'new',
  'delete',
  'get',
  '__proto__',
  'constructor',
  'default',
  '_1',
  '日本',
);
const pointers = fc.oneof(
  fc.constantFrom(
    '#',
    '#/$defs/a',
    '#/$defs/b',
    '#/$defs/c',
    '#/properties/a',
    '#a',
    'https://x.example/y',
    '#/$defs',
  ),
  words,
);

/** Any keywords in any combination, most of them with values that mean something. */
const hostile: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  schema: unknown;
  object: Record<string, unknown>;
}>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(true, false, {}, null, 'x', 1),
    tie('object'),
  ),
  object: fc
    .uniqueArray(
      fc.oneof(
        ...Object.entries({
          type: fc.oneof(
            fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'other', 5),
            fc.array(fc.constantFrom('string', 'array', 'object', 'null'), { maxLength: 3 }),
          ),
          description: words,
          default: fc.jsonValue(),
          enum: fc.array(fc.oneof(words, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 }),
          const: fc.oneof(words, fc.jsonValue({ maxDepth: 2 })),
          format: words,
          pattern: words,
          examples: fc.array(words, { maxLength: 2 }),
          minimum: fc.oneof(fc.integer(), words),
          maximum: fc.double(),
          minItems: fc.nat(3),
          maxLength: fc.nat(),
          items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
          prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
          additionalItems: tie('schema'),
          properties: fc.oneof(fc.dictionary(words, tie('schema'), { maxKeys: 4 }), words),
          required: fc.array(fc.oneof(words, fc.nat()), { maxLength: 3 }),
          additionalProperties: tie('schema'),
          patternProperties: fc.dictionary(words, tie('schema'), { maxKeys: 2 }),
          anyOf: fc.array(tie('schema'), { maxLength: 3 }),
          oneOf: fc.array(tie('schema'), { maxLength: 3 }),
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          not: tie('schema'),
          if: tie('schema'),
          $ref: pointers,
          $dynamicRef: pointers,
          $defs: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
        }).map(([keyword, value]) => fc.tuple(fc.constant(keyword), value as fc.Arbitrary<unknown>)),
      ),
      { selector: ([keyword]) => keyword, maxLength: 5 },
    )
    .map((keywords): Record<string, unknown> => Object.fromEntries(keywords)),
})).object;

const hostileTools = fc.array(
  fc.record({
    path: fc.array(identifiers, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
    description: fc.option(words, { nil: undefined }),
    notes: fc.array(words, { maxLength: 1 }),
    inputSchema: hostile as fc.Arbitrary<JsonSchemaObject>,
    outputSchema: fc.option(hostile as fc.Arbitrary<JsonSchemaObject>, { nil: undefined }),
  }),
  { minLength: 1, maxLength: 3 },
);

interface Pair {
  readonly schema: object;
  readonly value: unknown;
}

/** Schemas, and a value that each accepts. */
const pairs: fc.Arbitrary<Pair> = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.string().map((value) => ({ schema: { type: 'string' }, value })),
    fc.integer().map((value) => ({ schema: { type: 'integer', minimum: value }, value })),
    fc
      .double({ noDefaultInfinity: true, noNaN: true })
      .map((value) => ({ schema: { type: 'number' }, value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    fc.constant({ schema: { type: ['string', 'null'] }, value: null }),
    fc
      .array(fc.string(), { minLength: 1, maxLength: 4 })
      .map((all) => ({ schema: { enum: all }, value: all[0] })),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: { const: value }, value })),
    fc.constant({ schema: { $ref: '#/$defs/node' }, value: { next: { next: null } } }),
    tie('pair').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema, minItems: 1 },
      value: [value, value],
    })),
    fc.array(tie('pair'), { minLength: 1, maxLength: 3 }).map((all) => ({
      schema: { type: 'array', prefixItems: all.map(({ schema }) => schema), items: false },
      value: all.map(({ value }) => value),
    })),
    fc.tuple(tie('pair'), tie('pair')).map(([one, other]) => ({
      schema: { anyOf: [other.schema, one.schema] },
      value: one.value,
    })),
    tie('pair').map(({ schema, value }) => ({
      schema: { type: 'object', additionalProperties: schema },
      value: { a: value, 'b-c': value },
    })),
    fc
      .dictionary(words, fc.tuple(tie('pair'), fc.boolean()), { maxKeys: 4, noNullPrototype: true })
      .map((fields) => {
        const all = Object.entries(fields).filter(([name]) => name !== '__proto__');
        return {
          schema: {
            type: 'object',
            properties: Object.fromEntries(all.map(([name, [{ schema }]]) => [name, schema])),
            required: all.flatMap(([name, [, isRequired]]) => (isRequired ? [name] : [])),
            additionalProperties: false,
          },
          value: Object.fromEntries(all.map(([name, [{ value }]]) => [name, value])),
        };
      }),
    fc.tuple(tie('pair'), tie('pair')).map(([one, other]) => ({
      schema: {
        type: 'object',
        properties: { one: one.schema },
        required: ['one'],
        allOf: [{ type: 'object', properties: { other: other.schema } }],
      },
      value: { one: one.value, other: other.value },
    })),
  ),
})).pair;
