import { describe, expect, it } from 'vitest';
import { mapChildren, pointerOf, walkSchema } from './walk-schema.js';
import type { SchemaNode } from './walk-schema.js';

function nodesOf(schema: Record<string, unknown>, maxDepth?: number): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  walkSchema(schema, (node) => void nodes.push(node), maxDepth);
  return nodes;
}

const pointersOf = (schema: Record<string, unknown>, maxDepth?: number): string[] =>
  nodesOf(schema, maxDepth).map((node) => pointerOf(node, ''));

describe('a walk through a schema', () => {
  it('visits the subschemas of both dialects in the order in which they are written', () => {
    const schema = {
      properties: { 'a/b': { items: [{}, true] }, c: { dependencies: { d: ['e'], f: {} } } },
      anyOf: [{ not: {} }, { prefixItems: [{}], additionalItems: {} }],
      $defs: { g: {} },
      default: { properties: { data: {} } },
    };
    expect(pointersOf(schema)).toEqual([
      '',
      '/properties/a~1b',
      '/properties/a~1b/items/0',
      '/properties/a~1b/items/1',
      '/properties/c',
      '/properties/c/dependencies/f',
      '/anyOf/0',
      '/anyOf/0/not',
      '/anyOf/1',
      '/anyOf/1/prefixItems/0',
      '/anyOf/1/additionalItems',
      '/$defs/g',
    ]);
  });

  it('visits what is well-formed in a malformed schema', () => {
    const schema = { properties: { a: 1, b: {} }, anyOf: [null, {}], allOf: 'x', items: null, not: [3] };
    expect(pointersOf(schema)).toEqual(['', '/properties/b', '/anyOf/1']);
  });

  it('knows the fields, those that are required, and the number of levels', () => {
    const inner = { properties: { b: true }, required: ['b'] };
    const [root, a, branch, b] = nodesOf({ properties: { a: { anyOf: [inner] } }, required: [1, 'b'] });
    expect(root).toMatchObject({ isRoot: true, field: undefined, fields: 0, depth: 0 });
    expect(a).toMatchObject({ isRoot: false, field: 'a', isRequired: false, fields: 1, depth: 1 });
    expect(branch).toMatchObject({ field: undefined, fields: 1, depth: 1 + 1 / 64, isBoolean: false });
    expect(b).toMatchObject({ field: 'b', isRequired: true, fields: 2, isBoolean: true, schema: {} });
  });

  it('stops below the maximum depth, after 20,000 subschemas, and when a visitor returns false', () => {
    expect(pointersOf({ items: { items: { items: {} } } }, 0)).toEqual(['', '/items']);
    const wide = { anyOf: Array.from({ length: 30_000 }, () => ({})) };
    let count = 0;
    expect(walkSchema(wide, () => void count++)).toBe(false);
    expect(count).toBe(20_001);
    expect(walkSchema(wide, () => ++count < 20_010)).toBe(true);
    expect(count).toBe(20_010);
  });

  it('copies a schema with its subschemas replaced, and nothing else', () => {
    const schema = { properties: JSON.parse('{"__proto__":{},"a":1}'), enum: [{}], not: {}, items: [{}, {}] };
    expect(JSON.stringify(mapChildren(schema, () => 'x'))).toBe(
      '{"properties":{"__proto__":"x","a":"x"},"enum":[{}],"not":"x","items":["x","x"]}',
    );
  });
});
