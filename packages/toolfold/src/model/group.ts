import { ErrDuplicateName, ErrGroupCycle, ErrInvalidModel } from '@toolfold/schema/errors';
import { BaseModel, childNamed, childrenOf, link, parentsOf, unlink } from './base.js';
import type { GroupItem, ParentGroup } from './base.js';
import type { Prompt, Resource, ResourceTemplate } from './prompt-resource.js';
import type { Tool } from './tool.js';

/** Anything that a group can hold. */
export type GroupChild = Group | GroupItem;

/**
 * A named group of tools, prompts, resources and other groups. A group has at most one parent, but several groups may share an
 * item. `Object.freeze(group)` also fixes its list of children.
 */
export class Group extends BaseModel implements ParentGroup {
  /** Distinguishes groups from items. */
  get kind(): 'group' {
    return 'group';
  }

  /** The group that holds this group, if any. */
  get parent(): Group | undefined {
    return parentsOf(this)[0] as Group | undefined;
  }

  /** The topmost group above this group, or the group itself. */
  get root(): Group {
    return this.parent?.root ?? this;
  }

  /** The groups in this group, in the order in which they were added. */
  get childGroups(): readonly Group[] {
    return childrenOf(this, 'group') as Group[];
  }

  /** The tools in this group, in the order in which they were added. */
  get childTools(): readonly Tool[] {
    return childrenOf(this, 'tool') as Tool[];
  }

  /** The prompts in this group, in the order in which they were added. */
  get childPrompts(): readonly Prompt[] {
    return childrenOf(this, 'prompt') as Prompt[];
  }

  /** The resources in this group, in the order in which they were added. */
  get childResources(): readonly Resource[] {
    return childrenOf(this, 'resource') as Resource[];
  }

  /** The resource templates in this group, in the order in which they were added. */
  get childResourceTemplates(): readonly ResourceTemplate[] {
    return childrenOf(this, 'resourceTemplate') as ResourceTemplate[];
  }

  override getFullyQualifiedName(separator = '.'): string {
    const { parent } = this;
    return parent ? `${parent.getFullyQualifiedName(separator)}${separator}${this.name}` : this.name;
  }

  /** Adds a child. Adding the same child again has no effect. */
  add(child: GroupChild): this {
    if (this.has(child)) return this;
    if (child.kind === 'group' && child.parent) {
      throw new ErrInvalidModel(
        `Group "${child.name}" already belongs to "${child.parent.getFullyQualifiedName()}".`,
        { hint: 'A group has one parent: use move() on that parent.' },
      );
    }
    this.#assertCanTake(child);
    link(this, child);
    return this;
  }

  /** Removes a child. Returns `false` if the group does not hold it. */
  remove(child: GroupChild): boolean {
    if (!this.has(child)) return false;
    this.#assertOpen();
    unlink(this, child);
    return true;
  }

  /** Moves a child of this group to another group. If it throws, nothing has changed. */
  move(child: GroupChild, to: Group): void {
    if (!this.has(child)) {
      throw new ErrInvalidModel(`"${child.name}" is not in group "${this.getFullyQualifiedName()}".`, {
        hint: 'Call move() on the group that holds it.',
      });
    }
    if (to === this) return;
    this.#assertOpen();
    if (!to.has(child)) to.#assertCanTake(child);
    unlink(this, child);
    link(to, child);
  }

  /** Whether this group itself holds exactly this child. Groups below it do not count. */
  has(child: GroupChild): boolean {
    return childNamed(this, child.kind, child.name) === child;
  }

  #assertCanTake(child: GroupChild): void {
    this.#assertOpen();
    if (childNamed(this, child.kind, child.name)) {
      throw new ErrDuplicateName(
        `Group "${this.getFullyQualifiedName()}" already has a ${child.kind} named "${child.name}".`,
        { hint: 'Rename one of them or remove the first.', details: { name: child.name, kind: child.kind } },
      );
    }
    if (child.kind === 'group') assertNoCycle(this, child);
  }

  #assertOpen(): void {
    if (Object.isFrozen(this)) {
      throw new ErrInvalidModel(`Group "${this.getFullyQualifiedName()}" is frozen.`, {
        hint: 'Change the tree before it is compiled.',
      });
    }
  }
}

function assertNoCycle(parent: Group, child: Group): void {
  const path = [child.name];
  for (let group: Group | undefined = parent; group; group = group.parent) {
    path.unshift(group.name);
    if (group === child) {
      throw new ErrGroupCycle(
        `Group "${child.name}" cannot go under "${parent.name}": it would contain itself (${path.join(' → ')}).`,
        { details: { path } },
      );
    }
  }
}
