import { ToolRegistry } from 'toolfold';

const number = { type: 'number', exclusiveMinimum: 0 };
const text = { type: 'string' };

/** Tools that model providers reject, each with valid arguments, and with wrong ones and the field that the error names. */
export const cases = [
  {
    name: 'files.move',
    inputSchema: { type: 'object', properties: { from: text, to: text }, required: ['from', 'to'] },
    valid: { from: 'a', to: 'b' },
    wrong: { from: 'a' },
    field: 'to',
  },
  {
    name: 'area',
    inputSchema: {
      type: 'object',
      oneOf: [
        { properties: { kind: { const: 'circle' }, radius: number }, required: ['kind', 'radius'] },
        { properties: { kind: { const: 'square' }, side: number }, required: ['kind', 'side'] },
      ],
    },
    valid: { kind: 'square', side: 2 },
    wrong: { kind: 'square', radius: 2 },
    field: 'kind',
  },
  {
    name: 'find',
    inputSchema: {
      type: 'object',
      properties: { 'filter[name]': text, 'filter[größer als]': { type: 'number', multipleOf: 0.5 } },
      required: ['filter[name]'],
      additionalProperties: false,
    },
    valid: { 'filter[name]': 'x', 'filter[größer als]': 1.5 },
    wrong: { 'filter[größer als]': 1.5 },
    field: 'filter[name]',
  },
  {
    name: 'plant',
    inputSchema: {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      required: ['root'],
      $defs: {
        node: {
          type: 'object',
          properties: { label: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['label'],
        },
      },
    },
    valid: {
      root: {
        label: '1',
        children: [{ label: '2', children: [{ label: '3', children: [{ label: '4', children: [] }] }] }],
      },
    },
    wrong: { root: { label: '1', children: [{ children: [] }] } },
    field: 'label',
  },
  {
    name: 'place',
    inputSchema: {
      type: 'object',
      properties: {
        at: { type: 'array', prefixItems: [{ type: 'number' }, text], items: false, minItems: 2 },
      },
      required: ['at'],
    },
    valid: { at: [5, 'north'] },
    wrong: { at: ['north', 5] },
    field: 'at',
  },
] as const;

/** A registry of these tools. Each call returns its arguments as the handler gets them. */
export function createRejected(): ToolRegistry {
  const registry = new ToolRegistry({ name: 'rejected', wireNames: 'any' });
  for (const { name, inputSchema } of cases)
    registry.register({
      name,
      description: `The tool ${name}`,
      inputSchema: inputSchema as never,
      handler: ({ input }) => JSON.stringify(input),
    });
  return registry;
}
