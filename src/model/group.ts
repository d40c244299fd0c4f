import { ErrDuplicateName, ErrGroupCycle, ErrInvalidModel } from '../errors.js';
import { BaseModel } from './base-model.js';
import { childNamed, childrenOf, link, parentsOf, unlink } from './links.js';
import type { GroupChild } from './links.js';
import type { Prompt } from './prompt.js';
import type { Resource, ResourceTemplate } from './resource.js';
import type { Tool } from './tool.js';

/**
 * A node of the tree. Groups form a tree; the items in them may be shared between groups.
 * `Object.freeze(group)` also closes its list of children.
 */
export class Group extends BaseModel {
  /** What tells it from items in a list of children. */
  get kind(): 'group' {
    return 'group';
  }

  /** The group that holds it, if one does. */
  get parent(): Group | undefined {
    return parentsOf(this)[0];
  }

  /** The topmost group above this one, or the group itself. */
  get root(): Group {
    return this.parent?.root ?? this;
  }

  /** The groups in it, in the order in which they were added. */
  get childGroups(): readonly Group[] {
    return childrenOf(this, 'group') as Group[];
  }

  /** The tools in it, in the order in which they were added. */
  get childTools(): readonly Tool[] {
    return childrenOf(this, 'tool') as Tool[];
  }

  /** The prompts in it, in the order in which they were added. */
  get childPrompts(): readonly Prompt[] {
    return childrenOf(this, 'prompt') as Prompt[];
  }

  /** The resources in it, in the order in which they were added. */
  get childResources(): readonly Resource[] {
    return childrenOf(this, 'resource') as Resource[];
  }

  /** The resource templates in it, in the order in which they were added. */
  get childResourceTemplates(): readonly ResourceTemplate[] {
    return childrenOf(this, 'resourceTemplate') as ResourceTemplate[];
  }

  override getFullyQualifiedName(separator = '.'): string {
    const { parent } = this;
    return parent ? `${parent.getFullyQualifiedName(separator)}${separator}${this.name}` : this.name;
  }

  /** Takes a child. Adding one that is already here changes nothing. */
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

  /** Lets a child go; `false` when it was not here. */
  remove(child: GroupChild): boolean {
    if (!this.has(child)) return false;
    this.#assertOpen();
    unlink(this, child);
    return true;
  }

  /** Moves a child of this group to another group; on an error nothing has changed. */
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

  /** Whether it holds this very child itself, and not only a group below it. */
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
