import { INTERNALS } from './any-registry.js';
import type { AnyRegistry, RegistryCounts, RegistryInternals } from './any-registry.js';
import { Mounts, type MountOptions } from './mount/mounts.js';
import { createMultiRequestCalls } from './multi-request-calls.js';
import { joinItems } from './registered-items.js';
import { RegisteredTools } from './registered-tools.js';
import type { ValueFor } from '../define/handler-value.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { MountedAs, ResultOf, ToolsOf } from '../define/typed-tool.js';
import type { RegisteredDefinition } from '../compile/registered-definition.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { McpPrompt, McpResource, McpResourceTemplate, ProtocolVersion } from '../protocol/mcp-types.js';
import type { McpTool } from '@toolfold/profiles';
import { Group } from '../model/group.js';
import { Prompt } from '../model/prompt-resource.js';
import type { Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { Tool } from '../model/tool.js';
import type { NoFields } from '@toolfold/schema/internal';
import type { SchemaSource } from '@toolfold/schema';
import type { Shared, RegistryChange } from '../stores/contracts.js';
import { attach, type AttachOptions, type DetachFn } from './attach/attach.js';
import { createServices } from '../engine/services.js';
import type { CompilableTool } from '../compile/compile-item.js';
import type {
  ItemList,
  Items,
  Lists,
  OwnDefinition,
  OwnTool,
  ToolsIn,
  ToolsInList,
} from '../compile/registrable.js';
import type { Completion, CompletionRequest } from './complete.js';
import { assertHandlers, fromTool, itemsIn } from '../compile/from-model.js';
import type {
  GroupHandlers,
  ModelHandler,
  ModelPromptHandler,
  ModelToolOptions,
} from '../compile/from-model.js';
import { assertMiddleware, runIntercepted, composeMcp } from './mcp-middleware.js';
import type { McpMiddleware } from './mcp-middleware.js';
import type { ExecuteRequest, RequestOptions } from '../engine/request.js';
import { isCallRequest, rejectCall } from '../engine/assert-request.js';
import { runCall } from '../engine/pipeline.js';
import { Prompts } from '../define/prompts.js';
import type { GetPromptResult, PromptDefinition } from '../define/prompts.js';
import { createRegistryChanges, type RegistryChanges } from './registry-changes.js';
import { assertRegistryOptions } from './registry-options.js';
import type { RegistryArguments, ToolRegistryOptions } from './registry-options.js';
import { Resources } from '../define/resources.js';
import type { ReadResourceResult, ResourceAddress, ResourceDefinition } from '../define/resources.js';
import { compilePolicy, type ViewPolicy, WHOLE } from '../views/policy.js';
import type { View, ViewSource } from '../views/view.js';
import { createResourceWatches } from './watch/resource-watches.js';
import { assertPlain } from '@toolfold/schema/internal';

/** Creates the parts of a registry. `internalsOf` gives the rest of Toolfold access to `internals`. */
function createParts(registry: AnyRegistry, options: ToolRegistryOptions<never>) {
  const services = createServices(registry.name, options);
  const middleware: McpMiddleware[] = [];
  const prompts = new Prompts(options.schemaValidator);
  const resources = new Resources();
  const changes: RegistryChanges = createRegistryChanges(registry.name, options.shared, ({ kind }) => {
    if (kind === 'resources') watches.refresh();
  });
  const mounts = new Mounts(registry, prompts, resources, changes);
  const items = joinItems(prompts, resources, mounts, services);
  const watches = createResourceWatches(
    (uri, request) => items.updateSource(uri, request),
    (uri) => changes.notify({ kind: 'resource', uri }),
  );
  const viewHost = Object.freeze({
    name: registry.name,
    listIdentity: options.listIdentity ?? false,
    listItems: () => items.treeItems(),
  });
  const tools = new RegisteredTools(viewHost, options);
  const calls = createMultiRequestCalls(services, options);
  const internals: RegistryInternals = {
    viewHost,
    tools,
    namesClients: services.namesClients,
    callListeners: undefined,
    outputBudget: services.outputBudget,
    tenantOf: services.tenantOf,
    askInRounds: calls.askInRounds,
    get offers() {
      return items.offers();
    },
    get mounted() {
      return mounts.registries;
    },
    get hasMiddleware() {
      return middleware.length > 0 || mounts.hasMiddleware;
    },
    get taskMethods() {
      return tools.mayHaveTasks ? calls.taskMethods() : {};
    },
    format: (value) => services.responseFormatter.format(value),
    watchResource: (uri, request) => watches.watch(uri, request),
    interceptList: (...list) => mounts.interceptList(...list),
    preferFirstMounts: () => mounts.preferFirst(),
    intercept: (request, handler) =>
      middleware.length === 0 ? handler(request) : composeMcp(middleware)(request, handler),
    declareItems: (kind) => {
      items.declare(kind);
      changes.notify({ kind });
    },
    replaceItems: (given) => {
      if (given.tools) tools.replace(given.tools, new Error('registered').stack);
      items.replace(given);
      tools.forgetViews();
      return changes.notifyLists((['tools', 'prompts', 'resources'] as const).filter((kind) => given[kind]));
    },
    callOrStartTask: (request, view = registry.view(), viewFor) =>
      tools.mayHaveTasks
        ? calls.run(request, view, (changed) => registry.executeTool(changed, view, viewFor))
        : registry.executeTool(request, view, viewFor),
  };
  return { internals, services, tools, items, mounts, changes, middleware };
}

/** Holds tools, prompts and resources, and runs every call of them through one pipeline. */
export class ToolRegistry<App = unknown, Tools = never> implements AnyRegistry<App> {
  /** Carries the type of `context.app`. It has no value at run time. */
  declare readonly '~context'?: () => App;
  /** Carries the types of the registered tools. It has no value at run time. */
  declare readonly '~tools'?: (tool: Tools) => void;
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  /** The state that the registry shares with other processes. */
  readonly shared: Shared | undefined;
  readonly #core: ReturnType<typeof createParts>;

  constructor(...[options = {} as ToolRegistryOptions<App>]: RegistryArguments<App>) {
    assertRegistryOptions(options);
    this.name = options.name ?? 'toolfold';
    this.version = options.version ?? '0.0.0';
    this.instructions = options.instructions;
    this.shared = options.shared;
    this.#core = createParts(this, options as ToolRegistryOptions<never>);
    Object.defineProperty(this, INTERNALS, { value: this.#core.internals, configurable: true });
  }

  /** Number of tools, including those of mounted registries. */
  get size(): number {
    return this.#core.tools.size;
  }

  /** Whether a tool with this ID is registered: `namespace:name`, or `name` for a tool without a namespace. */
  has(toolID: string): boolean {
    return this.#core.tools.has(toolID);
  }

  /** Registers a tool of the model and the handler that runs its calls. */
  register(tool: Tool, handler: ModelHandler<App>, options?: ModelToolOptions<App>): this;
  /** Registers the tools, prompts and resources of a group of the model and of the groups in it. */
  register(group: Group, handlers: GroupHandlers<App>): this;
  /** Registers one builder or definition. */
  register<
    const Name extends string,
    const Value extends ValueFor<O>,
    const S extends SchemaSource = NoFields,
    const O extends SchemaSource = never,
    const Namespace extends string | undefined = undefined,
    Added = unknown,
  >(
    item: CompilableTool<App, Added> | OwnDefinition<App, Name, S, O, Value, Namespace>,
  ): ToolRegistry<App, Tools | (unknown extends Added ? OwnTool<Name, S, O, Namespace> : Added)>;
  /** Registers a list of builders and definitions. If one of them is invalid, none is registered. */
  register<const Parts extends readonly unknown[]>(
    items: ItemList<App, Parts>,
  ): ToolRegistry<App, Tools | ToolsInList<Parts>>;
  /** Registers builders. TypeScript checks this in linear time, unlike the signature below. */
  register<
    First extends CompilableTool<App>,
    Second extends CompilableTool<App>,
    const Rest extends readonly CompilableTool<App>[],
  >(
    first: First,
    second: Second,
    ...rest: Rest
  ): ToolRegistry<App, Tools | ToolsOf<First | Second | Rest[number]>>;
  /** Registers builders, definitions and lists of them. If one of them is invalid, none is registered. */
  register<
    const Names extends readonly unknown[],
    const Inputs extends readonly unknown[],
    const Outputs extends readonly unknown[],
    const Values extends readonly unknown[],
    const Namespaces extends readonly unknown[],
    const Added extends readonly unknown[],
  >(
    ...items: Items<App, Names, Inputs, Outputs, Values, Namespaces, Added, Lists<App, Values>>
  ): ToolRegistry<App, Tools | ToolsIn<Names, Inputs, Outputs, Namespaces, Added>>;
  register(...items: readonly unknown[]): unknown {
    if (items.length === 0) return this;
    const { stack } = new Error('registered');
    const [first, handler, options] = items;
    if (first instanceof Group) return this.#registerGroup(first, handler as GroupHandlers<App>);
    const given = first instanceof Tool ? [fromTool(first, handler, options)] : items.flat();
    this.#core.tools.add(given as readonly (CompilableTool | AnyToolDefinition)[], stack);
    this.#core.changes.notify({ kind: 'tools' });
    return this;
  }

  #registerGroup(group: Group, handlers: GroupHandlers<App> = {}): this {
    assertHandlers(group, handlers);
    const items = [...itemsIn(group)];
    const tools = items.flatMap(([item, paths]) =>
      item instanceof Tool ? [fromTool(item, handlers.tool?.(item), {}, paths)] : [],
    );
    // A list, because none of its tools is registered if one of them is invalid.
    if (tools.length > 0) this.register(tools as never);
    for (const [item] of items) {
      if (item instanceof Prompt) this.registerPrompt(item, handlers.prompt?.(item) as never);
      else if (!(item instanceof Tool))
        this.registerResource(item as Resource, handlers.resource?.(item as Resource) as never);
    }
    return this;
  }

  /**
   * Adds the tools, prompts and resources of another registry under a prefix. That registry runs them with its own context,
   * middleware, limits and services. Its later registrations appear here too.
   */
  mount<const Prefix extends string, R extends AnyRegistry>(
    prefix: Prefix,
    registry: R,
    options: MountOptions = {},
  ): ToolRegistry<App, Tools | MountedAs<Prefix, ToolsOf<R>>> {
    this.#core.mounts.add(prefix, registry, options);
    this.#core.internals.namesClients = true;
    return this as ToolRegistry<App, Tools | MountedAs<Prefix, ToolsOf<R>>>;
  }

  /** Removes a mounted registry, and tells clients. Returns whether there was one under the prefix. */
  unmount(prefix: string): boolean {
    return this.#core.mounts.remove(prefix);
  }

  /** Adds middleware around every MCP request: lists, calls, prompts and resources. */
  use(...middleware: readonly McpMiddleware[]): this {
    this.#core.middleware.push(...assertMiddleware(middleware));
    if (this.#core.middleware.length > 0) this.#core.internals.namesClients = true;
    return this;
  }

  /** Registers a prompt of the model and the handler that fills it. Its arguments are strings. */
  registerPrompt(prompt: Prompt, handler: ModelPromptHandler<App>): this;
  /** Registers a prompt. Its arguments are the fields of its schema. */
  registerPrompt<const S extends SchemaSource = NoFields>(definition: PromptDefinition<S, App>): this;
  registerPrompt(given: object, handler?: unknown): this {
    this.#core.items.addPrompt(given, handler);
    this.#core.tools.forgetViews();
    this.#core.changes.notify({ kind: 'prompts' });
    return this;
  }

  /** Registers a resource or a resource template of the model, and the handler that reads it. */
  registerResource(item: Resource | ResourceTemplate, handler: ResourceDefinition<App>['handler']): this;
  /** Registers a resource or, with a `uriTemplate`, a family of resources. */
  registerResource(definition: ResourceDefinition<App> & ResourceAddress): this;
  registerResource(given: object, handler?: unknown): this {
    this.#core.items.addResource(given, handler);
    this.#core.tools.forgetViews();
    this.#core.changes.notify({ kind: 'resources' });
    return this;
  }

  /** Tells the subscribers of a resource that it has changed. */
  notifyResourceUpdated(uri: string): void {
    this.#core.changes.notify({ kind: 'resource', uri });
  }

  /** Tells clients that the list of tools has changed. `register` and `clear` do that themselves. */
  notifyToolsChanged(): void {
    this.#core.changes.notifyToolsSoon();
  }

  /** Removes all tools, and tells clients. Prompts, resources and mounted registries stay. */
  clear(): void {
    this.#core.tools.clear();
    this.#core.changes.notify({ kind: 'tools' });
  }

  /** Returns the tools as `tools/list` sends them. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[] {
    return this.view().listTools(protocolVersion);
  }

  /** Returns the definitions of the registered tools, with the schemas and handlers that their authors wrote. */
  getToolDefinitions(): readonly RegisteredDefinition[] {
    return this.#core.tools.definitions();
  }

  /** Returns the definition of the tool with an ID, `namespace:name` or `name`. Throws if the ID is malformed. */
  getToolDefinition(toolID: string): RegisteredDefinition | undefined {
    return this.#core.tools.definition(toolID);
  }

  /** Returns the view of the tools that a policy selects. Each distinct policy is compiled once. */
  view(policy?: ViewPolicy): View {
    return this.#core.tools.view(policy === undefined ? WHOLE : compilePolicy(policy));
  }

  /**
   * Runs one call. Errors are part of the result; only unknown fields reject. `viewFor` finds another view when middleware changes
   * the caller, the session, the selection or the protocol version.
   */
  executeTool<Known, const R extends ExecuteRequest>(
    this: { readonly '~tools'?: (tool: Known) => void },
    request: R,
    view?: View,
    viewFor?: ViewSource['viewFor'],
  ): Promise<ResultOf<Known, R>>;
  executeTool(
    request: ExecuteRequest,
    view: View = this.view(),
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult> {
    if (!viewFor && !isCallRequest(request, view)) return rejectCall(request, view);
    const { services, middleware, internals } = this.#core;
    const run = (observed: ExecuteRequest) =>
      middleware.length === 0
        ? runCall(services, view.tools, observed)
        : runIntercepted(composeMcp(middleware), services, observed, view, viewFor);
    return internals.callListeners?.run({ kind: 'tool' }, request, run) ?? run(request);
  }

  /** Runs one call, like `executeTool`, with the name and the arguments as parameters. */
  routeCall(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    request: Omit<ExecuteRequest, 'name' | 'arguments'> = {},
  ): Promise<CallToolResult> {
    assertPlain('routeCall: the third argument', request);
    return this.executeTool({ ...request, name, arguments: args });
  }

  /** Counts the tools, prompts and resources, including those of mounted registries. */
  get counts(): RegistryCounts {
    return { tools: this.#core.tools.size, ...this.#core.items.countItems() };
  }

  /** Returns the prompts as `prompts/list` sends them. */
  listPrompts(): readonly McpPrompt[] {
    return this.#core.items.listPrompts();
  }

  /** Fills a prompt. Rejects if the prompt is unknown or its arguments are invalid. */
  getPrompt(request: ExecuteRequest): Promise<GetPromptResult> {
    const { items, internals } = this.#core;
    const run = (observed: ExecuteRequest) => items.getPrompt(observed);
    return (
      internals.callListeners?.run({ kind: 'prompt', address: request.name }, request, run) ?? run(request)
    );
  }

  /** Returns the resources as `resources/list` sends them. */
  listResources(): readonly McpResource[] {
    return this.#core.items.listResources();
  }

  /** Returns the templates as `resources/templates/list` sends them. */
  listResourceTemplates(): readonly McpResourceTemplate[] {
    return this.#core.items.listResourceTemplates();
  }

  /** Reads a resource, which may belong to a template. Rejects if it is unknown. */
  readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> {
    const { items, internals } = this.#core;
    const run = (observed: typeof request) => items.readResource(observed);
    return (
      internals.callListeners?.run({ kind: 'resource', address: request.uri }, request, run) ?? run(request)
    );
  }

  /** Suggests at most 100 values for an argument of a prompt or a variable of a resource template. */
  complete(request: CompletionRequest, options: RequestOptions = {}): Promise<Completion> {
    return this.#core.items.complete(request, options);
  }

  /** Calls the listener after every change of the registered items. Returns a function that unsubscribes it. */
  onChange(listener: (change: RegistryChange) => void): () => void {
    return this.#core.changes.listen(listener);
  }

  /** Serves the registry through a server of either MCP SDK. Returns a function that detaches it. */
  attachToServer(server: unknown, options: AttachOptions = {}): DetachFn {
    return attach(this, server, options);
  }
}
