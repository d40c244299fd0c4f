import { describe, expect, it } from 'vitest';
import { compileTypeScript } from '../../../../test/compile-typescript.js';
import type { JsonSchemaObject } from '@toolfold/schema';
import { runAtOnce } from '../../../search/src/index/slices.js';
import { writeSignatureLine } from './signature-line.js';
import { writeDeclarations as declarationSteps } from './write-declarations.js';
import type { DeclaredTool } from './write-declarations.js';

const writeDeclarations = (tools: readonly DeclaredTool[]): string => runAtOnce(declarationSteps(tools));
const toTool = (inputSchema: object, more: Partial<DeclaredTool> = {}): DeclaredTool => ({
  path: 'run',
  description: undefined,
  notes: [],
  inputSchema: inputSchema as JsonSchemaObject,
  outputSchema: undefined,
  ...more,
});
const declare = (inputSchema: object, more?: Partial<DeclaredTool>): string =>
  writeDeclarations([toTool(inputSchema, more)]);
const field = (schema: unknown): string =>
  /field\?: (.*?);?\s*\}\): Promise/s.exec(declare({ type: 'object', properties: { field: schema } }))?.[1] ??
  '';

describe('a declaration', () => {
  it('has the description, the defaults, the formats and the limits as comments', () => {
    const schema = {
      type: 'object',
      properties: {
        since: { type: 'string', format: 'date-time', description: 'Only newer ones.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 30 },
        name: { type: 'string', minLength: 1, maxLength: 80, pattern: '^[a-z]+$', examples: ['ada'] },
        tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 5, uniqueItems: true },
        rate: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5, deprecated: true },
        other: { not: { type: 'null' } },
      },
      required: ['name'],
    };
    expect(declare(schema, { description: 'Finds people.\n\nBy name.', notes: ['Reads only.'] }))
      .toMatchInlineSnapshot(`
      "declare const tools: {
        /**
         * Finds people.
         *
         * By name.
         * Reads only.
         */
        run(input: {
          /** Only newer ones. Format: date-time */
          since?: string;
          /** Integer. 1 to 100. Default: 30 */
          limit?: number;
          /** 1 to 80 characters. Pattern: ^[a-z]+$. Examples: "ada" */
          name: string;
          /** At most 5 items. Unique items */
          tags?: (/** At most 20 characters */ string)[];
          /** Above 0. Multiple of 0.5. Deprecated */
          rate?: number;
          /** Rules: {"not":{"type":"null"}} */
          other?: unknown;
        }): Promise<unknown>;
      };"
    `);
  });

  it('has the types of arguments and results, and names recursive types', () => {
    const node = {
      type: 'object',
      description: 'A part of the tree',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/$defs/tree-node' } },
      },
      required: ['name'],
    };
    const tree = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/tree-node' } },
      $defs: { 'tree-node': node },
    };
    expect(declare(tree, { path: 'a.b', outputSchema: structuredClone(tree) as JsonSchemaObject }))
      .toMatchInlineSnapshot(`
      "/** A part of the tree */
      type TreeNode = { name: string; children?: TreeNode[] };
      /** A part of the tree */
      type TreeNode2 = { name: string; children?: TreeNode2[] };
      declare const tools: { a: {
        b(input?: { root?: TreeNode }): Promise<{ root?: TreeNode2 }>;
      } };"
    `);
  });

  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['integer', 'null'] }, 'number | null'],
    [{ enum: ['a', "it's", 1, null, true] }, `'a' | "it's" | 1 | null | true`],
    [{ const: { a: [1, 'b'] } }, `{ a: [1, 'b'] }`],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    [{ type: 'array' }, 'unknown[]'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1 },
      '[string, number?, ...unknown[]]',
    ],
    [{ type: 'array', items: [{ type: 'string' }], additionalItems: false, minItems: 1 }, '[string]'],
    [{ type: 'object' }, '{ [name: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    [
      { type: 'object', properties: { a: {} }, additionalProperties: true },
      '{ a?: unknown; [name: string]: unknown }',
    ],
    [{ required: ['a'] }, '{ a: unknown }'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [
      { allOf: [{ required: ['a'] }, { anyOf: [{ required: ['b'] }, { required: ['c'] }] }] },
      '{ a: unknown } & ({ b: unknown } | { c: unknown })',
    ],
    [{ $ref: 'https://example.com/schema' }, 'unknown'],
    [
      { type: 'object', properties: { 'a-b': { type: 'string' }, __proto__x: {} } },
      '{ "a-b"?: string; __proto__x?: unknown }',
    ],
    [true, 'unknown'],
    [false, 'never'],
  ])('writes %j as a type', (schema, type) => {
    expect(field(schema)).toBe(type);
  });

  it('takes no argument if there are no fields, and an optional one if no field is required', () => {
    expect(declare({ type: 'object' })).toContain('run(): Promise<unknown>');
    expect(declare({ type: 'object', properties: {}, additionalProperties: false })).toContain('run(): ');
    expect(declare({ type: 'object', properties: { a: {} } })).toContain('run(input?: { a?: unknown }): ');
    expect(declare({ type: 'object', additionalProperties: true })).toContain(
      'run(input?: { [name: string]: unknown }): ',
    );
  });

  it('declares functions with the names of namespaces and of keywords', () => {
    const tools = ['a', 'a.b', 'a.new', 'c.delete'].map((path) => toTool({ type: 'object' }, { path }));
    expect(writeDeclarations(tools)).toMatchInlineSnapshot(`
      "declare const tools: {
        a: {
          (): Promise<unknown>;
          b(): Promise<unknown>;
          'new'(): Promise<unknown>;
        };
        c: {
          delete(): Promise<unknown>;
        };
      };"
    `);
  });

  it('cannot be left by comments, quotes and lines of another server', () => {
    const evil = '*/ evil() /*\r\nevil()\u2028"\'`';
    const text = declare(
      {
        type: 'object',
        properties: { [evil]: { description: evil, enum: [evil], format: evil, default: evil } },
      },
      { description: evil, notes: [] },
    );
    expect(text.replaceAll(JSON.stringify(evil), '')).not.toContain('*/ evil');
    expect(text.split('\n').filter((line) => line.trimStart().startsWith('evil'))).toEqual([]);
  });

  it('treats __proto__ as an ordinary name', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}',
    ) as object;
    expect(declare(schema)).toContain('input: { __proto__: string; constructor?: number }');
  });
});

describe('a declaration of a huge schema', () => {
  it('shows 1,000 fields', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`field${at}`, { type: 'string' }]),
    );
    const text = declare({ type: 'object', properties });
    expect(text).toContain('field999?: string;');
  });

  it('accepts the values that its schema accepts, and rejects others', { timeout: 60_000 }, async () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        state: { enum: ['open', 'closed'] },
        tags: { type: 'array', items: { type: 'string' } },
        node: { $ref: '#/$defs/node' },
      },
      required: ['id'],
      additionalProperties: false,
      $defs: {
        node: {
          type: 'object',
          properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          additionalProperties: false,
        },
      },
    };
    const calls = [
      '{}',
      '{ id: "1" }',
      '{ id: 1, state: "new" }',
      '{ id: 1, tags: [1] }',
      '{ id: 1, other: 1 }',
      '{ id: 1, node: { next: { next: 5 } } }',
    ];
    const text = [
      declare(schema),
      'tools.run({ id: 1, state: "open", tags: [], node: { next: { next: null } } });',
      ...calls.map((call) => `// @ts-expect-error\ntools.run(${call});`),
    ].join('\n');
    expect(await compileTypeScript([text])).toBe('');
  });

  it('is cut to valid types beyond its limits', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [
        `field${at}`,
        { type: 'string', description: 'x'.repeat(5_000) },
      ]),
    );
    const text = declare({ type: 'object', properties });
    expect(text.length).toBeLessThan(300_000);
    expect(text).toMatch(
      /more fields \*\/\n {4}\[name: string\]: unknown;\n {2}\}\): Promise<unknown>;\n\};$/,
    );
  });

  it('has a size that does not grow with the number of large tools', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`field${at}`, { type: 'string', description: 'A field.' }]),
    );
    const schema = { type: 'object', properties } as JsonSchemaObject;
    const sizeOf = (count: number): number =>
      writeDeclarations(
        Array.from({ length: count }, (_, at) => toTool(schema, { path: `run${at}`, outputSchema: schema })),
      ).length;
    expect(sizeOf(20)).toBeLessThan(1.1 * sizeOf(4));
  });

  it('reads only as many fields as it shows', () => {
    let read = 0;
    const properties = new Proxy(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`field${at}`, {}])),
      {
        get(fields, name: string) {
          read++;
          return fields[name];
        },
      },
    );
    const text = declare({ type: 'object', properties });
    expect(read).toBe(text.match(/field\d+\?:/g)?.length);
    expect(read).toBeLessThan(5_000);
    read = 0;
    writeSignatureLine('run', { type: 'object', properties } as JsonSchemaObject, undefined);
    expect(read).toBeLessThan(100);
  });

  it('reads only as many names of required fields as it can show', () => {
    let read = 0;
    const required = Array.from({ length: 100_000 }, (_, at) => `field${at}`);
    const counted = new Proxy(required, {
      get(names, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++;
        return Reflect.get(names, key, receiver) as unknown;
      },
    });
    const schema = { type: 'object', required: counted } as JsonSchemaObject;
    expect(declare(schema)).toMatch(/at least \d+ more fields/);
    expect(read).toBeLessThanOrEqual(5_000);
    read = 0;
    expect(writeSignatureLine('run', schema, undefined)).toMatch(/, 999\d\d more required…/);
    expect(read).toBeLessThanOrEqual(1_000);
  });

  it('lists the names of a large default once, however many references lead to it', () => {
    let listed = 0;
    const large = new Proxy(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key${at}`, 0])), {
      ownKeys(target) {
        listed++;
        return Reflect.ownKeys(target);
      },
    });
    const $defs = {
      // The parts of a named type are written in place of the references to them.
      whole: { allOf: Array.from({ length: 300 }, () => ({ $ref: '#/$defs/part' })) },
      part: { type: 'object', properties: { a: { default: large } } },
    };
    declare({ type: 'object', properties: { field: { $ref: '#/$defs/whole' } }, $defs });
    expect(listed).toBe(1);
  });

  it('is written in steps of one schema or one named type each', () => {
    const $defs = { name: { type: 'string' }, size: { type: 'number' } };
    const inputSchema = {
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, size: { $ref: '#/$defs/size' } },
      $defs,
    };
    const tools = ['one', 'two', 'three'].map((path) => toTool({ ...inputSchema }, { path }));
    // Each tool has an input and an output, and all tools share the two types.
    expect([...declarationSteps(tools)]).toHaveLength(3 * 2 + 2);
  });

  it('names at most 300 types', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `type${at}`);
    const text = declare({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
      $defs: Object.fromEntries(names.map((name) => [name, { type: 'object', required: [name] }])),
    });
    expect(text.match(/^type /gm)).toHaveLength(300);
    expect(text).toContain('type299?: Type299;');
    expect(text).toContain('type300?: unknown;');
  });

  it('ends nested types at a depth, and reads no schema without a limit', () => {
    let nested: object = { type: 'string' };
    for (let depth = 0; depth < 20_000; depth++)
      nested = { type: 'object', properties: { a: nested, b: { type: 'array', items: nested } } };
    expect(declare(nested).length).toBeLessThan(1_000_000);
    let choice: object = { enum: ['x'] };
    for (let depth = 0; depth < 40; depth++)
      choice = { anyOf: [choice, choice], allOf: [choice, choice], default: choice };
    expect(declare({ type: 'object', properties: { choice } }).length).toBeLessThan(1_000_000);
    expect(
      writeSignatureLine('run', nested as JsonSchemaObject, nested as JsonSchemaObject).length,
    ).toBeLessThan(500);
  });

  it('follows circular references without end', () => {
    const $defs = {
      a: { $ref: '#/$defs/b' },
      b: { $ref: '#/$defs/a' },
      self: { anyOf: [{ $ref: '#/$defs/self' }, { type: 'string' }] },
      one: { anyOf: [{ $ref: '#/$defs/two' }, { type: 'string' }] },
      two: { allOf: [{ $ref: '#/$defs/one' }, { type: 'string' }] },
    };
    const properties = Object.fromEntries(
      Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    );
    expect(declare({ type: 'object', properties: { ...properties, root: { $ref: '#' } }, $defs }))
      .toMatchInlineSnapshot(`
      "type Self = string;
      type One = string;
      type Two = string;
      type Input = { a?: unknown; b?: unknown; self?: Self; one?: One; two?: Two; root?: Input };
      declare const tools: {
        run(input?: { a?: unknown; b?: unknown; self?: Self; one?: One; two?: Two; root?: Input }): Promise<unknown>;
      };"
    `);
  });
});

describe('a signature in one line', () => {
  it('shows the fields of the arguments and of the result', () => {
    const input = {
      type: 'object',
      properties: { repo: { type: 'string' }, state: { enum: ['open', 'closed'] } },
      required: ['repo'],
    };
    const output = {
      type: 'object',
      properties: {
        issues: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date' } },
            required: ['id', 'at'],
          },
        },
      },
      required: ['issues'],
    };
    expect(
      writeSignatureLine('github.issues.list', input as JsonSchemaObject, output as JsonSchemaObject),
    ).toBe(
      "tools.github.issues.list({ repo: string, state?: 'open'|'closed' }): {issues: {id: number, at: string/*date*/}[]}",
    );
    expect(writeSignatureLine('ping', { type: 'object' }, undefined)).toBe('tools.ping()');
  });

  it('shows as many fields of a result as fit', () => {
    const names = Array.from({ length: 30 }, (_, at) => `field${at}`);
    const output = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    };
    const line = writeSignatureLine('run', { type: 'object' }, output as JsonSchemaObject);
    expect(line).toMatch(/^tools\.run\(\): \{field0: .*, …\}$/);
    expect(line).not.toContain('required');
    expect(line.length).toBeLessThan(140);
  });

  it('hides a pattern that would end its comment', () => {
    const input = {
      type: 'object',
      properties: { path: { type: 'string', pattern: 'a*/b' }, id: { type: 'string', pattern: '^x' } },
    };
    expect(writeSignatureLine('run', input as JsonSchemaObject, undefined)).toBe(
      'tools.run({ path?: string, id?: string/*/^x/*/ })',
    );
  });
});
