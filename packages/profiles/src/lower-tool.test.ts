import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import type { McpTool } from './mcp-tool.js';
import { checkTools } from './check-tools.js';
import { lowerTool, lowerTools } from './lower-tool.js';
import { profileNames } from './profile.js';
import type { Arguments, ProfileName } from './profile.js';

const catalog = JSON.parse(
  readFileSync(new URL('../../../test/data/github-tools.json', import.meta.url), 'utf8'),
) as { tools: McpTool[] } | McpTool[];
const github = Array.isArray(catalog) ? catalog : catalog.tools;

const toolOf = (properties: object, more: object = {}): McpTool => ({
  name: 'tool',
  inputSchema: { type: 'object', properties, ...more },
});
const fieldsOf = (tool: McpTool, profile: ProfileName): Record<string, unknown> =>
  lowerTool(tool, profile).tool.inputSchema['properties'] as Record<string, unknown>;
const decode = (tool: McpTool, profile: ProfileName, args: Arguments): unknown =>
  (lowerTool(tool, profile).decode ?? ((given: Arguments) => given))(args);
const encode = (tool: McpTool, profile: ProfileName, args: Arguments): unknown =>
  (lowerTool(tool, profile).encode ?? ((given: Arguments) => given))(args);

/** Everything that providers reject in one tool. */
const rejected: McpTool = {
  name: 'shapes.draw',
  inputSchema: {
    type: 'object',
    oneOf: [
      {
        properties: {
          kind: { const: 'tree' },
          'filter[name]': { type: 'string' },
          root: { $ref: '#/$defs/Node' },
        },
        required: ['kind', 'root'],
      },
      {
        properties: {
          kind: { const: 'line' },
          points: {
            type: 'array',
            items: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] },
          },
        },
        required: ['kind', 'points'],
      },
    ],
    $defs: {
      Node: {
        type: 'object',
        properties: {
          value: { type: 'integer', exclusiveMinimum: 0 },
          children: { type: 'array', items: { $ref: '#/$defs/Node' } },
        },
        required: ['value'],
      },
    },
  },
};

describe.each(profileNames)('lowering for %s', (profile) => {
  it('makes every tool of the GitHub catalog acceptable', () => {
    const lowered = lowerTools(github, profile).map(({ tool }) => tool);
    expect(checkTools(lowered, profile).filter(({ tool }) => tool !== '')).toEqual([]);
  });

  it('returns accepted tools unchanged, and changes that report the rule for others', () => {
    const isGemini = profile === 'portable' || profile === 'gemini';
    const closed = isGemini ? {} : { additionalProperties: false };
    const accepted = toolOf({ a: { type: 'number' } }, { required: ['a'], ...closed });
    const kept = lowerTool(accepted, profile);
    expect(kept.tool).toBe(accepted);
    expect(kept).toEqual({ tool: accepted, changes: [] });
    const { changes, tool } = lowerTool(rejected, profile);
    expect(changes.map(({ rule }) => rule)).toContain('no-root-composition');
    expect(Object.isFrozen(tool.inputSchema['properties'])).toBe(true);
  });

  it('accepts a tool with everything that providers reject, and loses no argument', () => {
    const { tool, encode: toLowered, decode: toAuthored } = lowerTool(rejected, profile);
    expect(checkTools([tool], profile)).toEqual([]);
    const args = {
      kind: 'tree',
      'filter[name]': '5',
      root: { value: 1, children: [{ value: 2, children: [{ value: 3, children: [{ value: 4 }] }] }] },
      extra: { points: 1 },
    };
    const sent = JSON.parse(JSON.stringify(toLowered ? toLowered(args) : args)) as Arguments;
    expect(toAuthored ? toAuthored(sent) : sent).toEqual(args);
  });

  it('understands arguments in the form of the author', () => {
    const args = {
      kind: 'tree',
      'filter[name]': 'x',
      root: { value: 1, children: [{ value: 2, children: [] }] },
    };
    expect(decode(rejected, profile, args)).toEqual(args);
  });

  it('decodes arguments of any kind without an error', () => {
    const { decode: toAuthored } = lowerTool(rejected, profile);
    let deep: unknown = 1;
    for (let level = 0; level < 5_000; level++) deep = { root: deep };
    const hostile = JSON.parse(
      '{"__proto__":{"a":1},"constructor":null,"root":"{\\"__proto__\\":1}"}',
    ) as Arguments;
    for (const args of [null, 5, 'x', [], {}, deep, hostile, { root: '['.repeat(50_000) }]) {
      expect(() => toAuthored?.(args as Arguments)).not.toThrow();
    }
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe('the portable profile', () => {
  it('satisfies every other profile except strict mode', () => {
    const sources = [...github, rejected];
    const lowered = lowerTools(sources, 'portable').map(({ tool }) => tool);
    for (const profile of profileNames.filter((name) => name !== 'openai-strict')) {
      expect(
        checkTools(lowered, profile).filter(({ tool }) => tool !== ''),
        profile,
      ).toEqual([]);
    }
  });
});

describe('property keys', () => {
  it('are renamed and mapped back, also in arrays and in required', () => {
    const tool = toolOf({
      list: {
        type: 'array',
        items: { type: 'object', properties: { '@type': { type: 'string' } }, required: ['@type'] },
      },
    });
    expect(fieldsOf(tool, 'anthropic')).toEqual({
      list: {
        type: 'array',
        items: {
          type: 'object',
          properties: { type: { type: 'string', description: 'Original name: @type' } },
          required: ['type'],
        },
      },
    });
    expect(decode(tool, 'anthropic', { list: [{ type: 'a' }] })).toEqual({ list: [{ '@type': 'a' }] });
    expect(decode(tool, 'anthropic', { list: [{ '@type': 'a' }] })).toEqual({ list: [{ '@type': 'a' }] });
  });

  it('stay distinct if they would become equal, and do not capture further fields', () => {
    const tool = toolOf({ 'a b': { type: 'string' }, 'a[b]': { type: 'string' }, a_b: { type: 'string' } });
    const args = { 'a b': '1', 'a[b]': '2', a_b: '3', a_b2: '4', a_b3_: '5' };
    expect(encode(tool, 'anthropic', args)).toEqual({
      a_b2: '1',
      a_b3: '2',
      a_b: '3',
      a_b2_: '4',
      a_b3__: '5',
    });
    expect(decode(tool, 'anthropic', encode(tool, 'anthropic', args) as Arguments)).toEqual(args);
  });
});

describe('text that may be JSON', () => {
  it('is the lowered form of untyped values, and keeps texts apart from JSON', () => {
    const tool = toolOf({ value: {} });
    expect(fieldsOf(tool, 'gemini')).toEqual({
      value: { type: 'string', description: 'Any value: text, or JSON text of another value.' },
    });
    for (const [value, text] of [
      ['hello', 'hello'],
      ['5', '"5"'],
      [5, '5'],
      [{ a: [1] }, '{"a":[1]}'],
      [null, 'null'],
      ['"x"', '"\\"x\\""'],
      ['12345678901234567890', '12345678901234567890'],
    ] as const) {
      expect(encode(tool, 'gemini', { value })).toEqual({ value: text });
      expect(decode(tool, 'gemini', { value: text })).toEqual({ value });
    }
    expect(decode(tool, 'gemini', { value: { a: 1 } })).toEqual({ value: { a: 1 } });
  });

  it('is read where Codex shows a union without text as text', () => {
    const tool = toolOf({ count: { anyOf: [{ type: 'integer' }, { type: 'null' }] } });
    const { tool: lowered, decode: toAuthored } = lowerTool(tool, 'codex');
    expect(lowered).toBe(tool);
    expect(toAuthored?.({ count: '5' })).toEqual({ count: 5 });
    expect(toAuthored?.({ count: 'five' })).toEqual({ count: 'five' });
  });
});

describe('keywords that Gemini rejects', () => {
  it('become accepted keywords, and words in the description', () => {
    const tool = toolOf({
      price: { type: 'number', exclusiveMinimum: 0, description: 'Price' },
      page: { type: 'integer', exclusiveMinimum: 0 },
      step: { type: 'integer', multipleOf: 5 },
      kind: { const: 'a' },
      level: { enum: [1, 2] },
      mail: { type: 'string', format: 'email', examples: ['a@b.example'] },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      note: { type: ['string', 'null'], description: 'Note.' },
    });
    expect(fieldsOf(tool, 'gemini')).toEqual({
      price: { type: 'number', minimum: 0, description: 'Price. Greater than 0.' },
      page: { type: 'integer', minimum: 1 },
      step: { type: 'integer', description: 'A multiple of 5.' },
      kind: { type: 'string', enum: ['a'] },
      level: { type: 'number', description: 'One of 1, 2.' },
      mail: { type: 'string', description: 'Format: email. Example: "a@b.example".' },
      tags: { type: 'array', items: { type: 'string' }, description: 'No duplicates.' },
      note: { type: 'string', nullable: true, description: 'Note.' },
    });
  });

  it('say which fields of alternatives at the root belong together', () => {
    expect(lowerTool(rejected, 'gemini').tool.inputSchema['description']).toBe(
      'kind: "tree" (filter[name]?, root), "line" (points).',
    );
    const either = toolOf(
      { id: { type: 'string' }, name: { type: 'string' } },
      { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
    );
    expect(lowerTool(either, 'anthropic').tool.inputSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      description: 'Give id; or name.',
    });
  });
});

describe('strict mode', () => {
  const tool = toolOf({
    name: { type: 'string' },
    note: { type: ['string', 'null'] },
    count: { type: ['integer', 'null'] },
  });

  it('requires everything, and tells a missing value from null', () => {
    expect(encode(tool, 'openai-strict', { name: 'a' })).toEqual({
      name: 'a',
      note: null,
      count: null,
      additional_fields: null,
    });
    expect(encode(tool, 'openai-strict', { note: null, count: null })).toEqual({
      name: null,
      note: 'null',
      count: 'null',
      additional_fields: null,
    });
    expect(encode(tool, 'openai-strict', { note: 'null' })).toMatchObject({ note: '"null"' });
    expect(
      decode(tool, 'openai-strict', { name: null, note: 'null', count: 5, additional_fields: '{"x":1}' }),
    ).toEqual({ note: null, count: 5, x: 1 });
  });

  it('tells alternatives with the same optional fields apart by their tag', () => {
    const by = (type: string, more: object): object => ({
      type: 'object',
      properties: { type: { const: type }, ...more },
      required: ['type', ...Object.keys(more)],
    });
    const parent = {
      oneOf: [
        by('page', { page_id: { type: 'string' } }),
        by('database', { database_id: { type: 'string' } }),
      ],
    };
    const args = { parent: { type: 'database', database_id: 'x' } };
    expect(encode(toolOf({ parent }, { required: ['parent'] }), 'openai-strict', args)).toMatchObject({
      parent: { type: 'database', database_id: 'x', additional_fields: null },
    });
  });

  it('keeps 100 properties and five levels, and the rest as JSON text', () => {
    const wide = toolOf(
      Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, { type: 'string' }])),
    );
    let nested: object = { type: 'string' };
    for (let level = 0; level < 8; level++)
      nested = { type: 'object', properties: { a: nested }, required: ['a'] };
    for (const given of [wide, toolOf({ nested })]) {
      expect(checkTools([lowerTool(given, 'openai-strict').tool], 'openai-strict')).toEqual([]);
    }
    const args = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, 'x']));
    expect(decode(wide, 'openai-strict', encode(wide, 'openai-strict', args) as Arguments)).toEqual(args);
  });
});

describe('references', () => {
  it('are not looked for in data', () => {
    const data = { $ref: '#/$defs/s' };
    const inputSchema = {
      type: 'object' as const,
      properties: {
        const: { $ref: '#/$defs/s' },
        fixed: { const: data },
        listed: { enum: [data, 'a'] },
        given: { type: 'object', default: data },
      },
      $defs: { s: { type: 'string' } },
    };
    expect(lowerTool({ name: 'a', inputSchema }, 'anthropic').tool.inputSchema).toEqual({
      type: 'object',
      properties: { ...inputSchema.properties, const: { type: 'string' } },
    });
  });

  it('are inlined where that is shorter, and stay where it is not', () => {
    const small = { type: 'string', maxLength: 5 };
    const large = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `field${index}`,
          { type: 'string', description: 'A field of the large object.' },
        ]),
      ),
    };
    const tool = toolOf(
      { a: { $ref: '#/$defs/small' }, b: { $ref: '#/$defs/large' }, c: { $ref: '#/$defs/large' } },
      { $defs: { small, large, unused: small } },
    );
    expect(lowerTool(tool, 'anthropic').tool.inputSchema).toEqual({
      type: 'object',
      properties: { a: small, b: { $ref: '#/$defs/large' }, c: { $ref: '#/$defs/large' } },
      $defs: { large },
    });
  });

  it('that double at each of 40 levels are cut by size', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        {
          type: 'object',
          properties: { 'x[]': { $ref: `#/$defs/d${index + 1}` }, y: { $ref: `#/$defs/d${index + 1}` } },
        },
      ]),
    );
    const tool = toolOf(
      { a: { $ref: '#/$defs/d0' } },
      { $defs: { ...definitions, d40: { type: 'string' } } },
    );
    for (const profile of profileNames) {
      const { tool: lowered } = lowerTool(tool, profile);
      expect(JSON.stringify(lowered).length).toBeLessThan(200_000);
      expect(checkTools([lowered], profile)).toEqual([]);
    }
  });
});

describe('names', () => {
  const named = (name: string): McpTool => ({ name, inputSchema: { type: 'object', properties: {} } });

  it('fit pattern and length, with the name of the server', () => {
    expect(lowerTool(named('a.b/c'), 'anthropic').tool.name).toBe('a_b_c');
    expect(lowerTool(named('1st'), 'gemini').tool.name).toBe('_1st');
    const long = 'x'.repeat(55);
    expect(lowerTool(named(long), 'cursor').tool.name).toBe(long);
    const { tool } = lowerTool(named(long), 'cursor', { serverName: 'server' });
    expect(tool.name).toHaveLength(53);
    expect(checkTools([tool], 'cursor', { serverName: 'server' })).toEqual([]);
  });

  it('stay distinct in a list, whatever its order, and an authored name stays', () => {
    const tools = ['a.b', 'a_b', 'a/b'].map(named);
    const names = lowerTools(tools, 'portable').map(({ tool }) => tool.name);
    expect(names[1]).toBe('a_b');
    expect(new Set(names).size).toBe(3);
    expect(lowerTools(tools.toReversed(), 'portable').map(({ tool }) => tool.name)).toEqual(
      names.toReversed(),
    );
  });

  it('of unknown profiles are rejected, because they have no rules', () => {
    expect(() => lowerTool(named('a'), 'claude' as ProfileName)).toThrow(ErrInvalidOptions);
    expect(() => checkTools([], 'toString' as ProfileName)).toThrow(
      /profile must be one of standard, portable/,
    );
  });
});

describe('the number of tools', () => {
  it('is reported for the whole list', () => {
    const tools = Array.from({ length: 129 }, (_, index) => ({ ...toolOf({}), name: `t${index}` }));
    expect(checkTools(tools, 'vscode')).toEqual([
      {
        rule: 'at-most-128-tools',
        tool: '',
        path: '',
        message: 'The list may have 128 tools, and it has 129.',
      },
    ]);
  });
});

describe('untrusted schemas', () => {
  it.each<[string, object]>([
    ['any value', {}],
    ['a union', { additionalProperties: { anyOf: [{ type: 'string' }, { type: 'object' }] } }],
  ])('with many required names that allow %s are lowered once for all of these names', (_what, more) => {
    const required = Array.from({ length: 20_000 }, (_, at) => `r${at}`);
    const fields = fieldsOf(toolOf({ a: { type: 'string' } }, { required, ...more }), 'portable');
    expect(Object.keys(fields)).toHaveLength(required.length + 1);
    // The first names are lowered one by one, until the limit of written schemas is reached.
    const written = new Set(required.map((name) => fields[name]));
    expect(written.size).toBeLessThan(1_000);
  });

  const object = (properties: Record<string, unknown>): Record<string, unknown> => ({
    type: 'object',
    properties,
  });
  const nest = (levels: number, around: (inner: unknown) => unknown): Record<string, unknown> => {
    let inner: unknown = { type: 'string' };
    for (let level = 0; level < levels; level++) inner = around(inner);
    return object({ a: inner });
  };
  const schemas: Readonly<Record<string, Record<string, unknown>>> = {
    'objects or null on 90 levels': nest(90, (inner) => ({
      type: ['object', 'null'],
      properties: { a: inner },
    })),
    'alternatives of objects or null on 45 levels': nest(45, (inner) => ({
      anyOf: [object({ a: inner }), { type: 'null' }],
    })),
    'alternatives of fields on 80 levels': nest(80, (inner) => ({
      type: 'object',
      additionalProperties: { oneOf: [inner, { type: 'boolean' }] },
    })),
    '250 objects of 100 fields each': object(
      Object.fromEntries(
        Array.from({ length: 250 }, (_, index) => [
          `o${index}`,
          object(
            Object.fromEntries(
              Array.from({ length: 100 }, (_each, field) => [`f${field}`, { type: 'string' }]),
            ),
          ),
        ]),
      ),
    ),
    'eight references to the next of 12 definitions': {
      ...object({ a: { $ref: '#/$defs/d0' } }),
      $defs: Object.fromEntries(
        Array.from({ length: 12 }, (_, index) => [
          `d${index}`,
          index === 11
            ? object({})
            : { oneOf: Array.from({ length: 8 }, () => ({ $ref: `#/$defs/d${index + 1}` })) },
        ]),
      ),
    },
  };
  it.each(Object.keys(schemas))('accepts the lowered form of %s in every profile', (title) => {
    for (const profile of profileNames) {
      const { tool } = lowerTool(
        { name: 't', inputSchema: schemas[title] as McpTool['inputSchema'] },
        profile,
      );
      expect(checkTools([tool], profile)).toEqual([]);
    }
  });

  it('gives distinct names to thousands of keys that differ only in characters that profiles reject', () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `a${String.fromCharCode(0x4e00 + index)}`);
    const schema = object(Object.fromEntries(keys.map((key) => [key, { type: 'string' }])));
    const { tool, decode } = lowerTool(
      { name: 't', inputSchema: schema as McpTool['inputSchema'] },
      'anthropic',
    );
    const names = Object.keys(tool.inputSchema['properties'] ?? {});
    expect(new Set(names).size).toBe(5_000);
    expect(Object.keys(decode?.(Object.fromEntries(names.map((name) => [name, 'x']))) ?? {})).toEqual(keys);
  });
});

describe('notes in descriptions', () => {
  const described = (schema: object, profile: ProfileName = 'portable'): string =>
    JSON.stringify(fieldsOf(toolOf({ a: schema }), profile)['a']);

  it('name the default of a nullable field where nothing may stand beside its alternatives', () => {
    const schema = { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Rows', default: 20 };
    expect(described(schema)).toContain('Rows. Default: 20.');
    for (const profile of ['standard', 'anthropic', 'codex', 'gemini'] as const)
      expect(described(schema, profile), profile).toContain('"default":20');
  });

  it('leave out a format that the description shows already', () => {
    expect(described({ type: 'string', format: 'date', description: 'Such as 2026-03-01' })).not.toContain(
      'Format',
    );
    expect(described({ type: 'string', format: 'uri', description: 'URL of the page' })).not.toContain(
      'Format',
    );
    expect(described({ type: 'string', format: 'date', description: 'First day' })).toContain(
      'First day. Format: date.',
    );
  });

  it('separate the description of a field from that of its alternative', () => {
    const schema = {
      description: 'null for none',
      anyOf: [{ type: 'string', description: 'Such as x' }, { type: 'null' }],
    };
    for (const profile of ['portable', 'gemini', 'openai-strict'] as const)
      expect(described(schema, profile)).toContain('null for none. Such as x');
  });

  it('keep the format of a text that may be null in the Gemini profile', () => {
    expect(described({ type: ['string', 'null'], format: 'date', description: 'Day' }, 'gemini')).toContain(
      'Day. Format: date.',
    );
  });

  it('name the value that each description belongs to', () => {
    expect(
      described({
        oneOf: [
          { const: 'a', description: 'First.' },
          { const: 'b', description: 'Second.' },
        ],
      }),
    ).toContain('a: First; b: Second');
  });

  it('say what not, if and contains require', () => {
    expect(described({ type: 'string', not: { enum: ['x', 'y'] } })).toContain('Not \\"x\\" or \\"y\\".');
    expect(described({ type: 'array', items: { type: 'string' }, contains: { const: 'z' } })).toContain(
      'Contains \\"z\\".',
    );
    const conditional = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string' } } };
    const condition = { if: { properties: { k: { const: 'x' } } }, then: { required: ['v'] } };
    expect(described({ ...conditional, ...condition })).toContain('If k is \\"x\\", give v.');
  });
});

describe('headers of arguments', () => {
  const header = 'Region';
  const rewritten = { type: 'integer', exclusiveMinimum: 1, 'x-mcp-header': header };

  it('stay with required arguments in every profile, also if their names or their schemas change', () => {
    const tool = toolOf(
      { a: rewritten, 'b[c]': rewritten },
      {
        required: ['a', 'b[c]'],
        additionalProperties: false,
      },
    );
    for (const profile of profileNames)
      for (const field of Object.values(fieldsOf(tool, profile)))
        expect(field, profile).toMatchObject({ type: 'integer', 'x-mcp-header': header });
  });

  it('are left out where an argument has more than one type, because MCP allows headers for one type only', () => {
    const optional = toolOf({ a: rewritten });
    expect(fieldsOf(optional, 'openai-strict')['a']).not.toHaveProperty('x-mcp-header');
    expect(fieldsOf(optional, 'gemini')['a']).toHaveProperty('x-mcp-header');
  });
});

describe('a list with invalid tools', () => {
  const valid = { name: 'a.b', inputSchema: { type: 'object' } };
  const invalid: readonly [unknown, string][] = [
    [null, ''],
    [{ inputSchema: { type: 'object' } }, '/name'],
    [{ name: 'x', description: null, inputSchema: { type: 'object' } }, '/description'],
    [{ name: 'x' }, '/inputSchema'],
  ];

  it.each(invalid)('has its valid tools processed, and reports %j', (tool, path) => {
    const list = [tool, valid] as McpTool[];
    const [first, second] = lowerTools(list, 'anthropic');
    expect(first).toMatchObject({ tool, changes: [{ rule: 'invalid-tool', path }] });
    expect(second?.tool.name).toBe('a_b');
    expect(checkTools(list, 'anthropic').map(({ rule }) => rule)).toContain('invalid-tool');
  });
});
