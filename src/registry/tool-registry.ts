import { RegisteredTools } from './registered-tools.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { callerKey, holderKey } from '../callers/caller-key.js';
import { RequestState } from '../questions/request-state.js';
import type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  ProtocolVersion,
} from '../protocol/mcp-types.js';
import { Prompt } from '../model/prompt.js';
import { Resource, ResourceTemplate } from '../model/resource.js';
import { Tool } from '../model/tool.js';
import { canonicalJson } from '../values/json-value.js';
import type { SchemaSource } from '../schema/read/read-schema.js';
import type { Shared, RegistryChange } from '../stores/shared.js';
import type { AnyRegistry } from './any-registry.js';
import { attach } from './attach/attach.js';
import type { AttachOptions, DetachFn } from './attach/attach.js';
import { createServices } from '../engine/services.js';
import type { ServiceOptions, Services } from '../engine/services.js';
import type { AnyRegistrable, CompilableTool, Registrable } from '../compile/compile-item.js';
import { complete } from './complete.js';
import type { Completion, CompletionRequest } from './complete.js';
import { fromPrompt, fromResource, fromTool } from '../compile/from-model.js';
import type { ModelHandler, ModelPromptHandler, ModelToolOptions } from '../compile/from-model.js';
import { createRoundAsker } from '../questions/input-rounds.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import { runIntercepted, composeMcp } from './mcp-middleware.js';
import type { MethodHandler, McpMiddleware } from './mcp-middleware.js';
import type { McpRequest, ExecuteRequest, RequestOptions } from '../engine/request.js';
import { runCall } from '../engine/pipeline.js';
import { Prompts } from '../define/prompts.js';
import type { GetPromptResult, PromptDefinition } from '../define/prompts.js';
import { RegistryChanges } from './registry-changes.js';
import { assertRegistryOptions } from './registry-options.js';
import type { ToolRegistryOptions } from './registry-options.js';
import type { AskClient } from '../questions/request-input.js';
import { Resources } from '../define/resources.js';
import type { ReadResourceResult, ResourceDefinition } from '../define/resources.js';
import { runWithContext } from '../engine/request-context.js';
import { callAsTask, createTaskMethods, taskRuleOf } from '../tasks/task-calls.js';
import { Tasks } from '../tasks/tasks.js';
import { compilePolicy, WHOLE } from '../views/policy.js';
import type { View, ViewSource } from '../views/view.js';
import type { ViewHost } from '../views/view-tree.js';
import type { ViewPolicy } from '../views/policy.js';

/** The schema of a tool without arguments. */
type NoFields = Record<string, never>;

/** Collects tools and runs every call of them in the same way. */
export class ToolRegistry<App = unknown> implements AnyRegistry {
  readonly name: string;
  /** The server's version. */
  readonly version: string;
  readonly instructions: string | undefined;
  /**
   * What all views of the registry share.
   *
   * @internal
   */
  readonly viewHost: ViewHost;
  /**
   * The compiled tools, and the views over them.
   *
   * @internal
   */
  readonly tools: RegisteredTools;
  readonly #options: ToolRegistryOptions<App>;
  readonly #services: Services;
  /** Whether tools that are loaded later may run as tasks. */
  #expectsTasks = false;
  readonly #prompts: Prompts;
  readonly #resources = new Resources();
  readonly #changes: RegistryChanges;
  readonly #middleware: McpMiddleware[] = [];
  readonly #tasks: Tasks;
  readonly #states: RequestState;

  constructor(options: ToolRegistryOptions<App> = {}) {
    assertRegistryOptions(options);
    this.name = options.name ?? 'toolfold';
    this.version = options.version ?? '0.0.0';
    this.instructions = options.instructions;
    this.#options = options;
    this.#services = createServices(this.name, options as ServiceOptions);
    this.#prompts = new Prompts(options.schemaValidator);
    this.#tasks = new Tasks(options.clock, options.shared?.shareTasks());
    const key = options.requestStateKey ?? options.shared?.requestStateKey;
    this.#states = new RequestState({ key, clock: options.clock });
    this.#changes = new RegistryChanges(this.name, options.shared);
    const { listIdentity = false } = options;
    this.viewHost = Object.freeze({
      name: this.name,
      listIdentity,
      listItems: () => [...this.#prompts.items, ...this.#resources.items],
    });
    this.tools = new RegisteredTools(this.viewHost, options as ToolRegistryOptions<never>);
  }

  /** What it shares with other processes. */
  get shared(): Shared | undefined {
    return this.#options.shared;
  }

  /** How many tools are registered. */
  get size(): number {
    return this.tools.size;
  }

  /** Whether a tool of this ID is registered: `namespace:name`, or `name` for a tool without a namespace. */
  has(toolID: string): boolean {
    return this.tools.has(toolID);
  }

  /** Takes a tool of the model and the handler that runs its calls. */
  register(tool: Tool, handler: ModelHandler<App>, options?: ModelToolOptions<App>): this;
  /**
   * Takes builders and definitions; all of them or, on an error, none. A parameter of its own for each of the
   * first eight is how TypeScript infers the input of each handler.
   */
  register<
    const A extends SchemaSource = NoFields,
    const B extends SchemaSource = NoFields,
    const C extends SchemaSource = NoFields,
    const D extends SchemaSource = NoFields,
    const E extends SchemaSource = NoFields,
    const F extends SchemaSource = NoFields,
    const G extends SchemaSource = NoFields,
    const H extends SchemaSource = NoFields,
  >(
    a: Registrable<A, App>,
    b?: Registrable<B, App>,
    c?: Registrable<C, App>,
    d?: Registrable<D, App>,
    e?: Registrable<E, App>,
    f?: Registrable<F, App>,
    g?: Registrable<G, App>,
    h?: Registrable<H, App>,
    ...more: readonly (CompilableTool<App> | AnyRegistrable)[]
  ): this;
  register(...items: readonly (CompilableTool<App> | AnyRegistrable)[]): this;
  register(...items: readonly unknown[]): this {
    if (items.length === 0) return this;
    const { stack } = new Error('registered');
    const [first, handler, options] = items;
    const given = first instanceof Tool ? [fromTool(first, handler, options)] : items;
    this.tools.add(given as readonly (CompilableTool | AnyToolDefinition)[], stack);
    this.#changed();
    return this;
  }

  /** Wraps every request of MCP: lists, calls, prompts and resources. */
  use(...middleware: readonly McpMiddleware[]): this {
    this.#middleware.push(...middleware);
    return this;
  }

  /**
   * Whether any middleware runs. Without middleware, equal requests get equal answers.
   *
   * @internal
   */
  get hasMiddleware(): boolean {
    return this.#middleware.length > 0;
  }

  /**
   * Whether anybody looks at what clients are called: finding out takes longer than it seems.
   *
   * @internal
   */
  get namesClients(): boolean {
    return this.#services.namesClients || this.#middleware.length > 0;
  }

  /**
   * Runs a request through the middleware of `use`.
   *
   * @internal
   */
  intercept(request: McpRequest, handler: MethodHandler): Promise<unknown> {
    return this.#middleware.length === 0 ? handler(request) : composeMcp(this.#middleware)(request, handler);
  }

  /** Takes a prompt of the model and the handler that fills it. Its arguments are text. */
  registerPrompt(prompt: Prompt, handler: ModelPromptHandler<App>): this;
  /** Takes a prompt; its arguments are the fields of its schema. */
  registerPrompt<const S extends SchemaSource = Record<string, never>>(
    definition: PromptDefinition<S, App>,
  ): this;
  registerPrompt(given: object, handler?: unknown): this {
    this.#prompts.add(given instanceof Prompt ? fromPrompt(given, handler) : (given as PromptDefinition));
    this.tools.forgetViews();
    this.#changes.notify({ kind: 'prompts' });
    return this;
  }

  /** Takes a resource or a resource template of the model, and the handler that reads it. */
  registerResource(item: Resource | ResourceTemplate, handler: ResourceDefinition<App>['handler']): this;
  /** Takes a resource or, with a `uriTemplate`, a family of resources. */
  registerResource(definition: ResourceDefinition<App>): this;
  registerResource(given: object, handler?: unknown): this {
    const isModel = given instanceof Resource || given instanceof ResourceTemplate;
    this.#resources.add(isModel ? fromResource(given, handler) : (given as ResourceDefinition));
    this.tools.forgetViews();
    this.#changes.notify({ kind: 'resources' });
    return this;
  }

  /** Tells whoever subscribed to a resource that it has changed. */
  notifyResourceUpdated(uri: string): void {
    this.#changes.notify({ kind: 'resource', uri });
  }

  /** Tells clients that the tools have changed, where that is not by registering them. */
  notifyToolsChanged(): void {
    this.#changes.notifyToolsSoon();
  }

  /** Forgets all tools, and tells clients. Prompts and resources stay. */
  clear(): void {
    this.tools.clear();
    this.#changed();
  }

  /** The tools in their MCP form. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[] {
    return this.view().listTools(protocolVersion);
  }

  /** What was registered, as it was read. */
  getToolDefinitions(): readonly CompiledSpec['spec'][] {
    return this.tools.definitions();
  }

  /** What was registered under an ID, `namespace:name` or `name`, as it was read. A malformed ID throws. */
  getToolDefinition(toolID: string): CompiledSpec['spec'] | undefined {
    return this.tools.definition(toolID);
  }

  /** A narrower registry, compiled once for every distinct policy. */
  view(policy?: ViewPolicy): View {
    return this.tools.view(policy === undefined ? WHOLE : compilePolicy(policy));
  }

  /**
   * Runs one call. Whatever goes wrong is in the result. `viewFor` gives the view where middleware changes what decides
   * about it.
   */
  executeTool(
    request: ExecuteRequest,
    view: View = this.view(),
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult> {
    if (this.#middleware.length === 0) return runCall(this.#services, view.tools, request);
    const intercept = composeMcp(this.#middleware);
    return runIntercepted(intercept, this.#services, request ?? {}, view, viewFor);
  }

  /** The same under the name that the edge uses. */
  routeCall(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    request: Omit<ExecuteRequest, 'name' | 'arguments'> = {},
  ): Promise<CallToolResult> {
    return this.executeTool({ ...request, name, arguments: args });
  }

  /** How many of each kind are registered. */
  get counts(): { readonly tools: number; readonly prompts: number; readonly resources: number } {
    return { tools: this.tools.size, prompts: this.#prompts.size, resources: this.#resources.size };
  }

  /** The prompts in their MCP form. */
  listPrompts(): readonly McpPrompt[] {
    return this.#prompts.list();
  }

  /** Fills a prompt. An unknown one, or arguments that do not fit, reject. */
  async getPrompt(request: ExecuteRequest): Promise<GetPromptResult> {
    return runWithContext(request, this.#services, (context) =>
      this.#prompts.get(request.name, request.arguments ?? {}, context),
    );
  }

  /** The resources in their MCP form. */
  listResources(): readonly McpResource[] {
    return this.#resources.list();
  }

  /** The resource templates in their MCP form. */
  listResourceTemplates(): readonly McpResourceTemplate[] {
    return this.#resources.listTemplates();
  }

  /** Reads a resource, one of its own or of a template. An unknown one rejects. */
  async readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> {
    return runWithContext(request, this.#services, (context) => this.#resources.read(request.uri, context));
  }

  /** Suggestions for an argument of a prompt or a variable of a template, at most a hundred. */
  complete(request: CompletionRequest): Promise<Completion> {
    return complete(request, this.#prompts, this.#resources);
  }

  /** Calls back once for every change of what is registered; the result stops that. */
  onChange(listener: (change: RegistryChange) => void): () => void {
    return this.#changes.listen(listener);
  }

  /** Runs one call for a client: where the action is declared so and the client takes tasks, as a task. */
  callTool(
    request: ExecuteRequest,
    view: View = this.view(),
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult> {
    const rule = taskRuleOf(view, request);
    if (!rule) return this.executeTool(request, view, viewFor);
    const owner = this.#services.keyOf(holderKey, request);
    const payer = this.#services.payerOf(callerKey, request);
    return callAsTask(rule, { tasks: this.#tasks, owner, payer }, request, (changed) =>
      this.executeTool(changed, view, viewFor),
    );
  }

  /**
   * What is loaded later may be long work.
   *
   * @internal
   */
  expectTasks(): void {
    this.#expectsTasks = true;
  }

  /**
   * The methods of the tasks extension; none where no action is declared so.
   *
   * @internal
   */
  get taskMethods(): Readonly<Record<string, MethodHandler>> {
    if (!this.#expectsTasks && !this.tools.mayHaveTasks) return {};
    return createTaskMethods(this.#tasks.desk, (request) => this.#services.keyOf(holderKey, request));
  }

  /**
   * How questions reach a client that keeps no connection: as the answer.
   *
   * @internal
   */
  askInRounds(request: Omit<RoundsRequest, 'holder'>, options: RequestOptions): AskClient {
    // Another selection may have another tool of that name.
    const holder = (): string =>
      `${this.#services.keyOf(holderKey, options)}${options.selection ? canonicalJson(options.selection) : ''}`;
    return createRoundAsker(this.#states, { ...request, holder });
  }

  /** Serves the tools through a server of either MCP SDK. */
  attachToServer(server: unknown, options: AttachOptions = {}): DetachFn {
    return attach(this, server, options);
  }

  #changed(): void {
    this.#changes.notify({ kind: 'tools' });
  }
}
