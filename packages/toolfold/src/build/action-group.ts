import { isFunction } from '@toolfold/schema/internal';
import type { InternalAction } from '../define/read-definition.js';
import type { ContentCheck, ValueFor } from '../define/handler-value.js';
import type { AddedBy, AnyToolDefinition, Middleware, ToolDefinition } from '../define/tool-definition.js';
import { ErrFrozen, ErrInvalidBuilder } from '@toolfold/schema/errors';
import type { TypedAction } from '../define/typed-tool.js';
import type { NoFields } from '@toolfold/schema/internal';
import type { SchemaSource } from '@toolfold/schema';

/** Collects the actions of one group. */
export class ActionGroup<Context, Common, Group extends string = string, Actions = never> {
  /** Carries the types of the chained actions. It has no value at run time. */
  declare readonly '~actions'?: (action: Actions) => void;
  readonly #definitions: AnyToolDefinition[] = [];
  #isClosed = false;
  readonly #middleware: Middleware[] = [];

  /** Adds an action to the group: its key is `group.action`. */
  action<
    const Name extends string,
    const Value extends ValueFor<O>,
    const S extends SchemaSource = NoFields,
    const O extends SchemaSource = never,
  >(
    definition: ToolDefinition<S, unknown, Common, O, Name, Value, Context> & ContentCheck<Value>,
  ): ActionGroup<Context, Common, Group, Actions | TypedAction<`${Group}.${Name}`, S, O>>;
  action(definition: object): unknown {
    this.#assertOpen();
    this.#definitions.push(definition as AnyToolDefinition);
    return this;
  }

  /**
   * Wraps every action of the group in middleware, including actions that were added before. The handlers of actions that are added
   * after it see what it adds to the context.
   */
  use<const Results extends readonly unknown[]>(
    ...middleware: { [K in keyof Results]: Middleware<unknown, Context, Results[K]> }
  ): ActionGroup<Context & AddedBy<Results>, Common, Group, Actions>;
  use(...middleware: readonly unknown[]): unknown {
    this.#assertOpen();
    if (!middleware.every(isFunction)) throw new ErrInvalidBuilder('A middleware must be a function.');
    this.#middleware.push(...(middleware as readonly Middleware[]));
    return this;
  }

  #assertOpen(): void {
    if (this.#isClosed)
      throw new ErrFrozen('A group can be changed only inside the function that configures it.');
  }

  /** @internal */
  close(): {
    readonly definitions: readonly AnyToolDefinition[];
    readonly middleware: readonly Middleware[];
  } {
    this.#isClosed = true;
    return { definitions: this.#definitions, middleware: this.#middleware };
  }
}

/** A group, as the function that configures it must return it: its type has the actions that were chained. */
export interface GroupedActions {
  /** Carries the types of the chained actions. It has no value at run time. */
  readonly '~actions'?: (action: never) => void;
}

/** Reads the types of the chained actions from a group. */
export type ActionsOf<Group> = Group extends { readonly '~actions'?: (action: infer Actions) => void }
  ? Actions
  : never;

/** Metadata of an action as declared by the author, without schemas and handlers. */
export interface ActionMetadata {
  /** The value of the discriminator that selects the action. */
  readonly key: string;
  /** The name of the action within its group. */
  readonly actionName: string;
  /** The name of the group; absent in a flat tool. */
  readonly groupName: string | undefined;
  /** Tells a model what the action does. */
  readonly description: string | undefined;
  /** Fields that a call must have, including those of the common schema. */
  readonly requiredFields: readonly string[];
  /** True if the author declared that the action changes nothing. */
  readonly readOnly: boolean | undefined;
  /** True if the author declared that the action may destroy data. */
  readonly destructive: boolean | undefined;
  /** True if the author declared that repeating a call has no further effect. */
  readonly idempotent: boolean | undefined;
  /** True if the author declared that the action reaches an open set of things, such as the web. */
  readonly openWorld: boolean | undefined;
  /** Tags of the action, without those of its tool. */
  readonly tags: readonly string[];
  /** Scopes that the caller's token must have. */
  readonly scopes: readonly string[];
}

/** `common` are the required fields of every action of the tool. */
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
