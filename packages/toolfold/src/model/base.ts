import type { Icon, Meta } from '@toolfold/profiles';
import { getOrMake } from '../values/get-or-make.js';

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

/** Base class of groups, tools, prompts and resources. The name never changes; other fields may change until the object is frozen. */
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

  /** Joins the names of all groups above the item and its own name, outermost first. */
  getFullyQualifiedName(_separator = '.'): string {
    return this.name;
  }
}

/** A group or an item. Any two of them can be linked as parent and child. */
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

/** Returns the children of one kind in the order in which they were added. */
export function childrenOf(group: Linked, kind: string): Linked[] {
  return [...(children.get(group)?.get(kind)?.values() ?? [])];
}

export function childNamed(group: Linked, kind: string, name: string): Linked | undefined {
  return children.get(group)?.get(kind)?.get(name);
}

/** Returns the parents in the order in which the child was added to them. */
export function parentsOf(child: Linked): Linked[] {
  return [...(parents.get(child) ?? [])];
}

export function link(parent: Linked, child: Linked): void {
  const byKind = getOrMake(children, parent, () => new Map<string, Map<string, Linked>>());
  getOrMake(byKind, child.kind, () => new Map<string, Linked>()).set(child.name, child);
  getOrMake(parents, child, () => new Set<Linked>()).add(parent);
}

export function unlink(parent: Linked, child: Linked): void {
  children.get(parent)?.get(child.kind)?.delete(child.name);
  parents.get(child)?.delete(parent);
}

/** The part of `Group` that its items use. */
export interface ParentGroup extends BaseModel {
  /** Distinguishes groups from items. */
  readonly kind: 'group';
  /** The group that holds this group, if any. */
  readonly parent: ParentGroup | undefined;
  /** The topmost group above this group, or this group itself. */
  readonly root: ParentGroup;
  /** Groups directly in this group. */
  readonly childGroups: readonly ParentGroup[];
  /** Tools directly in this group. */
  readonly childTools: readonly GroupItem[];
  /** Prompts directly in this group. */
  readonly childPrompts: readonly GroupItem[];
  /** Resources directly in this group. */
  readonly childResources: readonly GroupItem[];
  /** Resource templates directly in this group. */
  readonly childResourceTemplates: readonly GroupItem[];
  /** Adds a group or an item. */
  add(child: ParentGroup | GroupItem): this;
  /** Removes a group or an item. Returns `false` if this group does not hold it. */
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
