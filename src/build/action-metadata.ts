import type { InternalAction } from '../define/read-definition.js';

/** What is known of an action without running it. */
export interface ActionMetadata {
  /** The discriminator's value that means it. */
  readonly key: string;
  /** Its name within its group. */
  readonly actionName: string;
  /** Its group, where there are groups. */
  readonly groupName: string | undefined;
  /** What its author says of it. */
  readonly description: string | undefined;
  /** The fields without which it cannot be called, common ones among them. */
  readonly requiredFields: readonly string[];
  /** Whether the action is declared read-only. */
  readonly readOnly: boolean | undefined;
  /** Whether the action is declared destructive. */
  readonly destructive: boolean | undefined;
  /** Whether the action is declared idempotent. */
  readonly idempotent: boolean | undefined;
  /** Whether the action is declared to reach an open world. */
  readonly openWorld: boolean | undefined;
  /** The tags of the action itself. */
  readonly tags: readonly string[];
  /** The scopes that it asks for. */
  readonly scopes: readonly string[];
}

/** `common` are the fields that every action of the tool needs. */
export function metadataOf(action: InternalAction, common: readonly string[]): ActionMetadata {
  return {
    key: action.key,
    actionName: action.actionName,
    groupName: action.groupName,
    description: action.description,
    requiredFields: [...new Set([...common, ...action.input.required])],
    readOnly: action.readOnly,
    destructive: action.destructive,
    idempotent: action.idempotent,
    openWorld: action.openWorld,
    tags: action.tags,
    scopes: action.scopes,
  };
}
