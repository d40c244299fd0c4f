import type { AnyRegistry, ListEntry, ListKind, RegistryCounts } from './any-registry.js';
import { Mounts, type MountOptions } from './mount/mounts.js';
import { MultiRequestCalls } from './multi-request-calls.js';
import { RegisteredItems } from './registered-items.js';
import type { ReplacedItems } from './registered-items.js';
import { RegisteredTools } from './registered-tools.js';
import type { ValueFor } from '../define/handler-value.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { MountedAs, ResultOf, ToolsOf } from '../define/typed-tool.js';
import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  ProtocolVersion,
} from '../protocol/mcp-types.js';
import type { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { Tool } from '../model/tool.js';
import type { NoFields, SchemaSource } from '../schema/read/read-schema.js';
import type { Shared, RegistryChange } from '../stores/contracts.js';
import { attach, type AttachOptions, type DetachFn } from './attach/attach.js';
import type { CallListeners } from '../engine/trace/call-listeners.js';
import { createServices, type ServiceOptions, type Services } from '../engine/services.js';
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
import { fromTool } from '../compile/from-model.js';
import type { ModelHandler, ModelPromptHandler, ModelToolOptions } from '../compile/from-model.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import { assertMiddleware, runIntercepted, composeMcp } from './mcp-middleware.js';
import type { MethodHandler, McpMiddleware } from './mcp-middleware.js';
import type { McpRequest, ExecuteRequest, RequestOptions } from '../engine/request.js';
import { isCallRequest, rejectCall } from '../engine/assert-request.js';
import { runCall } from '../engine/pipeline.js';
import type { GetPromptResult, PromptDefinition } from '../define/prompts.js';
import { RegistryChanges } from './registry-changes.js';
import { assertRegistryOptions } from './registry-options.js';
import type { RegistryArguments, ToolRegistryOptions } from './registry-options.js';
import type { AskClient } from '../questions/request-input.js';
import type { ReadResourceResult, ResourceDefinition } from '../define/resources.js';
import { compilePolicy, type ViewPolicy, WHOLE } from '../views/policy.js';
import type { View, ViewSource } from '../views/view.js';
import { ResourceWatches } from './watch/resource-watches.js';
import type { WatchRequest } from './watch/resource-watches.js';
import type { ViewHost } from '../views/view-tree.js';

/** The tools that replace all others. */
interface ReplacedTools {
  readonly tools?: readonly (CompilableTool | AnyToolDefinition)[];
}

/** Holds tools, prompts and resources, and runs every call of them through one pipeline. */
export class ToolRegistry<App = unknown, Tools = never> implements AnyRegistry<App> {
  /** Exists only as a type: the value that `contextFactory` returns. */
  declare readonly '~context'?: () => App;
  /** Exists only as a type: the tools that were chained. */
  declare readonly '~tools'?: (tool: Tools) => void;
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  /** The state that the registry shares with other processes. */
  readonly shared: Shared | undefined;
  /** @internal The name, the options and the prompts and resources that all views of the registry share. */
  readonly viewHost: ViewHost;
  /** @internal The compiled tools, and the views over them. */
  readonly tools: RegisteredTools;
  /** @internal Whether anything reads the client's name, which is expensive to determine. */
  namesClients: boolean;
  /** @internal The maximum size of results, unless a definition sets its own. */
  readonly outputBudget: Services['outputBudget'];
  /** @internal The listeners of `observeCalls`; `undefined` while there are none, so that calls pay nothing. */
  observed: CallListeners | undefined;
  readonly #services: Services;
  readonly #items: RegisteredItems;
  readonly #changes: RegistryChanges;
  readonly #middleware: McpMiddleware[] = [];
  readonly #mounts: Mounts;
  readonly #multiRequestCalls: MultiRequestCalls;
  readonly #watches: ResourceWatches;

  constructor(...[options = {} as ToolRegistryOptions<App>]: RegistryArguments<App>) {
    assertRegistryOptions(options);
    this.name = options.name ?? 'toolfold';
    this.version = options.version ?? '0.0.0';
    this.instructions = options.instructions;
    this.shared = options.shared;
    this.#services = createServices(this.name, options as ServiceOptions);
    this.namesClients = this.#services.namesClients;
    this.outputBudget = this.#services.outputBudget;
    this.#items = new RegisteredItems(options.schemaValidator, this.#services, () => this.#mounts);
    this.#multiRequestCalls = new MultiRequestCalls(this.#services, options);
    this.#watches = new ResourceWatches(
      (uri, request) => this.#items.updateSource(uri, request),
      (uri) => this.notifyResourceUpdated(uri),
    );
    this.#changes = new RegistryChanges(this.name, options.shared, ({ kind }) => {
      if (kind === 'resources') this.#watches.refresh();
    });
    this.viewHost = Object.freeze({
      name: this.name,
      listIdentity: options.listIdentity ?? false,
      listItems: () => this.#items.treeItems(),
    });
    this.tools = new RegisteredTools(this.viewHost, options as ToolRegistryOptions<never>);
    this.#mounts = new Mounts(this, this.#items.prompts, this.#items.resources, this.#changes);
  }

  /** Number of registered tools. */
  get size(): number {
    return this.tools.size;
  }

  /** Whether a tool with this ID is registered: `namespace:name`, or `name` for a tool without a namespace. */
  has(toolID: string): boolean {
    return this.tools.has(toolID);
  }

  /** Registers a tool of the model and the handler that runs its calls. */
  register(tool: Tool, handler: ModelHandler<App>, options?: ModelToolOptions<App>): this;
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
    const given = first instanceof Tool ? [fromTool(first, handler, options)] : items.flat();
    this.tools.add(given as readonly (CompilableTool | AnyToolDefinition)[], stack);
    this.#changes.notify({ kind: 'tools' });
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
    this.#mounts.add(prefix, registry, options);
    this.namesClients = true;
    return this as ToolRegistry<App, Tools | MountedAs<Prefix, ToolsOf<R>>>;
  }

  /** Removes a mounted registry, and tells clients. Returns whether there was one under the prefix. */
  unmount(prefix: string): boolean {
    return this.#mounts.remove(prefix);
  }

  /** @internal The mounted registries by prefix. */
  get mounted(): ReadonlyMap<string, AnyRegistry> {
    return this.#mounts.registries;
  }

  /** Adds middleware around every MCP request: lists, calls, prompts and resources. */
  use(...middleware: readonly McpMiddleware[]): this {
    this.#middleware.push(...assertMiddleware(middleware));
    if (this.#middleware.length > 0) this.namesClients = true;
    return this;
  }

  /** @internal Whether any middleware of `use` runs, also in mounted registries. Without it, equal requests get equal answers. */
  get hasMiddleware(): boolean {
    return this.#middleware.length > 0 || this.#mounts.hasMiddleware;
  }

  /** @internal Lets the middleware of mounted registries change their parts of a list. */
  interceptList(kind: ListKind, request: McpRequest, list: readonly ListEntry[], tools?: View['tools']) {
    return this.#mounts.interceptList(kind, request, list, tools);
  }

  /** @internal Writes a value as the text of a result. */
  format(value: unknown): string {
    return this.#services.responseFormatter.format(value);
  }

  /** @internal The tenant that the operator's `tenant` names for a request. */
  tenantOf(request: RequestOptions): string | undefined {
    return this.#services.tenantOf(request);
  }

  /** @internal Runs a request through the middleware of `use`. */
  intercept(request: McpRequest, handler: MethodHandler): Promise<unknown> {
    return this.#middleware.length === 0 ? handler(request) : composeMcp(this.#middleware)(request, handler);
  }

  /** Registers a prompt of the model and the handler that fills it. Its arguments are strings. */
  registerPrompt(prompt: Prompt, handler: ModelPromptHandler<App>): this;
  /** Registers a prompt. Its arguments are the fields of its schema. */
  registerPrompt<const S extends SchemaSource = NoFields>(definition: PromptDefinition<S, App>): this;
  registerPrompt(given: object, handler?: unknown): this {
    this.#items.addPrompt(given, handler);
    this.tools.forgetViews();
    this.#changes.notify({ kind: 'prompts' });
    return this;
  }

  /** Registers a resource or a resource template of the model, and the handler that reads it. */
  registerResource(item: Resource | ResourceTemplate, handler: ResourceDefinition<App>['handler']): this;
  /** Registers a resource or, with a `uriTemplate`, a family of resources. */
  registerResource(definition: ResourceDefinition<App>): this;
  registerResource(given: object, handler?: unknown): this {
    this.#items.addResource(given, handler);
    this.tools.forgetViews();
    this.#changes.notify({ kind: 'resources' });
    return this;
  }

  /** Tells the subscribers of a resource that it has changed. */
  notifyResourceUpdated(uri: string): void {
    this.#changes.notify({ kind: 'resource', uri });
  }

  /** Tells clients that the list of tools has changed. `register` and `clear` do that themselves. */
  notifyToolsChanged(): void {
    this.#changes.notifyToolsSoon();
  }

  /** Removes all tools, and tells clients. Prompts, resources and mounted registries stay. */
  clear(): void {
    this.tools.clear();
    this.#changes.notify({ kind: 'tools' });
  }

  /**
   * @internal Replaces the registry's own items of the given kinds, and tells clients once for each kind. Throws if a tool is
   * invalid, and changes nothing then. Returns the errors of listeners, such as conflicts with the items of other registries.
   */
  replaceItems({ tools, ...items }: ReplacedTools & ReplacedItems): readonly unknown[] {
    if (tools) this.tools.replace(tools, new Error('registered').stack);
    this.#items.replace(items);
    this.tools.forgetViews();
    const given = { tools, ...items };
    return this.#changes.notifyLists(
      (['tools', 'prompts', 'resources'] as const).filter((kind) => given[kind]),
    );
  }

  /** @internal Serves the methods of prompts or resources from now on, because items of that kind may be registered later. */
  declareItems(kind: 'prompts' | 'resources'): void {
    this.#items.declare(kind);
    this.#changes.notify({ kind });
  }

  /** @internal Tells a resource that a client is subscribed to it. Returns a function that ends the subscription. */
  watchResource(uri: string, request: WatchRequest): () => void {
    return this.#watches.watch(uri, request);
  }

  /** The tools in their MCP form. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[] {
    return this.view().listTools(protocolVersion);
  }

  /** The definitions of the registered tools. */
  getToolDefinitions(): readonly CompiledSpec['spec'][] {
    return this.tools.definitions();
  }

  /** The definition of the tool with an ID, `namespace:name` or `name`. Throws if the ID is malformed. */
  getToolDefinition(toolID: string): CompiledSpec['spec'] | undefined {
    return this.tools.definition(toolID);
  }

  /** A view of the tools that a policy selects. Each distinct policy is compiled once. */
  view(policy?: ViewPolicy): View {
    return this.tools.view(policy === undefined ? WHOLE : compilePolicy(policy));
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
    if (!this.observed) return this.#run(request, view, viewFor);
    return this.observed.run(request, (traced) => this.#run(traced, view, viewFor));
  }

  #run(request: ExecuteRequest, view: View, viewFor: ViewSource['viewFor'] | undefined) {
    if (this.#middleware.length === 0) return runCall(this.#services, view.tools, request);
    return runIntercepted(composeMcp(this.#middleware), this.#services, request, view, viewFor);
  }

  /** Runs one call, like `executeTool`, with the name and the arguments as parameters. */
  routeCall(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    request: Omit<ExecuteRequest, 'name' | 'arguments'> = {},
  ): Promise<CallToolResult> {
    return this.executeTool({ ...request, name, arguments: args });
  }

  /** How many tools, prompts and resources are registered. */
  get counts(): RegistryCounts {
    return { tools: this.tools.size, ...this.#items.counts };
  }

  /** @internal Whether the methods of prompts and resources are served. A kind may have no items at the moment. */
  get offers(): { readonly prompts: boolean; readonly resources: boolean } {
    return this.#items.offers;
  }

  /** The prompts in their MCP form. */
  listPrompts(): readonly McpPrompt[] {
    return this.#items.listPrompts();
  }

  /** Fills a prompt. Rejects if the prompt is unknown or its arguments are invalid. */
  getPrompt(request: ExecuteRequest): Promise<GetPromptResult> {
    if (!this.observed) return this.#items.getPrompt(request);
    return this.observed.getPrompt(request, (traced) => this.#items.getPrompt(traced));
  }

  /** The resources in their MCP form. */
  listResources(): readonly McpResource[] {
    return this.#items.listResources();
  }

  /** The resource templates in their MCP form. */
  listResourceTemplates(): readonly McpResourceTemplate[] {
    return this.#items.listResourceTemplates();
  }

  /** Reads a resource, which may belong to a template. Rejects if it is unknown. */
  readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> {
    if (!this.observed) return this.#items.readResource(request);
    return this.observed.readResource(request, (traced) => this.#items.readResource(traced));
  }

  /** Suggests at most 100 values for an argument of a prompt or a variable of a resource template. */
  complete(request: CompletionRequest, options: RequestOptions = {}): Promise<Completion> {
    return this.#items.complete(request, options);
  }

  /** Calls the listener after every change of the registered items. Returns a function that unsubscribes it. */
  onChange(listener: (change: RegistryChange) => void): () => void {
    return this.#changes.listen(listener);
  }

  /** @internal Runs a call for a client, as a task if the action and the client allow it. */
  callOrStartTask(
    request: ExecuteRequest,
    view: View = this.view(),
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult> {
    if (!this.tools.mayHaveTasks) return this.executeTool(request, view, viewFor);
    return this.#multiRequestCalls.run(request, view, (changed) => this.executeTool(changed, view, viewFor));
  }

  /** @internal The methods of the tasks extension, or none if no action can run as a task. */
  get taskMethods(): Readonly<Record<string, MethodHandler>> {
    return this.tools.mayHaveTasks ? this.#multiRequestCalls.taskMethods() : {};
  }

  /** @internal Asks a client without a connection: the questions are the answer to its request. */
  askInRounds(request: Omit<RoundsRequest, 'holder'>, options: RequestOptions): AskClient {
    return this.#multiRequestCalls.askInRounds(request, options);
  }

  /** Serves the registry through a server of either MCP SDK. Returns a function that detaches it. */
  attachToServer(server: unknown, options: AttachOptions = {}): DetachFn {
    return attach(this, server, options);
  }
}
