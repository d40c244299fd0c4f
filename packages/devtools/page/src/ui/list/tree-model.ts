/** A node of a tree in preorder: its descendants follow it with a higher depth. */
export interface FlatNode {
  readonly id: string;
  readonly depth: number;
  /** Number of descendants. */
  readonly size: number;
}

/** A visible node, with its position among its siblings. */
export interface TreeRow<T extends FlatNode> {
  readonly node: T;
  readonly isExpanded: boolean;
  readonly position: number;
  readonly siblings: number;
}

/** Returns the nodes whose ancestors are all expanded. */
export function visibleRows<T extends FlatNode>(
  nodes: readonly T[],
  isExpanded: (node: T) => boolean,
): TreeRow<T>[] {
  const rows: { node: T; isExpanded: boolean; position: number; siblings: number }[] = [];
  // The siblings at each depth that are still incomplete. Their number is known when their parent ends.
  const open: { position: number; siblings: number; node: T; isExpanded: boolean }[][] = [];
  const endBelow = (depth: number) => {
    while (open.length > depth) {
      const ended = open.pop() ?? [];
      for (const row of ended) row.siblings = ended.length;
    }
  };
  for (let index = 0; index < nodes.length;) {
    const node = nodes[index];
    if (!node) break;
    endBelow(node.depth + 1);
    const siblings = (open[node.depth] ??= []);
    const expanded = node.size > 0 && isExpanded(node);
    const row = { node, isExpanded: expanded, position: siblings.length + 1, siblings: 0 };
    siblings.push(row);
    rows.push(row);
    index += expanded ? 1 : node.size + 1;
  }
  endBelow(0);
  return rows;
}

/** Returns matching nodes with their ancestors, and adapts the sizes. */
export function filterNodes<T extends FlatNode>(nodes: readonly T[], matches: (node: T) => boolean): T[] {
  const kept: T[] = [];
  const ancestors: { node: T; index: number }[] = [];
  for (const node of nodes) {
    while (ancestors.length > 0 && (ancestors.at(-1)?.node.depth ?? 0) >= node.depth) ancestors.pop();
    if (matches(node)) {
      for (const ancestor of ancestors)
        if (ancestor.index === -1) {
          ancestor.index = kept.length;
          kept.push(ancestor.node);
        }
      ancestors.push({ node, index: kept.length });
      kept.push(node);
    } else ancestors.push({ node, index: -1 });
  }
  return withSizes(kept);
}

function withSizes<T extends FlatNode>(nodes: readonly T[]): T[] {
  const sizes = Array.from<number>({ length: nodes.length }).fill(0);
  const path: number[] = [];
  for (const [index, node] of nodes.entries()) {
    while (path.length > 0 && (nodes[path.at(-1) ?? 0]?.depth ?? 0) >= node.depth) path.pop();
    for (const ancestor of path) sizes[ancestor] = (sizes[ancestor] ?? 0) + 1;
    path.push(index);
  }
  return nodes.map((node, index) =>
    node.size === sizes[index] ? node : { ...node, size: sizes[index] ?? 0 },
  );
}

/** Returns the ids of a node's ancestors, the nearest last. */
export function ancestorsOf(nodes: readonly FlatNode[], index: number): string[] {
  const found: string[] = [];
  let depth = nodes[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0 && depth > 0; at--) {
    const node = nodes[at];
    if (!node || node.depth >= depth) continue;
    found.unshift(node.id);
    depth = node.depth;
  }
  return found;
}
