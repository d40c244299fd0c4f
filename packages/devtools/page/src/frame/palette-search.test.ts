import { expect, test } from 'vitest';
import type { TreeNode } from '../../../src/page-api.js';
import { findEntries, paletteEntries } from './palette-search.js';

function node(address: string, description: string): TreeNode {
  const kind = address.includes('/') ? 'action' : 'tool';
  return { id: address, kind, depth: 0, size: 0, name: address, address, description, scopes: [] };
}

const entries = paletteEntries(
  [
    node('shop/orders.list', 'Lists orders'),
    node('orders', 'Everything else'),
    node('shop/orders.cancel', 'Gives the money back'),
    node('shop/orders.cancel', 'The same tool in another toolset'),
  ],
  [{ key: 'cost', title: 'Cost' }],
);

const find = (query: string) =>
  findEntries(entries, query).map((entry) => (entry.kind === 'section' ? entry.title : entry.address));

test('lists sections first, and each address once', () => {
  expect(find('')).toEqual(['Cost', 'shop/orders.list', 'orders', 'shop/orders.cancel']);
});

test('prefers exact names to beginnings, and names to descriptions', () => {
  expect(find('orders')).toEqual(['orders', 'shop/orders.list', 'shop/orders.cancel']);
  expect(find('else')).toEqual(['orders']);
});

test('needs every word, and takes characters of patterns literally', () => {
  expect(find('shop same')).toEqual(['shop/orders.cancel']);
  expect(find('shop money')).toEqual([]);
  expect(find('o.*s')).toEqual([]);
});

test('finds sections', () => {
  expect(find('cost')).toEqual(['Cost']);
});
