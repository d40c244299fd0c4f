import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createToolSearch } from '@toolfold/search';
import type { ToolSearchDocument } from '@toolfold/search';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

const { tools } = read('../data/search-calibration-showcase-tools.json') as {
  readonly tools: readonly ToolSearchDocument[];
};
const sidecar = read('../../examples/showcase/search.json') as {
  readonly tools: Readonly<Record<string, object>>;
};

describe.each([
  ['without keywords', tools],
  ['with keywords', tools.map((tool) => ({ ...tool, ...sidecar.tools[tool.address] }))],
])('a search over the actions of the showcase %s', (_, documents) => {
  const find = (query: string): string[] =>
    createToolSearch(documents)
      .search(query)
      .map(({ address }) => address);

  it('finds the report of a category in a month among the first two', () => {
    const found = find('How much was spent in a category in a month');
    expect(found.slice(0, 2)).toContain('reports/spending');
  });

  it('finds the action that transfers money among the first five', () => {
    expect(find('transfer between accounts').slice(0, 5)).toContain('transfers/make');
  });

  it('puts the thing first whose operations a query lists', () => {
    expect(find('create, update, delete a transaction')[0]).toMatch(/^transactions/);
  });

  it('puts the action that marks transactions before the riskier reconciliation of an account', () => {
    const found = find('mark transactions as cleared');
    expect(found[0]).toBe('transactions/mark_cleared');
    expect(found).toContain('accounts/reconcile');
  });
});
