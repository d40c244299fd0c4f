import { BaseModel } from './base-model.js';
import { parentsOf } from './links.js';

/** A `Group`, as the items in it see it. */
export interface ParentGroup extends BaseModel {
  readonly kind: 'group';
  readonly parent: ParentGroup | undefined;
  readonly root: ParentGroup;
  readonly childGroups: readonly ParentGroup[];
  readonly childTools: readonly GroupItem[];
  readonly childPrompts: readonly GroupItem[];
  readonly childResources: readonly GroupItem[];
  readonly childResourceTemplates: readonly GroupItem[];
  add(child: ParentGroup | GroupItem): this;
  remove(child: ParentGroup | GroupItem): boolean;
  move(child: ParentGroup | GroupItem, to: ParentGroup): void;
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
