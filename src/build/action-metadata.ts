import type { InternalAction } from '../compile/internal-action.js';

/** What is known of an action without running it. */
export interface ActionMetadata {
  readonly key: string;
  readonly actionName: string;
  readonly groupName: string | undefined;
  readonly description: string | undefined;
  readonly requiredFields: readonly string[];
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly idempotent: boolean | undefined;
  readonly openWorld: boolean | undefined;
  readonly tags: readonly string[];
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
