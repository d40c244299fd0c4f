import type { FindingCounts, TreeFindings, TreeNode } from '../../../../src/devtools/page-api.js';
import { riskOf } from '../../ui/badge.js';

/** The filter of the tree. A node must meet every condition. */
export interface TreeFilter {
  readonly query: string;
  readonly onlyFindings: boolean;
  readonly onlyDestructive: boolean;
  readonly onlyScoped: boolean;
}

export const noFilter: TreeFilter = {
  query: '',
  onlyFindings: false,
  onlyDestructive: false,
  onlyScoped: false,
};

export function isFiltering({ query, onlyFindings, onlyDestructive, onlyScoped }: TreeFilter): boolean {
  return query.trim() !== '' || onlyFindings || onlyDestructive || onlyScoped;
}

/**
 * Tests a node. Toolsets and groups, and tools with actions, sum up what is below them, so that the conditions about findings,
 * risks and scopes are those of the nodes without children. The nodes above a hit are always shown.
 */
export function createMatcher(
  filter: TreeFilter,
  findings: TreeFindings['byNode'],
): (node: TreeNode) => boolean {
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  const hasCondition = filter.onlyFindings || filter.onlyDestructive || filter.onlyScoped;
  return (node) => {
    if (hasCondition && node.size > 0 && node.kind !== 'tool') return false;
    if (filter.onlyFindings && findings[node.id] === undefined) return false;
    if (filter.onlyDestructive && riskOf(node.hints) !== 'destructive') return false;
    if (filter.onlyScoped && node.scopes.length === 0) return false;
    if (words.length === 0) return true;
    const text = `${node.address ?? ''} ${node.name} ${node.description ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

export function total({ error, warning, note }: FindingCounts): number {
  return error + warning + note;
}

/** The worst severity of some findings. */
export function worst(counts: FindingCounts): 'error' | 'warning' | 'note' {
  if (counts.error > 0) return 'error';
  return counts.warning > 0 ? 'warning' : 'note';
}

/** A node with its findings. */
export interface MarkedNode {
  readonly node: TreeNode;
  readonly counts: FindingCounts;
}

/** The nodes with the worst findings of their own, each address once. Those of actions do not count for their tool. */
export function mostSevere(
  nodes: readonly TreeNode[],
  findings: TreeFindings['byNode'],
  limit: number,
): MarkedNode[] {
  const byAddress = new Map<string, MarkedNode>();
  for (const [at, node] of nodes.entries()) {
    if (node.address === undefined) continue;
    const below = nodes.slice(at + 1, at + 1 + node.size).filter(({ kind }) => kind === 'action');
    const counts = below.reduce(
      (left, { id }) => subtract(left, findings[id] ?? none),
      findings[node.id] ?? none,
    );
    if (total(counts) > 0) byAddress.set(node.address, { node, counts });
  }
  return [...byAddress.values()].toSorted((one, other) => weight(other) - weight(one)).slice(0, limit);
}

const none: FindingCounts = { error: 0, warning: 0, note: 0 };

/** A finding about two actions counts in both, but once in their tool. */
function subtract(one: FindingCounts, other: FindingCounts): FindingCounts {
  return {
    error: Math.max(0, one.error - other.error),
    warning: Math.max(0, one.warning - other.warning),
    note: Math.max(0, one.note - other.note),
  };
}

function weight({ counts }: MarkedNode): number {
  return counts.error * 1e6 + counts.warning * 1e3 + counts.note;
}
