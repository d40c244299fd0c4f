import type { FindingCounts, TreeFindings, TreeNode } from '../../../../src/page-api.js';
import { riskOf } from '../../ui/badge.js';

/** The conditions of the filter. A node must meet all of them. */
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
 * Tests a node. Toolsets, groups and tools with actions only summarise, so conditions about findings, risks and scopes apply to
 * nodes without children. Ancestors of a match are always shown.
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

/** Returns the worst severity with a count above zero. */
export function worst(counts: FindingCounts): 'error' | 'warning' | 'note' {
  if (counts.error > 0) return 'error';
  return counts.warning > 0 ? 'warning' : 'note';
}

interface MarkedNode {
  readonly node: TreeNode;
  readonly counts: FindingCounts;
}

/** Returns the nodes with the worst findings, each address once. Findings of actions do not count for their tool. */
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

/** Removes the findings of actions from those of their tool. A finding about two actions counts in both, but once in the tool. */
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
