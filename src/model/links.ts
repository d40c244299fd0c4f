/** A group or an item of a group. */
interface Linked {
  readonly kind: string;
  readonly name: string;
}

/**
 * All links between groups and their children. `parents` is the inverse of `children`. Only this file changes the two maps, and
 * always both together, so they cannot disagree.
 */
const children = new WeakMap<Linked, Map<string, Map<string, Linked>>>();
const parents = new WeakMap<Linked, Set<Linked>>();

/** The children of one kind, in the order in which they were linked. */
export function childrenOf(group: Linked, kind: string): Linked[] {
  return [...(children.get(group)?.get(kind)?.values() ?? [])];
}

export function childNamed(group: Linked, kind: string, name: string): Linked | undefined {
  return children.get(group)?.get(kind)?.get(name);
}

/** The parents, in the order in which they were linked. */
export function parentsOf(child: Linked): Linked[] {
  return [...(parents.get(child) ?? [])];
}

export function link(parent: Linked, child: Linked): void {
  let byKind = children.get(parent);
  if (!byKind) children.set(parent, (byKind = new Map()));
  let byName = byKind.get(child.kind);
  if (!byName) byKind.set(child.kind, (byName = new Map()));
  byName.set(child.name, child);

  let above = parents.get(child);
  if (!above) parents.set(child, (above = new Set()));
  above.add(parent);
}

export function unlink(parent: Linked, child: Linked): void {
  children.get(parent)?.get(child.kind)?.delete(child.name);
  parents.get(child)?.delete(parent);
}
