import { expect, test } from 'vitest';
import type { TreeNode } from '../../../../src/page-api.js';
import { filterNodes } from '../../ui/list/tree-model.js';
import { createMatcher, mostSevere, noFilter } from './tree-filter.js';

function node(part: Partial<TreeNode> & Pick<TreeNode, 'id' | 'kind' | 'depth' | 'size'>): TreeNode {
  return { name: part.id, scopes: [], ...part };
}

const nodes: readonly TreeNode[] = [
  node({ id: 'shop', kind: 'tool', depth: 0, size: 3, address: 'shop', hints: { destructive: true } }),
  node({ id: 'orders', kind: 'group', depth: 1, size: 2, scopes: ['write'] }),
  node({
    id: 'cancel',
    kind: 'action',
    depth: 2,
    size: 0,
    address: 'shop/cancel',
    description: 'Gives the money back',
    hints: { destructive: true },
    scopes: ['write'],
  }),
  node({
    id: 'list',
    kind: 'action',
    depth: 2,
    size: 0,
    address: 'shop/list',
    hints: { readOnly: true },
  }),
  node({ id: 'ping', kind: 'tool', depth: 0, size: 0, address: 'ping' }),
];

const findings = {
  // One finding of its own, and the one of `list`.
  shop: { error: 0, warning: 1, note: 1 },
  orders: { error: 0, warning: 1, note: 0 },
  list: { error: 0, warning: 1, note: 0 },
  ping: { error: 1, warning: 0, note: 0 },
};

const shown = (filter: Partial<typeof noFilter>) =>
  filterNodes(nodes, createMatcher({ ...noFilter, ...filter }, findings)).map(({ id }) => id);

test('finds words in addresses and descriptions', () => {
  expect(shown({ query: 'SHOP money' })).toEqual(['shop', 'orders', 'cancel']);
});

test('shows only what is destructive, with its tool and group', () => {
  expect(shown({ onlyDestructive: true })).toEqual(['shop', 'orders', 'cancel']);
});

test('shows only what needs a scope', () => {
  expect(shown({ onlyScoped: true })).toEqual(['shop', 'orders', 'cancel']);
});

test('combines conditions', () => {
  expect(shown({ onlyFindings: true, query: 'list' })).toEqual(['shop', 'orders', 'list']);
});

test('sorts the worst findings first, and leaves the findings of actions out of those of their tool', () => {
  expect(mostSevere(nodes, findings, 5).map(({ node: { id } }) => id)).toEqual(['ping', 'list', 'shop']);
  expect(mostSevere(nodes, findings, 5).at(-1)?.counts).toEqual({ error: 0, warning: 0, note: 1 });
});
