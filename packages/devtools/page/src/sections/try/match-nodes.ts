import type { TreeNode } from '../../../../src/page-api.js';

/**
 * Returns the actions, and tools without actions, that contain every word of the query, each once. Matches in the name
 * come first.
 */
export function matchNodes(nodes: readonly TreeNode[], query: string): readonly TreeNode[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const seen = new Set<string>();
  const byName: TreeNode[] = [];
  const byText: TreeNode[] = [];
  for (const node of nodes) {
    const { address, kind, size } = node;
    if (address === undefined || seen.has(address) || !(kind === 'action' || (kind === 'tool' && size === 0)))
      continue;
    const name = address.toLowerCase();
    const text = `${name} ${node.description?.toLowerCase() ?? ''}`;
    if (!words.every((word) => text.includes(word))) continue;
    seen.add(address);
    (words.every((word) => name.includes(word)) ? byName : byText).push(node);
  }
  return [...byName, ...byText];
}
