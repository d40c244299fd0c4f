import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import * as v from 'valibot';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod3';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { JsonSchemaObject, SchemaSource, UnknownFields } from '@toolfold/schema';

const nested = { type: 'object', properties: { x: { type: 'string' } } };

/** Schemas of an object with the field `a`, and whether they declare that they accept other fields. */
const sources: readonly (readonly [name: string, schema: SchemaSource, isOpen: boolean])[] = [
  ['a raw shape of Zod', { a: z.string() }, false],
  ['a Zod object', z.object({ a: z.string() }), false],
  ['a refined Zod object', z.object({ a: z.string() }).refine(() => true), false],
  ['a strict Zod object', z.strictObject({ a: z.string() }), false],
  ['a loose Zod object', z.looseObject({ a: z.string() }), true],
  ['a Zod object with a catchall', z.object({ a: z.string() }).catchall(z.number()), true],
  ['a union of Zod objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), false],
  ['a Zod 3 object', z3.object({ a: z3.string() }) as never, false],
  ['a strict Zod 3 object', z3.object({ a: z3.string() }).strict() as never, false],
  ['a Zod 3 object with a catchall', z3.object({ a: z3.string() }).catchall(z3.number()) as never, true],
  ['a Valibot object', toStandardJsonSchema(v.object({ a: v.string() })), false],
  ['a strict Valibot object', toStandardJsonSchema(v.strictObject({ a: v.string() })), false],
  ['an ArkType object', type({ a: 'string' }), false],
  ['JSON Schema', { type: 'object', properties: { a: { type: 'string' } } }, false],
  ['JSON Schema with fields that are only required', { type: 'object', required: ['a'] }, false],
  [
    'JSON Schema with dependent fields',
    { type: 'object', properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
    false,
  ],
  [
    'closed JSON Schema',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    false,
  ],
  [
    'open JSON Schema',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
    true,
  ],
  [
    'JSON Schema with patterns',
    { type: 'object', properties: { a: { type: 'string' } }, patternProperties: { '^other': {} } },
    true,
  ],
  [
    'composed JSON Schema',
    { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: nested } }] },
    false,
  ],
  [
    'draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { $ref: '#/definitions/a' } },
      definitions: { a: { type: 'string' } },
    },
    false,
  ],
];

const ajv = new Ajv2020({ strict: false });
const handler = () => 'done';

/** Each tool that has the schema, with the arguments that its calls need besides. */
function toolsOf(inputSchema: SchemaSource, unknownFields: UnknownFields) {
  const grouped = (name: string) => new GroupedToolBuilder(name).unknownFields(unknownFields);
  const registry = new ToolRegistry().register(
    grouped('group').action({ name: 'run', inputSchema, handler }).action({ name: 'ping', handler }),
    grouped('shared')
      .commonSchema(z.object({ workspace: z.string() }))
      .action({ name: 'run', inputSchema, handler }),
  );
  if (unknownFields === 'strict')
    registry.register({ name: 'alone', description: 'Runs', inputSchema, handler });
  const shared = { workspace: 'w' };
  return [
    { registry, form: 'grouped', name: 'group', extra: { action: 'run' } },
    { registry, form: 'grouped', name: 'shared', extra: { action: 'run', ...shared } },
    { registry, form: 'flat', name: 'group_run', extra: {} },
    { registry, form: 'flat', name: 'shared_run', extra: shared },
    ...(unknownFields === 'strict' ? [{ registry, form: 'flat', name: 'alone', extra: {} } as const] : []),
  ] as const;
}

describe.each(['strict', 'strip'] as const)('with unknownFields %s', (unknownFields) => {
  it.each(sources)(
    'a listed schema accepts another field exactly if the call does: %s',
    async (_, schema, isOpen) => {
      for (const { registry, form, name, extra } of toolsOf(schema, unknownFields)) {
        const view = registry.view({ form, profile: 'anthropic' });
        const { inputSchema } = view.listTools().find((tool) => tool.name === name)!;
        const listed = ajv.compile(inputSchema as JsonSchemaObject);
        const call = async (args: Record<string, unknown>) =>
          (await registry.executeTool({ name, arguments: args }, view)).isError !== true;
        const known = { ...extra, a: 'text' };
        expect(listed(known), name).toBe(true);
        expect(await call(known), name).toBe(true);
        const more = { ...known, other: 5 };
        expect(listed(more), name).toBe(isOpen || unknownFields === 'strip');
        expect(await call(more), name).toBe(isOpen || unknownFields === 'strip');
      }
    },
  );
});

it.each<[string, SchemaSource, boolean]>([
  ['a Zod object', z.object({ at: z.object({ x: z.string() }) }), true],
  ['a strict Zod object', z.object({ at: z.strictObject({ x: z.string() }) }), false],
  ['a strict Zod 3 object', z3.object({ at: z3.object({ x: z3.string() }).strict() }) as never, false],
  ['JSON Schema', { type: 'object', properties: { at: nested } }, true],
  [
    'closed JSON Schema',
    { type: 'object', properties: { at: { ...nested, additionalProperties: false } } },
    false,
  ],
])(
  'a nested object is listed as closed exactly if it rejects other fields: %s',
  async (_, schema, isOpen) => {
    for (const { registry, form, name, extra } of toolsOf(schema, 'strict')) {
      const view = registry.view({ form, profile: 'anthropic' });
      const { inputSchema } = view.listTools().find((tool) => tool.name === name)!;
      const more = { ...extra, at: { x: 'text', other: 5 } };
      expect(ajv.compile(inputSchema as JsonSchemaObject)(more), name).toBe(isOpen);
      const { isError = false } = await registry.executeTool({ name, arguments: more }, view);
      expect(isError, name).toBe(!isOpen);
    }
  },
);

it('a schema that the author lists by hand is not changed', () => {
  const inputJsonSchema = { type: 'object', properties: { a: { type: 'string' } } };
  const registry = new ToolRegistry().register({
    name: 'alone',
    description: 'Runs',
    inputSchema: { a: z.string().optional() },
    metadata: { inputJsonSchema },
    handler,
  });
  expect(registry.view({ profile: 'anthropic' }).listTools()[0]?.inputSchema).toEqual(inputJsonSchema);
});

it('an open action accepts any value for the fields of its siblings, which keep their listed types', async () => {
  const registry = new ToolRegistry().register(
    new GroupedToolBuilder('notes')
      .action({ name: 'write', inputSchema: { text: z.string() }, handler })
      .action({ name: 'raw', inputSchema: z.looseObject({}), handler: ({ input }) => input }),
  );
  expect(registry.view({ profile: 'anthropic' }).listTools()[0]?.inputSchema).toMatchObject({
    properties: { text: { type: 'string', description: 'Required for: write' } },
    additionalProperties: { description: 'Any other field. For: raw' },
  });
  const call = (args: object) => registry.executeTool({ name: 'notes', arguments: { ...args } });
  expect(await call({ action: 'raw', text: 5, more: [1] })).toMatchObject({
    content: [{ text: '{"text":5,"more":[1]}' }],
  });
  expect(await call({ action: 'write', text: 'a', more: 1 })).toMatchObject({ isError: true });
});
