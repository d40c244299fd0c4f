import type { CostNode, CostReport } from '../../../../src/page-api.js';

/**
 * A node of the cost tree. Besides the report's nodes, it includes the tokens that actions share (`shared`) and small
 * items combined into one (`others`).
 */
export interface CostItem {
  readonly name: string;
  readonly kind: CostNode['kind'] | 'shared' | 'others' | 'all';
  readonly address?: string | undefined;
  readonly tokens: number;
  readonly parts?: CostNode['parts'];
  readonly children: readonly CostItem[];
}

/** Converts the whole report to one item, the root of the tree. */
export function rootOf(report: CostReport): CostItem {
  return {
    name: 'All tools',
    kind: 'all',
    tokens: report.tokens,
    parts: report.parts,
    children: report.nodes.map(toItem),
  };
}

function toItem(node: CostNode): CostItem {
  return { ...node, children: withShared(node) };
}

/**
 * Lists the actions of a tool. They share fields, so their tokens rarely add up to those of the tool. The difference
 * becomes an item; if the sum is larger, the actions are scaled down.
 */
function withShared({ tokens, children }: CostNode): CostItem[] {
  const items = children.map(toItem);
  if (items.length === 0) return items;
  const sum = items.reduce((total, item) => total + item.tokens, 0);
  if (sum > tokens && sum > 0)
    return items.map((item) => ({ ...item, tokens: Math.round((item.tokens * tokens) / sum) }));
  return sum < tokens
    ? [...items, { name: 'shared by all', kind: 'shared', tokens: tokens - sum, children: [] }]
    : items;
}

/** Follows names down the tree. Stops at the first name that does not exist. */
export function findPath(root: CostItem, names: readonly string[]): readonly CostItem[] {
  const path = [root];
  for (const name of names) {
    const next = path.at(-1)?.children.find((item) => item.name === name && item.children.length > 0);
    if (!next) break;
    path.push(next);
  }
  return path;
}

/** Returns the most expensive items. Combines the items after the limit into one. */
export function topItems(items: readonly CostItem[], limit: number): CostItem[] {
  const sorted = items.filter(({ tokens }) => tokens > 0).toSorted((one, other) => other.tokens - one.tokens);
  if (sorted.length <= limit) return sorted;
  const rest = sorted.slice(limit - 1);
  return [
    ...sorted.slice(0, limit - 1),
    {
      name: `${rest.length.toLocaleString('en')} others`,
      kind: 'others',
      tokens: rest.reduce((sum, { tokens }) => sum + tokens, 0),
      children: [],
    },
  ];
}
