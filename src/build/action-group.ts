import { isFunction } from '../values/options.js';
import type { InternalAction, DefinitionPlace } from '../define/read-definition.js';
import type { AnyToolDefinition, Middleware, ToolDefinition } from '../define/tool-definition.js';
import { readDefinition } from '../define/read-definition.js';
import { ErrFrozen, ErrInvalidBuilder } from '../errors.js';
import type { SchemaSource } from '../schema/read/read-schema.js';

/** Collects the actions of one group. */
export class ActionGroup<App, Common> {
  readonly #definitions: AnyToolDefinition[] = [];
  #isClosed = false;
  readonly #middleware: Middleware[] = [];

  /** Adds an action to the group: its key is `group.action`. */
  action<const S extends SchemaSource = Record<string, never>>(
    definition: ToolDefinition<S, App, Common>,
  ): this {
    this.#assertOpen();
    this.#definitions.push(definition as unknown as AnyToolDefinition);
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
