import { expect } from 'vitest';
import { ToolRegistry } from '../../src/index.js';
import { checkTools, lowerTool } from '../../src/profiles.js';
import type { ProfileName } from '../../src/profiles.js';
import type { McpTool } from '../../src/protocol/mcp-types.js';

const number = { type: 'number', exclusiveMinimum: 0 };
const text = { type: 'string' };

/** Tools that model providers reject, each with valid arguments, and with wrong ones and the field that the error names. */
const cases = [
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

interface Called {
  readonly isError?: boolean | undefined;
  readonly content: readonly unknown[];
}

/** The parts of both official clients that the checks use. */
export interface SurfaceClient {
  list(): Promise<readonly McpTool[]>;
  call(name: string, args: Record<string, unknown>): Promise<Called>;
}

/** Lists the tools, checks that the profile accepts them, and calls each with valid and wrong arguments. */
export async function checkSurface(client: SurfaceClient, profile: ProfileName): Promise<void> {
  const authored = createRejected().view().authored?.listTools('2025-11-25') ?? [];
  expect(checkTools(authored, profile)).not.toEqual([]);
  const listed = await client.list();
  expect(checkTools(listed, profile)).toEqual([]);
  for (const [at, { name, valid, wrong, field }] of cases.entries()) {
    const { encode = (args) => args } = lowerTool(authored[at] as McpTool, profile);
    const shown = listed[at]?.name ?? '';
    const given = encode(valid);
    const answer = await client.call(shown, { ...given });
    expect([name, textOf(answer), answer.isError]).toEqual([name, JSON.stringify(valid), undefined]);
    const rejected = await client.call(shown, { ...encode(wrong) });
    expect([name, rejected.isError]).toEqual([name, true]);
    expect(textOf(rejected)).toMatch(/^Validation failed/);
    expect(textOf(rejected)).toContain(field);
    // Typed clients send the arguments of the author.
    expect(textOf(await client.call(name, valid))).toBe(JSON.stringify(valid));
  }
}

function textOf({ content: [first] }: Called): string {
  return (first as { text?: string } | undefined)?.text ?? '';
}
