import { assertPlain, isFunction } from '@toolfold/schema/internal';
import type { InferInput, ReadSchema, SchemaSource, SchemaValidator, UnknownFields } from '@toolfold/schema';
import type { InternalAction, DefinitionPlace, Reader } from '../define/read-definition.js';
import type { ContentCheck, ValueFor } from '../define/handler-value.js';
import type {
  AddedBy,
  AnyToolDefinition,
  DefaultArgumentResolver,
  Middleware,
  ToolContext,
  ToolDefinition,
} from '../define/tool-definition.js';
import { createReader, readDefinition, readObject } from '../define/read-definition.js';
import type { TypedAction, TypedTool } from '../define/typed-tool.js';
import type { InferSource, NoFields } from '@toolfold/schema/internal';
import { defaultStrategies } from '../compile/compile-item.js';
import type { CompiledSpec, Strategies } from '../compile/compiled-tool.js';
import { generateToonDescription } from '../compile/toon-description-generator.js';
import { ErrFrozen, ErrInvalidBuilder } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { ToolAnnotationsInit, Tool } from '../model/tool.js';
import { createServices } from '../engine/services.js';
import type { Services } from '../engine/services.js';
import { runCall } from '../engine/pipeline.js';
import type { ExecuteRequest } from '../engine/request.js';
import {
  assertArguments,
  assertBuilder,
  assertGroupName,
  assertOneOf,
  buildTool,
  previewOf,
} from './build-tool.js';
import type { BuilderOptions, BuiltTool } from './build-tool.js';
import type { Filled, Supplied } from './supplied-fields.js';
import { ActionGroup, metadataOf } from './action-group.js';
import type { ActionMetadata, ActionsOf, GroupedActions } from './action-group.js';

/**
 * Groups many actions into one tool. `buildToolDefinition()` or the first use compiles the tool once and freezes the
 * builder.
 */
export class GroupedToolBuilder<
  App = unknown,
  Name extends string = string,
  Common = unknown,
  Given = unknown,
  Actions = never,
  Namespace extends string | undefined = string | undefined,
  Context = ToolContext<App>,
> {
  /** Identifies the tool within its namespace. */
  readonly name: Name;
  /** Precedes the name in the ID and the listed name. */
  readonly namespace: string | undefined;
  /** The version that the author gave the tool, in any format. */
  readonly version: string | undefined;
  /** Makes TypeScript reject a registry with another type of `context.app`. It has no value at run time. */
  declare readonly '~app'?: (app: App) => void;
  /** Carries the types of the chained actions. It has no value at run time. */
  declare readonly '~tools'?: (tool: TypedTool<Name, Actions, Given, Namespace>) => void;
  readonly #options: BuilderOptions;
  #description: string | undefined;
  #mode: 'flat' | 'hierarchical' | undefined;
  #common: Reader<ReadSchema> | undefined;
  #resolver: DefaultArgumentResolver | undefined;
  #annotations: ToolAnnotationsInit | undefined;
  #discriminator = 'action';
  #unknownFields: UnknownFields = 'strict';
  #onConflict: 'anyOf' | 'throw' = 'anyOf';
  #strategies: Strategies = defaultStrategies;
  readonly #actions = new Map<string, Reader<InternalAction>>();
  readonly #groups = new Set<string>();
  readonly #middleware: Middleware[] = [];
  readonly #tags: string[] = [];
  /** Services for `execute`, which runs calls without a registry. */
  #services: Services | undefined;
  /** The tool is built once for each validator, because registries with other validators may read its schemas differently. */
  readonly #built = new Map<SchemaValidator | undefined, BuiltTool>();

  constructor(
    name: Name & NoInfer<KeptName<App, Name>>,
    options: BuilderOptions & { readonly namespace?: Namespace } = {},
  ) {
    assertBuilder(name, options);
    this.name = name;
    this.namespace = options.namespace;
    this.version = options.version;
    this.#options = { ...options };
  }

  /** Describes the tool as a whole. */
  description(text: string): this {
    this.#assertNotFrozen();
    this.#assert(typeof text === 'string', 'the description must be text');
    this.#description = text;
    return this;
  }

  /** Adds an action to a tool without groups: its key is its name. */
  action<
    const Key extends string,
    const Value extends ValueFor<O>,
    const S extends SchemaSource = NoFields,
    const O extends SchemaSource = never,
  >(
    definition: ToolDefinition<S, App, Common, O, Key, Value, Context> & ContentCheck<Value>,
  ): GroupedToolBuilder<App, Name, Common, Given, Actions | TypedAction<Key, S, O>, Namespace, Context>;
  action(definition: object): unknown {
    this.#enter('flat');
    this.#add(definition as AnyToolDefinition, this.#place());
    return this;
  }

  /** Adds a group of actions to a hierarchical tool: their keys are `group.action`. */
  group<const Group extends string, Configured extends GroupedActions>(
    name: Group,
    configure: (group: ActionGroup<Context, Common, Group>) => Configured,
  ): GroupedToolBuilder<App, Name, Common, Given, Actions | ActionsOf<Configured>, Namespace, Context>;
  group<const Group extends string, Configured extends GroupedActions>(
    name: Group,
    description: string,
    configure: (group: ActionGroup<Context, Common, Group>) => Configured,
  ): GroupedToolBuilder<App, Name, Common, Given, Actions | ActionsOf<Configured>, Namespace, Context>;
  group(
    name: string,
    ...rest:
      | [(group: ActionGroup<Context, Common>) => unknown]
      | [string, (group: ActionGroup<Context, Common>) => unknown]
  ): unknown {
    this.#enter('hierarchical');
    const [description, configure] = rest.length === 1 ? [undefined, rest[0]] : rest;
    assertGroupName(this.name, name, this.#groups);
    const group = new ActionGroup<Context, Common>();
    if (configure(group) instanceof Promise) {
      throw new ErrInvalidBuilder(
        `Builder "${this.name}": the function that configures group "${name}" must not be async.`,
      );
    }
    const { definitions, middleware } = group.close();
    this.#assert(definitions.length > 0, `the group "${name}" has no actions`);
    const place = { ...this.#place(), group: { name, description, middleware } };
    for (const definition of definitions) this.#add(definition, place);
    // The name is taken last, so that a group whose configuration failed can be declared again.
    this.#groups.add(name);
    return this;
  }

  /**
   * Wraps every action of the tool in middleware, which runs outside the middleware of groups and actions. The handlers of actions
   * that are added after it see what it adds to the context.
   */
  use<const Results extends readonly unknown[]>(
    ...middleware: { [K in keyof Results]: Middleware<App, Context, Results[K]> }
  ): GroupedToolBuilder<App, Name, Common, Given, Actions, Namespace, Context & AddedBy<Results>>;
  use(...middleware: readonly unknown[]): unknown {
    this.#assertNotFrozen();
    this.#assert(middleware.every(isFunction), 'a middleware must be a function');
    this.#middleware.push(...(middleware as readonly Middleware[]));
    return this;
  }

  /** Sets the fields that every action has. They are part of each handler's `input`. */
  commonSchema<const S extends SchemaSource>(
    schema: S,
  ): GroupedToolBuilder<App, Name, InferInput<S>, InferSource<S>, Actions, Namespace, Context>;
  commonSchema(schema: SchemaSource): unknown {
    this.#assertNotFrozen();
    if (this.#common) throw new ErrInvalidBuilder(`Builder "${this.name}" already has a common schema.`);
    const label = `Tool "${this.name}", commonSchema`;
    this.#common = createReader(this.#options.schemaValidator, (validator) =>
      readObject(schema, label, validator ? { validator } : {}),
    );
    return this;
  }

  /**
   * Supplies missing arguments for every action. An action's own resolver takes precedence over this one, and the
   * caller's arguments over both. Optional fields that this resolver supplies are required in the types of handlers.
   */
  defaultArguments<const D extends Readonly<Record<string, unknown>>>(
    resolver: (request: Parameters<DefaultArgumentResolver>[0]) => D | undefined | Promise<D | undefined>,
  ): GroupedToolBuilder<
    App,
    Name,
    Filled<Common, keyof D>,
    Supplied<Given, keyof D>,
    Actions,
    Namespace,
    Context
  >;
  defaultArguments(resolver: DefaultArgumentResolver): unknown {
    this.#assertNotFrozen();
    this.#assert(isFunction(resolver), 'defaultArguments takes a function');
    this.#resolver = resolver;
    return this;
  }

  /** Adds tags that all actions of the tool have. */
  tags(...tags: readonly string[]): this {
    this.#assertNotFrozen();
    this.#assert(
      tags.every((tag) => typeof tag === 'string'),
      'tags must be text',
    );
    this.#tags.push(...tags);
    return this;
  }

  /** Sets hints about the whole tool. They override the hints that are derived from its actions. */
  annotations(annotations: ToolAnnotationsInit): this {
    this.#assertNotFrozen();
    assertPlain(`Builder "${this.name}": the annotations`, annotations, { error: ErrInvalidBuilder });
    for (const [hint, value] of Object.entries(annotations)) {
      const isRight = value === undefined || typeof value === (hint === 'title' ? 'string' : 'boolean');
      this.#assert(isRight, `the annotation ${hint} must be ${hint === 'title' ? 'text' : 'true or false'}`);
    }
    this.#annotations = { ...this.#annotations, ...annotations };
    return this;
  }

  /** Sets the name of the argument that selects the action. Default: `action`. */
  discriminator(name: string): this {
    this.#assertNotFrozen();
    if (typeof name !== 'string' || name === '') {
      throw new ErrInvalidBuilder(`Builder "${this.name}": the discriminator needs a name.`);
    }
    this.#discriminator = name;
    return this;
  }

  /** Describes the actions as a TOON table. */
  toonDescription(): this {
    return this.strategies({ description: generateToonDescription });
  }

  /** Sets whether undeclared fields are rejected (`strict`, the default) or dropped (`strip`). */
  unknownFields(mode: UnknownFields): this {
    this.#assertNotFrozen();
    assertOneOf(this.name, 'unknownFields', mode, ['strict', 'strip']);
    this.#unknownFields = mode;
    return this;
  }

  /** Sets whether fields with one name and different shapes are listed as `anyOf`, the default, or throw. */
  onConflict(mode: 'anyOf' | 'throw'): this {
    this.#assertNotFrozen();
    assertOneOf(this.name, 'onConflict', mode, ['anyOf', 'throw']);
    this.#onConflict = mode;
    return this;
  }

  /** Replaces functions that generate the schema, the description, the annotations or the middleware chain. */
  strategies(strategies: Partial<Strategies>): this {
    this.#assertNotFrozen();
    assertPlain(`Builder "${this.name}": the strategies`, strategies, { error: ErrInvalidBuilder });
    for (const [name, strategy] of Object.entries(strategies)) {
      this.#assert(Object.hasOwn(defaultStrategies, name), `there is no strategy "${name}"`);
      this.#assert(typeof strategy === 'function', `the strategy "${name}" must be a function`);
    }
    this.#strategies = { ...this.#strategies, ...strategies };
    return this;
  }

  /** Builds the tool once, and freezes the builder. */
  buildToolDefinition(): Tool {
    return this.#build().tool.tool;
  }

  /** Runs one action through the pipeline of a registry, without a rate limit. */
  execute(
    args?: Readonly<Record<string, unknown>>,
    request?: Omit<ExecuteRequest, 'name' | 'arguments'> & { readonly app?: App },
  ): Promise<CallToolResult> {
    assertArguments(args);
    const { tools } = this.#build();
    const own = (this.#services ??= createServices(this.name, { rateLimiter: false }));
    if (!request) return runCall(own, tools, { name: this.name, arguments: args });
    assertPlain(`Builder "${this.name}": the second argument of execute`, request);
    const { app, ...rest } = request;
    const services = app === undefined ? own : { ...own, contextFactory: () => app };
    return runCall(services, tools, { ...rest, name: this.name, arguments: args });
  }

  /** Returns the tags of the tool, without those of its actions. */
  getTags(): readonly string[] {
    return [...this.#tags];
  }

  /** Returns the keys of the actions, such as `list` or `users.list`. */
  getActionNames(): readonly string[] {
    return [...this.#actions.keys()];
  }

  /** Returns what is declared about each action, without schemas and handlers. */
  getActionMetadata(): readonly ActionMetadata[] {
    const common = this.#common?.().required ?? [];
    return Array.from(this.#actions.values(), (read) => metadataOf(read(), common));
  }

  /** Returns what a model reads of this tool in the default list: name, description and input schema. */
  previewPrompt(): string {
    return previewOf(this.buildToolDefinition());
  }

  /** Returns the compiled tool for a registry, whose validator reads JSON Schemas if the builder has none. Builds it on first use. */
  compile(validator?: SchemaValidator): CompiledSpec {
    return this.#build(this.#options.schemaValidator ? undefined : validator);
  }

  #build(validator?: SchemaValidator): BuiltTool {
    let built = this.#built.get(validator);
    if (built) return built;
    built = buildTool(
      {
        name: this.name,
        namespace: this.namespace,
        version: this.version,
        description: this.#description,
        tags: [...this.#tags],
        annotations: this.#annotations && { ...this.#annotations },
        discriminator: this.#discriminator,
        common: this.#common?.(validator),
        actions: Array.from(this.#actions.values(), (read) => read(validator)),
        globalMiddleware: [...this.#middleware],
        unknownFields: this.#unknownFields,
        onConflict: this.#onConflict,
        aliases: this.#options.aliases && [...this.#options.aliases],
        maxDescriptionLength: this.#options.maxDescriptionLength,
        strategies: this.#strategies,
      },
      this.#resolver,
    );
    this.#built.set(validator, built);
    return built;
  }

  #place(): Omit<DefinitionPlace, 'group'> {
    return { tool: this.name, validator: this.#options.schemaValidator };
  }

  #enter(mode: 'flat' | 'hierarchical'): void {
    this.#assertNotFrozen();
    if (this.#mode !== undefined && this.#mode !== mode) {
      throw new ErrInvalidBuilder(
        `Cannot use .action() and .group() on the same builder "${this.name}".\n` +
          'Use .action() for flat tools OR .group() for hierarchical tools.',
      );
    }
    this.#mode = mode;
  }

  #add(given: AnyToolDefinition, place: DefinitionPlace): void {
    let definition = given;
    const read = createReader(place.validator, (validator) =>
      readDefinition(definition, { ...place, validator }),
    );
    // Copy the definition, so that later changes by the author have no effect.
    definition = { ...given };
    const key = place.group ? `${place.group.name}.${definition.name}` : definition.name;
    if (this.#actions.has(key)) {
      throw new ErrInvalidBuilder(`Builder "${this.name}" already has an action "${key}".`, {
        hint: 'Rename one of them.',
      });
    }
    this.#actions.set(key, read);
  }

  #assert(isRight: boolean, problem: string): void {
    if (!isRight) throw new ErrInvalidBuilder(`Builder "${this.name}": ${problem}.`);
  }

  #assertNotFrozen(): void {
    if (this.#built.size > 0) {
      throw new ErrFrozen(
        `Builder "${this.name}" is frozen after buildToolDefinition(). Cannot modify a built tool.`,
      );
    }
  }
}

/** Rejects `new GroupedToolBuilder<App>(name)`: TypeScript infers all type arguments or none, so the type would lose the name. */
type KeptName<App, Name> = unknown extends App
  ? unknown
  : string extends Name
    ? 'Write initToolfold<App>().group(name), which keeps the name'
    : unknown;
