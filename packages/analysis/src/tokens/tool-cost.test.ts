import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { githubTools } from '../../../../test/catalog/github.js';
import type { McpTool } from 'toolfold/model';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import { addParts, splitCost } from './tool-cost.js';

const counter = createTokenCounter();
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const github = githubTools as unknown as readonly McpTool[];

const schemas = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constantFrom('string', 'integer'), description: fc.string(), default: fc.string() },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        description: fc.string(),
        properties: fc.dictionary(
          fc.oneof(fc.constantFrom('description', '__proto__', 'items'), fc.string({ maxLength: 8 })),
          tie('schema'),
          { maxKeys: 4 },
        ),
        anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        items: tie('schema'),
      },
      { requiredKeys: ['type'] },
    ),
  ),
})).schema;
const tools = fc.record(
  { name: fc.string(), description: fc.string(), inputSchema: schemas },
  { requiredKeys: ['name', 'inputSchema'] },
) as unknown as fc.Arbitrary<McpTool>;

describe('the cost of a tool', () => {
  it('is the sum of its parts, none of which is negative', () => {
    fc.assert(
      fc.property(tools, (tool) => {
        const parts = Object.values(splitCost(tool, counter)) as number[];
        expect(sum(parts)).toBe(countTool(tool, counter));
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('adds up to the list: the parts of all tools, and the JSON of the whole list without its brackets', () => {
    const total = sum(github.map((tool) => countTool(tool, counter)));
    expect(sum(Object.values(addParts(github.map((tool) => splitCost(tool, counter)))))).toBe(total);
    const whole = JSON.stringify(
      github.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    );
    // A comma between two tools is a token of its own, or part of the token at the end of a tool.
    expect(Math.abs(counter.count(whole) - total)).toBeLessThanOrEqual(github.length + 1);
  });

  it('counts descriptions of fields at every depth, and no field that is named description', () => {
    const text = 'A text of several words about a field';
    const partsOf = (inputSchema: object) =>
      splitCost({ name: 'a', inputSchema: inputSchema as McpTool['inputSchema'] }, counter);
    const named = {
      type: 'object',
      properties: { description: { type: 'string' } },
      required: ['description'],
    };
    expect(partsOf(named).fields).toBe(0);
    expect(partsOf({ type: 'object', default: { description: text } }).fields).toBe(0);
    for (const place of [
      { properties: { a: { description: text } } },
      { $defs: { a: { items: { anyOf: [{ description: text }] } } } },
      { prefixItems: [{ not: { description: text } }] },
      { additionalProperties: { description: text } },
      { properties: { description: { description: text } } },
    ])
      expect(partsOf({ type: 'object', ...place }).fields).toBeGreaterThan(7);
  });
});
