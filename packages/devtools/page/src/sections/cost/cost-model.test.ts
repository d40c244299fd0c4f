import { expect, test } from 'vitest';
import type { CostNode, CostReport } from '../../../../src/page-api.js';
import { findPath, rootOf, topItems } from './cost-model.js';
import { layoutTiles } from './treemap-layout.js';

const leaf = (name: string, tokens: number): CostNode => ({ name, kind: 'action', tokens, children: [] });

function report(nodes: readonly CostNode[]): CostReport {
  return {
    form: 'grouped',
    profile: 'portable',
    tokenizer: 'o200k',
    counted: '',
    isExact: true,
    tokens: nodes.reduce((sum, { tokens }) => sum + tokens, 0),
    parts: { name: 0, description: 0, fields: 0, schema: 0 },
    nodes,
  };
}

const shop: CostNode = { name: 'shop', kind: 'tool', tokens: 100, children: [leaf('a', 30), leaf('b', 20)] };

test('makes an item of the tokens that actions share', () => {
  const [item] = rootOf(report([shop])).children;
  expect(item?.children.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['a', 30],
    ['b', 20],
    ['shared by all', 50],
  ]);
});

test('shrinks actions that would cost more than their tool', () => {
  const [item] = rootOf(report([{ ...shop, tokens: 25 }])).children;
  expect(item?.children.map(({ tokens }) => tokens)).toEqual([15, 10]);
});

test('follows a path as far as it exists', () => {
  const root = rootOf(report([shop]));
  expect(findPath(root, ['shop', 'gone']).map(({ name }) => name)).toEqual(['All tools', 'shop']);
});

test('sums up what is after the limit', () => {
  const items = topItems(rootOf(report([leaf('a', 1), leaf('b', 3), leaf('c', 2)])).children, 2);
  expect(items.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['b', 3],
    ['2 others', 3],
  ]);
});

test('lays out areas in proportion to tokens, within the given size, and at most 80 of them', () => {
  const root = rootOf(report(Array.from({ length: 10_000 }, (_, index) => leaf(`t${index}`, index + 1))));
  const tiles = layoutTiles(root, 800, 400);
  expect(tiles).toHaveLength(80);
  for (const { x, y, width, height } of tiles) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(800);
    expect(y + height).toBeLessThanOrEqual(400);
  }
  const [first, second] = layoutTiles(rootOf(report([leaf('a', 300), leaf('b', 100)])), 400, 100);
  expect((first?.width ?? 0) / (second?.width ?? 1)).toBeCloseTo(3, 0);
});
