import { describe, expect, test } from 'vitest';
import { ancestorsOf, filterNodes, visibleRows } from './tree-model.js';

/** a(b(c, d), e), f */
const nodes = [
  { id: 'a', depth: 0, size: 4 },
  { id: 'b', depth: 1, size: 2 },
  { id: 'c', depth: 2, size: 0 },
  { id: 'd', depth: 2, size: 0 },
  { id: 'e', depth: 1, size: 0 },
  { id: 'f', depth: 0, size: 0 },
];

describe('visibleRows', () => {
  test('leaves out what is below closed nodes', () => {
    const rows = visibleRows(nodes, ({ id }) => id === 'a');
    expect(rows.map(({ node }) => node.id)).toEqual(['a', 'b', 'e', 'f']);
    expect(rows.map(({ isExpanded }) => isExpanded)).toEqual([true, false, false, false]);
  });

  test('counts the place of each node among its siblings', () => {
    const rows = visibleRows(nodes, () => true);
    expect(rows.map(({ node, position, siblings }) => `${node.id} ${position}/${siblings}`)).toEqual([
      'a 1/2',
      'b 1/2',
      'c 1/2',
      'd 2/2',
      'e 2/2',
      'f 2/2',
    ]);
  });

  test('never calls a node without children expanded', () => {
    expect(visibleRows([{ id: 'x', depth: 0, size: 0 }], () => true)[0]?.isExpanded).toBe(false);
  });
});

describe('filterNodes', () => {
  test('keeps hits with the nodes above them, and counts what is left below', () => {
    expect(filterNodes(nodes, ({ id }) => id === 'd')).toEqual([
      { id: 'a', depth: 0, size: 2 },
      { id: 'b', depth: 1, size: 1 },
      { id: 'd', depth: 2, size: 0 },
    ]);
  });

  test('keeps a hit above hits once', () => {
    expect(filterNodes(nodes, ({ id }) => id === 'a' || id === 'e').map(({ id }) => id)).toEqual(['a', 'e']);
  });

  test('is empty without hits', () => {
    expect(filterNodes(nodes, () => false)).toEqual([]);
  });
});

test('finds the nodes above one, the nearest last', () => {
  expect(ancestorsOf(nodes, 3)).toEqual(['a', 'b']);
  expect(ancestorsOf(nodes, 5)).toEqual([]);
});
