import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrModuleFailed } from 'toolfold/errors';
import { fromOpenAPI } from '../from-openapi.js';

const document = (more: object): object => ({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: {},
  ...more,
});
const post = (schema: unknown, more: object = {}): object =>
  document({
    paths: {
      '/a': { post: { requestBody: { required: true, content: { 'application/json': { schema } } } } },
    },
    ...more,
  });
const skippedOf = (spec: object | string): string[] => {
  const skipped: string[] = [];
  fromOpenAPI(spec, { onSkipped: (operation, reason) => skipped.push(`${operation}: ${reason}`) });
  return skipped;
};
const inputOf = (spec: object | string): Record<string, unknown> =>
  fromOpenAPI(spec)[0]!.buildToolDefinition().inputSchema as Record<string, unknown>;

describe('a specification that cannot be used', () => {
  it.each([
    ['is neither an object nor text', 5],
    ['is a list', []],
    ['has no version', {}],
    ['has an unknown version', { openapi: '4.0.0' }],
    ['is invalid JSON', '{ "openapi": '],
    ['is invalid YAML', 'openapi: 3.0.0\n  paths: ['],
    ['names no server', { openapi: '3.1.0', paths: {} }],
    ['names a server without encryption', { openapi: '3.1.0', servers: [{ url: 'http://api.example.com' }] }],
    [
      'names a server with credentials',
      document({ servers: [{ url: 'https://me:secret@api.example.com' }] }),
    ],
  ])('is rejected with a message: it %s', (_, spec) => {
    expect(() => fromOpenAPI(spec as object)).toThrow(ErrInvalidOptions);
  });

  it('is rejected if it contains itself, is too deep or has too many values', () => {
    const circular: Record<string, unknown> = document({}) as Record<string, unknown>;
    circular['x-self'] = circular;
    expect(() => fromOpenAPI(circular)).toThrow('contains itself');
    let deep: object = {};
    for (let level = 0; level < 5_000; level++) deep = { deep };
    expect(() => fromOpenAPI(document({ deep }))).toThrow('nested more than 200 levels');
    expect(() => fromOpenAPI(`${'['.repeat(100_000)}`)).toThrow(ErrInvalidOptions);
    let wide: unknown = 1;
    for (let level = 0; level < 30; level++) wide = [wide, wide];
    expect(() => fromOpenAPI(document({ wide }))).toThrow('more than 6000000 values');
  });

  it('is rejected if aliases of YAML multiply it', () => {
    const laughs = Array.from({ length: 30 }, (_, at) =>
      at === 0
        ? 'a0: &a0 [lol]'
        : `a${at}: &a${at} [${Array(10)
            .fill(`*a${at - 1}`)
            .join(', ')}]`,
    );
    expect(() => fromOpenAPI(`openapi: 3.1.0\n${laughs.join('\n')}`)).toThrow(ErrInvalidOptions);
  });

  it('is rejected if it has too many aliases of YAML to resolve them in time', () => {
    const anchors = Array.from({ length: 6_000 }, (_, at) => `a${at}: &a${at} [1]`);
    const aliases = anchors.map((_, at) => `b${at}: *a${at}`);
    const spec = ['openapi: 3.1.0', ...anchors, ...aliases].join('\n');
    expect(() => fromOpenAPI(spec)).toThrow('has more than 5000 aliases of YAML');
  });

  it('is rejected if it has more operations than allowed', () => {
    const paths = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`/p${at}`, { get: {} }]));
    expect(() => fromOpenAPI(document({ paths }), { maxOperations: 10 })).toThrow('more than 10 operations');
    expect(fromOpenAPI(document({ paths }), { maxOperations: 11 })).toHaveLength(11);
  });
});

const OUTSIDE = 'outside the specification, and nothing is fetched: bundle the files into one';

describe('a reference', () => {
  it.each(['https://evil.example/schema.json', 'other.yaml#/a', '//host/x', 'file:///etc/passwd'])(
    'to another document is never fetched: %s',
    ($ref) => {
      expect(skippedOf(post({ $ref }))).toEqual([`POST /a: it refers to "${$ref}" ${OUTSIDE}`]);
      expect(() => fromOpenAPI(post({ $ref }))).toThrow(ErrModuleFailed);
      expect(() => fromOpenAPI(post({ $ref }))).toThrow(OUTSIDE);
    },
  );

  it.each(['#/components/schemas/No', '#nope', '#/__proto__', '#/constructor/name', '#/%E0%A4%A'])(
    'to nothing leaves its operation out: %s',
    ($ref) => {
      expect(skippedOf(post({ $ref }))).toEqual([`POST /a: it refers to "${$ref}", which does not exist`]);
    },
  );

  it('to another document in a path leaves the path out', () => {
    const paths = { '/a': { $ref: 'paths.yaml#/a' }, '/b': { get: {} } };
    expect(skippedOf(document({ paths }))).toEqual([`/a: it refers to "paths.yaml#/a" ${OUTSIDE}`]);
  });

  it('to itself ends', () => {
    const schemas = {
      Self: { $ref: '#/components/schemas/Self' },
      All: { allOf: [{ $ref: '#/components/schemas/All' }, { type: 'object', properties: { a: {} } }] },
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
    };
    for (const name of Object.keys(schemas)) {
      const spec = post({ $ref: `#/components/schemas/${name}` }, { components: { schemas } });
      expect(() => skippedOf(spec)).not.toThrow();
    }
    const parameters = { P: { $ref: '#/components/parameters/P' } };
    const paths = { '/a': { get: { parameters: [{ $ref: '#/components/parameters/P' }] } } };
    expect(skippedOf(document({ paths, components: { parameters } }))).toEqual([
      'GET /a: it has a reference that leads to itself: "#/components/parameters/P"',
    ]);
  });

  it('in a tree of references that doubles at each level ends soon', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const $ref = `#/components/schemas/S${at + 1}`;
        const doubled = { type: 'object', properties: { left: { $ref }, right: { $ref } } };
        return [`S${at}`, at === 59 ? { type: 'string' } : doubled];
      }),
    );
    const spec = post(
      { type: 'object', properties: { a: { $ref: '#/components/schemas/S0' } } },
      { components: { schemas } },
    );
    const merged = Object.fromEntries(
      Object.entries(schemas).map(([name], at) => {
        const $ref = `#/components/schemas/S${Math.min(at + 1, 59)}`;
        return [name, at === 59 ? {} : { allOf: [{ $ref }, { $ref }] }];
      }),
    );
    expect(JSON.stringify(inputOf(spec)).length).toBeLessThan(20_000);
    const doubled = post({ $ref: '#/components/schemas/S0' }, { components: { schemas: merged } });
    expect(skippedOf(doubled)).toEqual([expect.stringContaining('more than 10000 subschemas')]);
  });
});

describe('names that every object inherits', () => {
  it('are ordinary fields, and __proto__ is left out', () => {
    const text = JSON.stringify(
      post({
        type: 'object',
        properties: { constructor: { type: 'string' }, toString: { type: 'number' }, valueOf: {} },
      }),
    ).replace('"valueOf"', '"__proto__"');
    const { properties } = inputOf(text) as { properties: object };
    expect(Object.keys(properties).toSorted()).toEqual(['action', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });

  it('name tags, paths, security schemes and schemas', () => {
    const spec = `
openapi: 3.0.3
servers: [{ url: 'https://api.example.com' }]
paths:
  /constructor/{__proto__}:
    get:
      tags: [constructor]
      operationId: toString
      security: [{ hasOwnProperty: [] }]
      responses: { '200': { content: { application/json: { schema: { $ref: '#/components/schemas/constructor' } } } } }
components:
  schemas: { constructor: { type: object, properties: { __proto__: { type: string } } } }
  securitySchemes: { hasOwnProperty: { type: http, scheme: bearer } }
`;
    const [builder] = fromOpenAPI(spec);
    expect(builder!.name).toBe('constructor');
    expect(builder!.getActionNames()).toEqual(['to_string']);
    expect(
      skippedOf(spec.replace('security: [{ hasOwnProperty: [] }]', 'security: [{ valueOf: [] }]')),
    ).toEqual([
      'GET /constructor/{__proto__}: it requires a security scheme that the specification does not define',
    ]);
  });
});

describe('values of the wrong type', () => {
  it('do not stop the import', () => {
    const operation = {
      tags: 'pets',
      operationId: 5,
      summary: {},
      parameters: [null, 7, { name: 'a' }, { name: 'b', in: 'query', schema: 'text' }, { in: 'query' }],
      requestBody: [],
      responses: { '200': 'ok' },
      servers: 'x',
    };
    const spec = document({
      info: 'none',
      tags: [{ name: 5 }],
      paths: { '/a': { get: operation, post: null, parameters: 'none' }, '/b': [], 5: {} },
      components: 'none',
    });
    const [builder] = fromOpenAPI(spec);
    expect(builder!.getActionNames()).toEqual(['get']);
  });

  it('in schemas are left out', () => {
    const { properties } = inputOf(
      post({
        type: 'object',
        required: 'all',
        properties: {
          a: { type: 'money', minimum: 'low', enum: 'x', pattern: '(', required: true, items: 5 },
          b: { type: 'string', pattern: '^(a+)+$', enum: [1, true, 'x'], maxLength: -1 },
          c: null,
        },
      }),
    ) as { properties: Record<string, object> };
    expect(properties['a']).toEqual({ items: {}, description: 'For: post' });
    expect(properties['b']).toMatchObject({ type: 'string', enum: ['1', 'true', 'x'], pattern: '^(a+)+$' });
    expect(properties['c']).toEqual({ description: 'For: post' });
  });
});

it('a pattern that would backtrack for years is matched in linear time', async () => {
  const spec = post({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  const [builder] = fromOpenAPI(spec);
  const { isError } = await builder!.execute({ action: 'post', a: `${'a'.repeat(5_000)}!` });
  expect(isError).toBe(true);
});

it('the converter of Swagger 2.0 does not multiply long lists of media types', () => {
  const consumes = Array.from({ length: 20_000 }, (_, at) => `application/vnd.t${at}+json`);
  const body = {
    name: 'body',
    in: 'body',
    schema: { type: 'object', properties: { a: { type: 'string' } } },
  };
  const paths = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`/p${at}`, { post: { parameters: [body] } }]),
  );
  const spec = {
    swagger: '2.0',
    host: 'api.example.com',
    schemes: ['https'],
    consumes,
    produces: consumes,
    paths,
  };
  expect(fromOpenAPI(spec)).toHaveLength(500);
});

it.each([
  ['alternatives', (next: object) => ({ anyOf: [next, next] })],
  ['lists', (next: object) => ({ type: 'array', prefixItems: [next, next] })],
])('%s that double at each reference end at a limit, also in a large schema', (_, double) => {
  const schemas: Record<string, object> = { S30: { type: 'string' } };
  for (let at = 0; at < 30; at++) schemas[`S${at}`] = double({ $ref: `#/components/schemas/S${at + 1}` });
  const padding = { type: 'string', description: 'A long description of a field. '.repeat(4) };
  const properties = Object.fromEntries(Array.from({ length: 120 }, (__, at) => [`field${at}`, padding]));
  const schema = { type: 'object', properties: { ...properties, q: { $ref: '#/components/schemas/S0' } } };
  expect(skippedOf(post(schema, { components: { schemas } }))).toEqual([
    'POST /a: it has an input schema with more than 10000 parts',
  ]);
});

it('an output schema that cannot be used is left out, and the operation is offered', () => {
  const schemas: Record<string, object> = { S15: { type: 'string' } };
  for (let at = 0; at < 15; at++) {
    const $ref = `#/components/schemas/S${at + 1}`;
    schemas[`S${at}`] = { anyOf: [{ $ref }, { $ref }] };
  }
  const schema = { type: 'object', properties: { q: { $ref: '#/components/schemas/S0' } } };
  const get = { responses: { 200: { content: { 'application/json': { schema } } } } };
  const [builder] = fromOpenAPI(document({ paths: { '/a': { get } }, components: { schemas } }));
  expect(builder!.getActionNames()).toEqual(['get']);
  expect(builder!.compile().spec.actions[0]!.output).toBeUndefined();
});
