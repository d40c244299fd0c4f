import { isFunction } from '../values/options.js';
import type { InternalAction, DefinitionPlace } from '../define/read-definition.js';
import type { ContentCheck, ValueFor } from '../define/handler-value.js';
import type { AnyToolDefinition, Middleware, ToolDefinition } from '../define/tool-definition.js';
import { readDefinition } from '../define/read-definition.js';
import { ErrFrozen, ErrInvalidBuilder } from '../errors.js';
import type { TypedAction } from '../define/typed-tool.js';
import type { NoFields, SchemaSource } from '../schema/read/read-schema.js';

/** Collects the actions of one group. */
export class ActionGroup<App, Common, Group extends string = string, Actions = never> {
  /** Exists only as a type: the actions that were chained. */
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
    definition: ToolDefinition<S, App, Common, O, Name, Value> & ContentCheck<Value>,
  ): ActionGroup<App, Common, Group, Actions | TypedAction<`${Group}.${Name}`, S, O>>;
  action(definition: object): unknown {
    this.#assertOpen();
    this.#definitions.push(definition as AnyToolDefinition);
    return this;
  }

  /** Wraps every action of the group in middleware, including actions that were added before. */
  use(...middleware: readonly Middleware<App>[]): this;
  use(...middleware: readonly Middleware[]): this;
  use(...middleware: readonly unknown[]): this {
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
  read(
    place: Omit<DefinitionPlace, 'group'>,
    name: string,
    description: string | undefined,
  ): InternalAction[] {
    this.#isClosed = true;
    const group = { name, description, middleware: this.#middleware };
    return this.#definitions.map((definition) => readDefinition(definition, { ...place, group }));
  }
}

/** The actions that were chained on a group. */
export type ActionsOf<Group> = Group extends { readonly '~actions'?: (action: infer Actions) => void }
  ? Actions
  : never;

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
