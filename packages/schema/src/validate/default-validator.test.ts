import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import net from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { readDefinition } from 'toolfold/internal';
import { ErrExternalRef, ErrInvalidSchema, ErrInvalidTool, ErrUnsupportedSchema } from '../errors.js';
import { fromMCPJSON, Tool } from 'toolfold/model';
import { DefaultValidator, loadGenerator } from './default-validator.js';
import type { JsonSchema } from '../values/json-schema.js';
import type { SchemaValidator } from './schema-validator.js';
import { draft07, engines } from '../../test/default-validator-setup.js';

// Loads the generator, so that `generated` uses it from the first value on.
await loadGenerator();

describe.each(engines)('the validator, %s', (engine) => {
  const validator = new DefaultValidator({ engine });

  it('reports every issue of a value at once, each with its path', () => {
    const validate = validator.compile({
      type: 'object',
      properties: {
        id: { type: 'string' },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        size: { multipleOf: 5 },
      },
      required: ['id', 'owner'],
      additionalProperties: false,
    });
    const result = validate({ id: 7, tags: ['a', 'c'], size: 3, odd: true });
    expect(result.ok).toBe(false);
    const paths = result.ok ? [] : result.issues.map(({ path }) => path.join('/')).toSorted();
    expect(paths).toEqual(['id', 'odd', 'owner', 'size', 'tags/1']);
    for (const issue of result.ok ? [] : result.issues) expect(issue.message).not.toBe('');
    expect(result.ok || result.issues.some(({ path }) => path[1] === 1)).toBe(true);
  });

  it('returns the value itself if it is valid', () => {
    const value = { id: 'x' };
    const result = validator.compile({ properties: { id: { default: 'y' } } })(value);
    expect(result).toEqual({ ok: true, value });
    expect(result.ok && result.value).toBe(value);
  });

  it('treats format as an annotation, and checks it on request', () => {
    const schema = { type: 'string', format: 'date' };
    expect(validator.compile(schema)('not a date').ok).toBe(true);
    const strict = new DefaultValidator({ engine, formats: true }).compile(schema);
    expect(strict('2026-07-28').ok).toBe(true);
    expect(strict('not a date').ok).toBe(false);
    expect(new DefaultValidator({ engine, formats: true }).compile({ format: 'of-our-own' })('x').ok).toBe(
      true,
    );
  });

  it.each([
    ['an absolute reference', { $ref: 'https://elsewhere.example/schema.json' }],
    ['a relative reference', { properties: { a: { $ref: 'item.json' } } }],
    ['a file', { items: { $ref: 'file:///etc/passwd' } }],
    ['a reference relative to $id', { $id: 'https://acme.example/root', $ref: 'item#/x' }],
    [
      'its own $id by its full name',
      { $id: 'https://acme.example/root', items: { $ref: 'https://acme.example/root' } },
    ],
    ['a dynamic reference', { $dynamicRef: 'https://elsewhere.example/#node' }],
    ['an unused definition', { $defs: { a: { $ref: 'https://elsewhere.example/' } } }],
    ['a reference in draft-07', { $schema: draft07, not: { $ref: 'other.json' } }],
    [
      'a reference behind a custom keyword',
      { $ref: '#/x-parts/a', 'x-parts': { a: { $ref: 'https://elsewhere.example/' } } },
    ],
    [
      'a reference in a keyword of the other dialect',
      { dependencies: { a: { $ref: 'https://elsewhere.example/' } } },
    ],
    [
      'a reference in $defs of draft-07',
      { $schema: draft07, $defs: { a: { $ref: 'https://elsewhere.example/' } } },
    ],
    ['$dynamicRef in draft-07', { $schema: draft07, items: { $dynamicRef: 'https://elsewhere.example/' } }],
    ['$recursiveRef', { $recursiveRef: 'https://elsewhere.example/' }],
    ['the meta-schema', { $ref: 'https://json-schema.org/draft/2020-12/schema' }],
  ])('rejects %s without network access [S002-10] [S002-22]', (_what, schema) => {
    const touched = vi.fn<() => never>(() => {
      throw new Error('network');
    });
    const spies = [
      vi.spyOn(globalThis, 'fetch').mockImplementation(touched),
      vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(touched),
      vi.spyOn(dns, 'lookup').mockImplementation(touched as never),
    ];
    for (let attempt = 0; attempt < 2; attempt++)
      expect(() => validator.compile(schema)).toThrow(ErrExternalRef);
    expect(touched).not.toHaveBeenCalled();
    for (const spy of spies) spy.mockRestore();
  });

  it.each([
    [
      'another dialect in a keyword of the other',
      { additionalItems: { $schema: 'http://json-schema.org/draft-04/schema#' } },
    ],
    ['draft-04', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['draft-06', { $schema: 'http://json-schema.org/draft-06/schema#' }],
    ['draft-03', { $schema: 'http://json-schema.org/draft-03/schema#' }],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['a custom dialect', { $schema: 'https://acme.example/dialect' }],
    [
      'another dialect further down',
      { properties: { a: { $schema: 'http://json-schema.org/draft-04/schema#' } } },
    ],
    ['a change of dialect', { $defs: { a: { $id: 'https://acme.example/a', $schema: draft07 } } }],
    [
      'a change to 2020-12',
      { $schema: draft07, items: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    ],
  ])('rejects %s as unsupported [S002-20]', (_what, schema) => {
    expect(() => validator.compile(schema)).toThrow(ErrUnsupportedSchema);
  });

  it.each<[string, unknown]>([
    ['an unknown type', { type: 'text' }],
    ['a negative length', { minLength: -1 }],
    ['a broken pattern', { pattern: '(' }],
    ['a broken name pattern', { patternProperties: { '(': true } }],
    ['properties that are a list', { properties: [] }],
    ['an empty allOf', { allOf: [] }],
    ['a dangling reference', { $ref: '#/$defs/missing' }],
    ['a missing anchor', { $ref: '#missing' }],
    ['a reference to something inherited', { $ref: '#/$defs/constructor', $defs: {} }],
    ['a reference to a value that is not a schema', { $ref: '#/required', required: ['a'] }],
    ['a badly encoded reference', { $ref: '#/%' }],
    ['two anchors of one name', { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } }],
    ['a $schema that is not a string', { $schema: 7 }],
    ['a problem far down', { properties: { a: { items: { anyOf: [{ required: ['x', 'x'] }] } } } }],
  ])('rejects %s as invalid [S002-18]', (_what, schema) => {
    expect(() => validator.compile(schema as JsonSchema)).toThrow(ErrInvalidSchema);
  });

  it.each<[string, unknown]>([
    ['text', '{"type":"object"}'],
    ['a number', 3],
    ['nothing', null],
    ['a list', []],
    ['a date inside', { default: new Date(0) }],
    ['a function inside', { properties: { a: () => true } }],
    ['a number JSON lacks', { maximum: Number.POSITIVE_INFINITY }],
  ])('rejects %s, which is not JSON Schema [S002-19]', (_what, schema) => {
    expect(() => validator.compile(schema as JsonSchema)).toThrow(ErrInvalidSchema);
  });

  it.each(['{"type":', '{"type":"object"}', 3, true])(
    'reports the unparsed schema %j of a tool as an invalid schema [S002-19]',
    (schema) => {
      const odd = (key: 'inputSchema' | 'outputSchema') =>
        new Tool({ name: 'odd', inputSchema: { type: 'object' }, [key]: schema as never });
      if (schema !== true) {
        expect(() => validator.validateInput(odd('inputSchema'), {})).toThrow(ErrInvalidSchema);
        expect(() => validator.validateOutput(odd('outputSchema'), {})).toThrow(ErrInvalidSchema);
      }
      const wire = { name: 'odd', inputSchema: schema };
      expect(() => fromMCPJSON(wire)).toThrow(ErrInvalidSchema);
      const definition = { name: 'odd', description: 'Odd', inputSchema: schema as never, handler: () => 1 };
      expect(() => readDefinition(definition)).toThrow(ErrInvalidSchema);
      if (typeof schema !== 'string') return;
      const advertising = { ...definition, inputSchema: {}, metadata: { inputJsonSchema: schema as never } };
      expect(() => readDefinition(advertising)).toThrow(ErrInvalidSchema);
    },
  );

  it('names the location of an invalid keyword', () => {
    expect(() => validator.compile({ properties: { 'a/b': { minLength: -1 } } })).toThrow(
      '"minLength" at #/properties/a~1b/minLength must be a whole number from 0.',
    );
  });

  it('leaves the schema unchanged and ignores its later changes', () => {
    const schema = {
      $id: 'https://acme.example/x',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a', default: 1 } },
      $defs: { a: { type: 'number', format: 'int' } },
    };
    const before = structuredClone(schema);
    const validate = validator.compile(schema);
    validate({ a: 'x' });
    expect(schema).toEqual(before);
    schema.properties.a.$ref = '#/nowhere';
    expect(validate({ a: 1 }).ok).toBe(true);
    expect(() => validator.compile(deepFreeze(before))).not.toThrow();
  });

  it('compiles the same $id twice, and even the one of the meta-schema', () => {
    for (const $id of ['https://acme.example/x', 'https://json-schema.org/draft/2020-12/schema']) {
      expect(validator.compile({ $id, type: 'string' })('x').ok).toBe(true);
      expect(validator.compile({ $id, type: 'number' })('x').ok).toBe(false);
    }
  });

  describe('is bounded', () => {
    it('in depth', () => {
      let deep: JsonSchema = true;
      for (let level = 0; level < 5000; level++) deep = { not: deep };
      expect(() => validator.compile(deep)).toThrow('128 levels deep');
      expect(() =>
        new DefaultValidator({ engine, limits: { depth: undefined } as never }).compile(deep),
      ).toThrow('128 levels deep');
      const $defs = Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `d${index}`,
          index === 0 ? {} : { $ref: `#/$defs/d${index - 1}` },
        ]),
      );
      const chain = { $ref: '#/$defs/d199', $defs };
      expect(() => validator.compile(chain)).toThrow('limits.depth can be raised');
      expect(() => new DefaultValidator({ engine, limits: { depth: 1000 } }).compile(chain)).not.toThrow();
      expect(() =>
        new DefaultValidator({ engine, limits: { depth: 3 } }).compile({ not: { not: { not: {} } } }),
      ).toThrow(ErrInvalidSchema);
    });

    it('in size', () => {
      expect(() => validator.compile({ description: 'x'.repeat(1_000_001) })).toThrow('larger than 1000000');
    });

    it('in the number of subschemas', () => {
      expect(() => validator.compile({ anyOf: Array.from({ length: 10_001 }, () => true) })).toThrow(
        '10000 subschemas',
      );
    });

    it('in unused subschemas, and in subschemas that dynamic references multiply', () => {
      const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`d${index}`, true]));
      expect(() => validator.compile({ $defs: many })).toThrow('10000 subschemas');
      // Eight resources, each with an anchor that decides the meaning of the shared part.
      const shared = {
        $id: 'https://acme.example/shared',
        allOf: Array.from({ length: 40 }, () => ({ items: { $dynamicRef: '#t' } })),
        $dynamicAnchor: 't',
      };
      const users = Array.from({ length: 8 }, (_, index) => ({
        $id: `https://acme.example/${index}`,
        items: { $ref: '#/$defs/shared' },
        $defs: { shared, own: { $dynamicAnchor: 't', minItems: index } },
      }));
      expect(() =>
        new DefaultValidator({ engine, limits: { subschemas: 400 } }).compile({ anyOf: users }),
      ).toThrow('400 subschemas');
    });

    it('against objects that contain themselves', () => {
      const self: Record<string, unknown> = {};
      self['not'] = self;
      expect(() => validator.compile(self)).toThrow('through $ref');
    });

    it('against shared objects that multiply', () => {
      let shared: unknown = {};
      for (let level = 0; level < 40; level++) shared = { allOf: [shared, shared] };
      expect(() => validator.compile(shared as JsonSchema)).toThrow(ErrInvalidSchema);
    });

    it('against references that multiply', () => {
      const $defs: Record<string, unknown> = { d0: { type: 'string' } };
      for (let level = 1; level <= 40; level++) {
        $defs[`d${level}`] = {
          allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }],
        };
      }
      expect(() => validator.compile({ $ref: '#/$defs/d40', $defs })).toThrow('multiply');
    });

    it.each<[string, JsonSchema]>([
      ['itself', { $ref: '#' }],
      ['itself in allOf', { allOf: [{ $ref: '#' }] }],
      ['itself by an anchor', { $anchor: 'a', anyOf: [{ $ref: '#a' }] }],
      ['itself dynamically', { $dynamicAnchor: 'a', not: { $dynamicRef: '#a' } }],
      ['each other', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
      ['itself when a key is there', { dependentSchemas: { a: { $ref: '#' } } }],
      ['itself below properties', { properties: { a: { if: { $ref: '#/properties/a' } } } }],
    ])('against schemas that apply %s endlessly', (_what, schema) => {
      expect(() => validator.compile(schema)).toThrow('endlessly');
    });

    it('against data that nests deeper than the stack', () => {
      const validate = validator.compile({ type: 'array', items: { $ref: '#' } });
      const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
      expect(validate(deep)).toEqual({ ok: false, issues: [{ path: [], message: 'is nested too deeply' }] });
    });

    it('against long chains of references', () => {
      const $defs: Record<string, unknown> = { d0: { type: 'string' } };
      for (let level = 1; level < 3000; level++)
        $defs[`d${level}`] = { items: { $ref: `#/$defs/d${level - 1}` } };
      const schema = { $ref: '#/$defs/d2999', $defs };
      let outcome: unknown;
      try {
        outcome = validator.compile(schema)([]).ok;
      } catch (error) {
        outcome = error;
      }
      // It works or throws an error of the package, and does not crash.
      if (outcome !== true) expect(outcome).toBeInstanceOf(ErrInvalidSchema);
    });
  });

  it('reads \\- and similar escapes as authors mean them', () => {
    const validate = validator.compile({
      pattern: '^a\\-b\\:c$',
      patternProperties: { '^x\\-': { type: 'number' } },
    });
    expect(validate('a-b:c').ok).toBe(true);
    expect(validate('ab').ok).toBe(false);
    expect(validate({ 'x-1': 'y' }).ok).toBe(false);
  });
});

describe('validateInput and validateOutput', () => {
  const tool = (schemas: Partial<ConstructorParameters<typeof Tool>[0]>) =>
    new Tool({ name: 'search', inputSchema: { type: 'object' }, ...schemas });
  const validator = new DefaultValidator();

  it('check values against the schemas of a tool, which validates nothing itself [S002-09]', () => {
    const search = tool({
      inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
      outputSchema: { type: 'array' },
    });
    expect(validator.validateInput(search, { q: 'x' }).ok).toBe(true);
    expect(validator.validateInput(search, {})).toEqual({
      ok: false,
      issues: [{ path: ['q'], message: 'is required' }],
    });
    expect(validator.validateOutput(search, []).ok).toBe(true);
    expect(validator.validateOutput(search, {}).ok).toBe(false);
  });

  it('throw for an invalid input schema [S002-25]', () => {
    expect(() => validator.validateInput(tool({ inputSchema: { type: 'text' } }), {})).toThrow(
      ErrInvalidSchema,
    );
    const old = { $schema: 'http://json-schema.org/draft-04/schema#' };
    expect(() => validator.validateInput(tool({ inputSchema: old }), {})).toThrow(ErrUnsupportedSchema);
    expect(() => validator.validateInput(new Tool({ name: 'a' } as never), {})).toThrow(ErrInvalidTool);
  });

  it('throw for an invalid output schema [S002-26]', () => {
    expect(() => validator.validateOutput(tool({ outputSchema: { type: 'text' } }), {})).toThrow(
      ErrInvalidSchema,
    );
    const old = { $schema: 'http://json-schema.org/draft-04/schema#' };
    expect(() => validator.validateOutput(tool({ outputSchema: old }), {})).toThrow(ErrUnsupportedSchema);
  });

  it('accept every output if there is no output schema [S002-27]', () => {
    for (const output of [undefined, null, 7, { a: 1 }]) {
      expect(validator.validateOutput(tool({}), output)).toEqual({ ok: true, value: output });
    }
  });

  it('compile a schema once', () => {
    const counting = new DefaultValidator();
    const compile = vi.spyOn(counting, 'compile');
    const search = tool({});
    for (let call = 0; call < 5; call++) counting.validateInput(search, {});
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('can be replaced by a custom implementation', () => {
    const strict: SchemaValidator = {
      compile: () => (value) => ({ ok: true, value }),
      validateInput: () => ({ ok: false, issues: [{ path: [], message: 'closed today' }] }),
      validateOutput: (_tool, value) => ({ ok: true, value }),
    };
    const run = (validate: SchemaValidator) => validate.validateInput(tool({}), {});
    expect(run(strict)).toEqual({ ok: false, issues: [{ path: [], message: 'closed today' }] });
    expect(run(new DefaultValidator()).ok).toBe(true);
  });
});

describe('where generated code is forbidden', () => {
  it('interprets schemas, with the same results', () => {
    const script = `
      import { DefaultValidator } from 'toolfold';
      const validate = new DefaultValidator().compile({ type: 'object', required: ['a'] });
      for (let use = 0; use < 200; use++) validate({ a: 1 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log(validate({ a: 1 }).ok, validate({}).ok);
      try { new DefaultValidator({ engine: 'generated' }).compile({ type: 'string' }); } catch (error) { console.log(error.code); }
    `;
    const output = execFileSync(
      process.execPath,
      ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script],
      { cwd: new URL('../../../../', import.meta.url), encoding: 'utf8' },
    );
    expect(output).toBe('true false\nErrUnsupportedSchema\n');
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
