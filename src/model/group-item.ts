import { BaseModel } from './base-model.js';
import type { Group } from './group.js';
import { parentsOf } from './links.js';

/** A leaf of the tree: a tool, prompt, resource or resource template. It may stand in several groups. */
export abstract class GroupItem extends BaseModel {
  /** Which of the four it is. */
  abstract readonly kind: 'tool' | 'prompt' | 'resource' | 'resourceTemplate';

  /** The groups that hold this item, in the order in which they took it. */
  get parentGroups(): readonly Group[] {
    return parentsOf(this);
  }

  /** The distinct roots above this item; none while no group holds it. */
  getRoots(): Group[] {
    return [...new Set(this.parentGroups.map((group) => group.root))];
  }

  /** The name under the first parent, or the bare name while no group holds the item. */
  override getFullyQualifiedName(separator = '.'): string {
    return this.getFullyQualifiedNames(separator)[0] ?? this.name;
  }

  /** One name per parent, in the order of `parentGroups`. */
  getFullyQualifiedNames(separator = '.'): string[] {
    return this.parentGroups.map(
      (group) => `${group.getFullyQualifiedName(separator)}${separator}${this.name}`,
    );
  }
}
