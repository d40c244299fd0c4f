import type { CostNode, CostReport } from '../../../../src/devtools/page-api.js';

/** A node of the cost, with the share that its parts have in common. */
export interface CostItem {
  readonly name: string;
  readonly kind: CostNode['kind'] | 'shared' | 'others' | 'all';
  readonly address?: string | undefined;
  readonly tokens: number;
  readonly parts?: CostNode['parts'];
  readonly children: readonly CostItem[];
}

/** The whole report as one item. */
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
 * The actions of a tool share fields, so that their tokens rarely add up to those of the tool. The rest is an item of its own. If
 * they are more than the tool, they are its share of the tool.
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

/** Follows names downwards. Stops where a name does not exist any more. */
export function findPath(root: CostItem, names: readonly string[]): readonly CostItem[] {
  const path = [root];
  for (const name of names) {
    const next = path.at(-1)?.children.find((item) => item.name === name && item.children.length > 0);
    if (!next) break;
    path.push(next);
  }
  return path;
}

/** The items, the most expensive first. Those after the limit become one item. */
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
