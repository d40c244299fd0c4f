import type { JsonSchemaObject, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const contact: JsonSchemaObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Tools with advanced JSON Schema keywords. */
export function addSchemaTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'json_schema_2020_12_tool',
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: contact,
      // Publish the schema as written. By default, schemas contain only keywords that all known clients accept.
      metadata: { inputJsonSchema: contact },
      readOnly: true,
      handler: ({ input }) => input,
    },
    {
      name: 'test_header_parameter',
      description: 'Takes an argument that clients of 2026-07-28 repeat in the header Mcp-Param-Region',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
      readOnly: true,
      handler: ({ input }) => `region: ${input.region}`,
    },
    {
      name: 'test_structured_content',
      description: 'Answers with an object of a known form',
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ city: z.string(), celsius: z.number() }),
      readOnly: true,
      handler: ({ input }) => ({ city: input.city, celsius: 21.5 }),
    },
  );
}
