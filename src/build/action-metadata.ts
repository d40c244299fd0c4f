import type { InternalAction } from '../define/read-definition.js';

/** The declared properties of an action. */
export interface ActionMetadata {
  /** The value of the discriminator that selects the action. */
  readonly key: string;
  /** The name of the action within its group. */
  readonly actionName: string;
  /** The name of the group; absent in a flat tool. */
  readonly groupName: string | undefined;
  /** The purpose of the action. */
  readonly description: string | undefined;
  /** The required fields of a call, including the common ones. */
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
  /** The scopes that a caller needs. */
  readonly scopes: readonly string[];
}

/** Reads the metadata of an action. `common` are the required fields of every action of the tool. */
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
