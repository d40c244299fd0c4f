import type { Icon, Meta } from '../protocol/mcp-types.js';

/** The fields that groups, tools, prompts and resources have in common. */
export interface BaseModelInit {
  /** The name that programs use. */
  name: string;
  /** The name that people read. */
  title?: string | undefined;
  /** The purpose of the item, for models and people. */
  description?: string | undefined;
  /** Data for programs, sent as `_meta`. */
  meta?: Meta | undefined;
  /** Icons that a client may show. */
  icons?: Icon[] | undefined;
}

/** The base of every MCP noun. The name never changes; other fields may change until the object is frozen. */
export abstract class BaseModel {
  declare readonly name: string;
  title: string | undefined;
  description: string | undefined;
  meta: Meta | undefined;
  icons: Icon[] | undefined;

  constructor(init: BaseModelInit) {
    // Groups index their children by name, so plain JavaScript must not be able to change the name either.
    Object.defineProperty(this, 'name', { value: init.name, enumerable: true });
    this.title = init.title;
    this.description = init.description;
    this.meta = init.meta;
    this.icons = init.icons;
  }

  /** The names of all groups above the item and its own name, outermost first. */
  getFullyQualifiedName(_separator = '.'): string {
    return this.name;
  }
}

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

/** A `Group`, as the items in it see it. */
export interface ParentGroup extends BaseModel {
  /** Tells groups from items. */
  readonly kind: 'group';
  /** The group that holds this group, if there is one. */
  readonly parent: ParentGroup | undefined;
  /** The topmost group above this group, or this group itself. */
  readonly root: ParentGroup;
  /** The groups in this group. */
  readonly childGroups: readonly ParentGroup[];
  /** The tools in this group. */
  readonly childTools: readonly GroupItem[];
  /** The prompts in this group. */
  readonly childPrompts: readonly GroupItem[];
  /** The resources in this group. */
  readonly childResources: readonly GroupItem[];
  /** The resource templates in this group. */
  readonly childResourceTemplates: readonly GroupItem[];
  /** Adds a group or an item. */
  add(child: ParentGroup | GroupItem): this;
  /** Removes a group or an item. */
  remove(child: ParentGroup | GroupItem): boolean;
  /** Moves a group or an item to another group. */
  move(child: ParentGroup | GroupItem, to: ParentGroup): void;
  /** Whether this group holds the group or item directly. */
  has(child: ParentGroup | GroupItem): boolean;
}

/** A leaf of the tree: a tool, prompt, resource or resource template. It may be in several groups. */
export abstract class GroupItem extends BaseModel {
  /** The kind of item. */
  abstract readonly kind: 'tool' | 'prompt' | 'resource' | 'resourceTemplate';

  /** The groups that hold this item, in the order in which it was added to them. */
  get parentGroups(): readonly ParentGroup[] {
    return parentsOf(this) as ParentGroup[];
  }

  /** The distinct root groups above this item; empty while no group holds it. */
  getRoots(): ParentGroup[] {
    return [...new Set(this.parentGroups.map((group) => group.root))];
  }

  /** The name below the first parent, or the bare name while no group holds the item. */
  override getFullyQualifiedName(separator = '.'): string {
    return this.getFullyQualifiedNames(separator)[0] ?? this.name;
  }

  /** One name for each parent, in the order of `parentGroups`. */
  getFullyQualifiedNames(separator = '.'): string[] {
    return this.parentGroups.map(
      (group) => `${group.getFullyQualifiedName(separator)}${separator}${this.name}`,
    );
  }
}
