import type { Group } from './group.js';
import type { GroupItem } from './group-item.js';

/** Anything a group can hold. */
export type GroupChild = Group | GroupItem;
export type ChildKind = GroupChild['kind'];

type Children = Map<ChildKind, Map<string, GroupChild>>;

/**
 * The links between groups and their children, in one place. `children` is the owner; `parents` is its
 * inverse and changes only here, in the same step, so that the two cannot disagree.
 */
const children = new WeakMap<Group, Children>();
const parents = new WeakMap<GroupChild, Set<Group>>();
/** What links children of which nobody has asked yet where they are. */
const awaited = new WeakMap<GroupChild, () => void>();

export function childrenOf(group: Group, kind: ChildKind): GroupChild[] {
  return [...(children.get(group)?.get(kind)?.values() ?? [])];
}

export function childNamed(group: Group, kind: ChildKind, name: string): GroupChild | undefined {
  return children.get(group)?.get(kind)?.get(name);
}

/** In the order in which the links were made. */
export function parentsOf(child: GroupChild): Group[] {
  const linkAll = awaited.get(child);
  if (linkAll) {
    awaited.delete(child);
    linkAll();
  }
  return [...(parents.get(child) ?? [])];
}

export function link(parent: Group, child: GroupChild): void {
  let byKind = children.get(parent);
  if (!byKind) children.set(parent, (byKind = new Map()));
  let byName = byKind.get(child.kind);
  if (!byName) byKind.set(child.kind, (byName = new Map()));
  byName.set(child.name, child);

  let above = parents.get(child);
  if (!above) parents.set(child, (above = new Set()));
  above.add(parent);
}

/** Leaves the links of a child to be made when somebody asks for its parents. */
export function linkLater(child: GroupChild, linkAll: () => void): void {
  awaited.set(child, linkAll);
}

export function unlink(parent: Group, child: GroupChild): void {
  children.get(parent)?.get(child.kind)?.delete(child.name);
  parents.get(child)?.delete(parent);
}
