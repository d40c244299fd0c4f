import { deepFreeze } from '../compile/deep-freeze.js';
import { FrozenMap } from '../compile/frozen-map.js';
import { InputRequired } from '../compile/input-required.js';
import { nearestName } from '../compile/nearest-name.js';
import { readDefinition } from '../compile/read-definition.js';
import type { AnyToolDefinition } from '../compile/read-definition.js';
import type { RequestContext, ToolDefinition } from '../compile/tool-definition.js';
import { compileActions, defaultStrategies } from '../compile/tool-definition-compiler.js';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import {
  ErrDuplicateName,
  ErrInvalidModel,
  ErrInvalidResult,
  ErrInvalidTool,
  ToolfoldError,
} from '../errors.js';
import { assertBudget } from '../format/output-budget.js';
import { isResult } from '../format/tool-result.js';
import type { CallToolResult } from '../format/tool-result.js';
import { recordKey } from '../guard/caller-key.js';
import { redactError } from '../guard/redact-error.js';
import { RequestState } from '../guard/request-state.js';
import type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  McpTool,
  ProtocolVersion,
} from '../model/converters/mcp-types.js';
import { isJsonObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';
import type { SchemaSource } from '../schema/read-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';
import type { Shared } from '../stores/shared.js';
import { attach } from './attach.js';
import type { AttachOptions, DetachFn } from './attach.js';
import { collaboratorNames, createCollaborators } from './collaborators.js';
import type { CollaboratorOptions, Collaborators } from './collaborators.js';
import { composeMcp } from './mcp-middleware.js';
import type { McpHandler, McpMiddleware, McpRequest } from './mcp-middleware.js';
import { logFailure, toError } from './call-errors.js';
import { followForward } from './find-action.js';
import { runPipeline } from './pipeline.js';
import type { ExecuteRequest } from './pipeline.js';
import { Prompts } from './prompts.js';
import type { GetPromptResult, PromptDefinition } from './prompts.js';
import { createRequestContext, redactorFor } from './request-context.js';
import type { RequestOptions } from './request-context.js';
import type { AskClient } from './request-input.js';
import { Resources } from './resources.js';
import { shareChanges } from './share-changes.js';
import { SharedTasks } from './shared-tasks.js';
import type { ReadResourceResult, ResourceDefinition } from './resources.js';
import { createRoundAsker } from './input-rounds.js';
import type { RoundsRequest } from './input-rounds.js';
import { callAsTask, createTaskMethods, taskRuleOf } from './task-calls.js';
import { Tasks } from './tasks.js';
import { compileView, normalizePolicy } from './view.js';
import type { CompileOptions, View, ViewPolicy } from './view.js';
import type { ViewSource } from './view-source.js';
import { wireNamesOf } from './wire-names.js';

export interface ToolRegistryOptions<App> extends CollaboratorOptions<App> {
  /** The server's name; also the root of the tree. */
  readonly name?: string;
  readonly version?: string;
  /** What clients are told about using the server as a whole. */
  readonly instructions?: string;
  /** Which names tools may have: those that every known client accepts, by default, or all that MCP allows. */
  readonly wireNames?: 'portable' | 'any';
  /**
   * Signs what clients of 2026-07-28 carry from request to request while they answer questions: at least 32 bytes, and
   * the same in all processes that serve one client. By default that of the shared state, or made anew in each process.
   */
  readonly requestStateKey?: string | Uint8Array;
  /** Validates the JSON Schemas among the definitions. */
  readonly schemaValidator?: SchemaValidator;
}

/** Something that compiles itself to a tool, such as a builder. */
export interface CompilableTool<App = never> {
  readonly name: string;
  /** Never there: it makes a builder whose handlers want another `context.app` an error of types. */
  readonly '~app'?: (app: App) => void;
  compile(): CompiledSpec;
}

/** What can be registered: a builder, or a definition whose handler's input follows from its schema. */
type Registrable<S extends SchemaSource, App> =
  | CompilableTool<App>
  | (ToolDefinition<S, App> & { readonly description: string; readonly inputSchema: S });

type AnyRegistrable = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: SchemaSource;
};

type NoFields = Record<string, never>;

/** What changed: the list of tools, prompts or resources, or one resource. */
export type RegistryChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/** What is being typed, and where. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

export interface Completion {
  values: string[];
  total: number;
  hasMore: boolean;
}

/** MCP allows no more suggestions in one answer. */
const MAX_COMPLETIONS = 100;

/** How many views are kept; the one that was not used for longest goes first. */
const MAX_VIEWS = 256;

/** Collects tools and runs every call of them in the same way. */
export class ToolRegistry<App = unknown> {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly #options: ToolRegistryOptions<App>;
  readonly #collaborators: Collaborators;
  readonly #specs = new Map<string, CompiledSpec & { readonly registeredAt: string }>();
  readonly #views = new Map<string, View>();
  #mayHaveTasks = false;
  #isNotifying = false;
  /** What was compiled elsewhere and found to be listable. */
  readonly #listable = new WeakSet<CompiledSpec>();
  /** The view without a policy, which most calls go through. */
  #whole: View | undefined;
  readonly #prompts = new Prompts();
  readonly #resources = new Resources();
  readonly #listeners = new Set<(change: RegistryChange) => void>();
  readonly #middleware: McpMiddleware[] = [];
  readonly #tasks: Tasks;
  readonly #states: RequestState;
  readonly #shareChange: ((change: RegistryChange) => void) | undefined;

  constructor(options: ToolRegistryOptions<App> = {}) {
    assertOptions(options);
    this.name = options.name ?? 'toolfold';
    this.version = options.version ?? '0.0.0';
    this.instructions = options.instructions;
    this.#options = options;
    this.#collaborators = createCollaborators(this.name, options as CollaboratorOptions);
    this.#tasks = new Tasks(options.clock, options.shared && new SharedTasks(options.shared));
    const key = options.requestStateKey ?? options.shared?.requestStateKey;
    this.#states = new RequestState({ key, clock: options.clock });
    const { shared } = options;
    this.#shareChange = shared && shareChanges(shared.bus, this.name, (change) => this.#tell(change));
  }

  /** What it shares with other processes. */
  get shared(): Shared | undefined {
    return this.#options.shared;
  }

  get size(): number {
    return this.#specs.size;
  }

  has(name: string): boolean {
    return this.#specs.has(name);
  }

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
    const registeredAt = callerOf(new Error('registered').stack);
    const added = new Map<string, CompiledSpec & { readonly registeredAt: string }>();
    for (const item of items as readonly (CompilableTool | AnyToolDefinition)[]) {
      const compiled = this.compileItem(item);
      const { name } = compiled.spec;
      const first = this.#specs.get(name) ?? added.get(name);
      if (first) {
        throw new ErrDuplicateName(`A tool "${name}" is already registered${first.registeredAt}.`, {
          hint: 'Rename one of them; tools of another server get a prefix from fromMcpServer(…, { prefix }).',
          details: { name, kind: 'tool' },
        });
      }
      added.set(name, { ...compiled, registeredAt });
    }
    // Whatever could not be listed is refused here, not in the next request.
    this.#assertListable([...added.values()]);
    for (const [name, spec] of added) this.#specs.set(name, spec);
    this.#changed();
    return this;
  }

  /** Compiles a builder or a definition without registering it. `origin` tells it from others of its name. */
  compileItem(item: CompilableTool | AnyToolDefinition, origin?: string): CompiledSpec {
    assertItem(item);
    const made = 'compile' in item ? item.compile() : this.#compileDefinition(item);
    const compiled = origin === undefined ? made : withOrigin(made, origin);
    for (const { address, action } of compiled.actions.values()) {
      if (action.task) this.#mayHaveTasks = true;
      if (action.outputBudget) assertBudget(action.outputBudget, `Tool "${address}": outputBudget`);
    }
    return compiled;
  }

  /** A view of what is registered and more, which belongs to toolsets. It is not kept. */
  viewWith(more: readonly CompiledSpec[], policy: ViewPolicy, options?: CompileOptions): View {
    this.#assertListable(more.filter((spec) => !this.#listable.has(spec)));
    for (const spec of more) this.#listable.add(spec);
    return compileView(this.name, [...this.#specs.values(), ...more], normalizePolicy(policy), options);
  }

  /** The names that what is registered, and more, has in a form. */
  namesOf(more: readonly CompiledSpec[], policy: ViewPolicy): Set<string> {
    const specs = [...this.#specs.values(), ...more];
    return new Set(specs.flatMap((spec) => wireNamesOf(spec, policy)));
  }

  /** The names that tools have in a form. Throws on what cannot be listed beside what has these names already. */
  assertFree(
    specs: readonly CompiledSpec[],
    policy: ViewPolicy,
    taken: ReadonlySet<string>,
  ): ReadonlySet<string> {
    this.#assertListable(specs.filter((spec) => !this.#listable.has(spec)));
    for (const spec of specs) this.#listable.add(spec);
    const names = new Set<string>();
    let clashing: string | undefined;
    for (const name of specs.flatMap((spec) => wireNamesOf(spec, policy))) {
      if (taken.has(name) || names.has(name)) clashing ??= name;
      names.add(name);
    }
    if (clashing === undefined) return names;
    throw new ErrDuplicateName(`Two tools would both be called "${clashing}".`, {
      hint: 'Rename one of them, use namespaceToolsWithSetKey, or give the tools of another server a prefix.',
      details: { name: clashing, kind: 'tool' },
    });
  }

  #assertListable(specs: readonly CompiledSpec[]): void {
    const tools = compileView(this.name, specs, {}).listTools();
    if (this.#options.wireNames !== 'any') for (const { name } of tools) assertPortable(name);
  }

  /** Wraps every request of MCP: lists, calls, prompts and resources. */
  use(...middleware: readonly McpMiddleware[]): this {
    this.#middleware.push(...middleware);
    return this;
  }

  /** Whether every request gets the same answer: nothing looks at it on its way. */
  get isPlain(): boolean {
    return this.#middleware.length === 0;
  }

  /** Whether anybody looks at what clients are called: finding out takes longer than it seems. */
  get namesClients(): boolean {
    return this.#collaborators.namesClients || this.#middleware.length > 0;
  }

  /** Runs a request through the middleware of `use`. */
  intercept(request: McpRequest, handler: McpHandler): Promise<unknown> {
    return this.#middleware.length === 0 ? handler(request) : composeMcp(this.#middleware)(request, handler);
  }

  /** Takes a prompt; its arguments are the fields of its schema. */
  registerPrompt<const S extends SchemaSource = Record<string, never>>(
    definition: PromptDefinition<S, App>,
  ): this {
    this.#prompts.add(definition as unknown as PromptDefinition);
    this.#notify({ kind: 'prompts' });
    return this;
  }

  /** Takes a resource or, with a `uriTemplate`, a family of resources. */
  registerResource(definition: ResourceDefinition<App>): this {
    this.#resources.add(definition as unknown as ResourceDefinition);
    this.#notify({ kind: 'resources' });
    return this;
  }

  /** Tells whoever subscribed to a resource that it has changed. */
  notifyResourceUpdated(uri: string): void {
    this.#notify({ kind: 'resource', uri });
  }

  /** Tells clients that the tools have changed, where that is not by registering them. */
  notifyToolsChanged(): void {
    if (this.#isNotifying) return;
    // Once for all that notice the same change.
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      this.#notify({ kind: 'tools' });
    });
  }

  clear(): void {
    this.#specs.clear();
    this.#changed();
  }

  /** The tools in their MCP form. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[] {
    return this.view().listTools(protocolVersion);
  }

  /** What was registered, as it was read. */
  getToolDefinitions(): readonly CompiledSpec['spec'][] {
    return [...this.#specs.values()].map(({ spec }) => spec);
  }

  /** A narrower registry, compiled once for every distinct policy. */
  view(policy?: ViewPolicy): View {
    if (policy === undefined) return (this.#whole ??= this.#compileView({}));
    const normal = normalizePolicy(policy);
    const key = canonicalJson(normal);
    if (key === '{}') return this.view();
    const view = this.#views.get(key) ?? this.#compileView(deepFreeze(normal));
    this.#views.delete(key);
    this.#views.set(key, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest);
    return view;
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
    if (this.#middleware.length === 0) return runPipeline(view.tools, this.#collaborators, request);
    return this.#executeThrough(request ?? {}, view, viewFor);
  }

  /** Middleware sees the tool that runs, also where another stands for it. */
  async #executeThrough(
    request: ExecuteRequest,
    view: View,
    viewFor: ViewSource['viewFor'] | undefined,
  ): Promise<CallToolResult> {
    const found = followForward(view.tools, request);
    const { name, arguments: args, ...options } = found.call;
    const call = async ({ params, ...rest }: McpRequest): Promise<CallToolResult> => {
      const changed = {
        ...rest,
        name: params['name'] as string,
        arguments: params['arguments'] as typeof args,
      };
      if (!viewFor || decidesTheSame(rest, options))
        return runPipeline(found.tools, this.#collaborators, changed);
      const isSame = changed.name === name && changed.arguments === args;
      const { tools } = await viewFor(rest);
      return runPipeline(tools, this.#collaborators, isSame ? { ...rest, ...callOf(request) } : changed);
    };
    return this.intercept({ ...options, method: 'tools/call', params: { name, arguments: args } }, call).then(
      (result) =>
        isAnswer(result)
          ? result
          : toError(
              new ErrInvalidResult('A middleware of the registry gave no result.'),
              this.#collaborators,
              request,
              {
                isAdmitted: true,
              },
            ),
      (thrown: unknown) => {
        logFailure(thrown, this.#collaborators, request);
        return toError(thrown, this.#collaborators, request, { isAdmitted: true });
      },
    );
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
    return { tools: this.#specs.size, prompts: this.#prompts.size, resources: this.#resources.size };
  }

  listPrompts(): readonly McpPrompt[] {
    return this.#prompts.list();
  }

  /** Fills a prompt. An unknown one, or arguments that do not fit, reject. */
  async getPrompt(request: ExecuteRequest): Promise<GetPromptResult> {
    return this.#serve(request, (context) =>
      this.#prompts.get(request.name, request.arguments ?? {}, context),
    );
  }

  listResources(): readonly McpResource[] {
    return this.#resources.list();
  }

  listResourceTemplates(): readonly McpResourceTemplate[] {
    return this.#resources.listTemplates();
  }

  /** Reads a resource, one of its own or of a template. An unknown one rejects. */
  async readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> {
    return this.#serve(request, (context) => this.#resources.read(request.uri, context));
  }

  /** Suggestions for an argument of a prompt or a variable of a template, at most a hundred. */
  async complete({ ref, argument, context }: CompletionRequest): Promise<Completion> {
    const completer =
      ref.type === 'ref/prompt'
        ? this.#prompts.completer(ref.name, argument.name)
        : this.#resources.completer(ref.uri, argument.name);
    const values = (await completer?.(argument.value, { arguments: context?.arguments ?? {} })) ?? [];
    return {
      values: values.slice(0, MAX_COMPLETIONS),
      total: values.length,
      hasMore: values.length > MAX_COMPLETIONS,
    };
  }

  /** Calls back once for every change of what is registered; the result stops that. */
  onChange(listener: (change: RegistryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs one call for a client: where the action is declared so and the client takes tasks, as a task. */
  callTool(
    request: ExecuteRequest,
    view: View = this.view(),
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult> {
    const rule = taskRuleOf(view, request);
    if (!rule) return this.executeTool(request, view, viewFor);
    const owner = this.#collaborators.keyOf(recordKey, request);
    const payer = this.#collaborators.payerOf(recordKey, request);
    return callAsTask(rule, { tasks: this.#tasks, owner, payer }, request, (changed) =>
      this.executeTool(changed, view, viewFor),
    );
  }

  /** What is loaded later may be long work. */
  expectTasks(): void {
    this.#mayHaveTasks = true;
  }

  /** The methods of the tasks extension; none where no action is declared so. */
  get taskMethods(): Readonly<Record<string, McpHandler>> {
    if (!this.#mayHaveTasks) return {};
    return createTaskMethods(this.#tasks.desk, (request) => this.#collaborators.keyOf(recordKey, request));
  }

  /** How questions reach a client that keeps no connection: as the answer. */
  askInRounds(request: Omit<RoundsRequest, 'callerKey'>, options: RequestOptions): AskClient {
    // Another selection may have another tool of that name.
    const callerKey = (): string =>
      `${this.#collaborators.keyOf(recordKey, options)}${options.selection ? canonicalJson(options.selection) : ''}`;
    return createRoundAsker(this.#states, { ...request, callerKey });
  }

  /** Serves the tools through a server of either MCP SDK. */
  attachToServer(server: unknown, options: AttachOptions = {}): DetachFn {
    return attach(this, server, options);
  }

  #compileDefinition(definition: AnyToolDefinition): CompiledSpec {
    const action = readDefinition(definition, { validator: this.#options.schemaValidator });
    const spec = deepFreeze({
      name: definition.name,
      title: definition.title,
      description: definition.description,
      icons: definition.icons && structuredClone([...definition.icons]),
      namespace: definition.namespace,
      tags: [...(definition.tags ?? [])],
      actions: [action],
      globalMiddleware: [],
      unknownFields: 'strict' as const,
      strategies: defaultStrategies,
    });
    return { spec, actions: compileActions(spec) };
  }

  /** Runs a prompt or a resource. What it throws is cleaned and logged like what a call throws. */
  async #serve<T>(request: RequestOptions, run: (context: RequestContext) => Promise<T>): Promise<T> {
    let app: unknown;
    try {
      app = await this.#options.contextFactory?.(request);
      return await run(createRequestContext(request, app, this.#collaborators));
    } catch (thrown) {
      if (thrown instanceof InputRequired) throw thrown;
      const redactor = redactorFor(request, app);
      this.#collaborators.logger?.warn({ error: redactor.value(thrown) }, 'prompt or resource failed');
      throw thrown instanceof ToolfoldError ? redactError(thrown, redactor) : thrown;
    }
  }

  #compileView(policy: ViewPolicy): View {
    return compileView(this.name, [...this.#specs.values()], policy);
  }

  #changed(): void {
    this.#whole = undefined;
    this.#views.clear();
    this.#notify({ kind: 'tools' });
  }

  #notify(change: RegistryChange): void {
    // While nobody is served, lists are being made and not changed.
    if (change.kind === 'resource' || this.#listeners.size > 0) this.#shareChange?.(change);
    this.#tell(change);
  }

  #tell(change: RegistryChange): void {
    const failures: unknown[] = [];
    // A listener may unsubscribe while it is called, and one that fails must not keep the others from hearing.
    for (const listener of Array.from(this.#listeners)) {
      try {
        listener(change);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

function isAnswer(result: unknown): result is CallToolResult {
  return isResult(result) || (isJsonObject(result) && result['resultType'] === 'input_required');
}

const optionNames: ReadonlySet<string> = new Set([
  'name',
  'version',
  'instructions',
  'wireNames',
  'requestStateKey',
  'schemaValidator',
  ...collaboratorNames,
]);

/** A slip in an option must not leave a server without what the option was for. */
function assertOptions<App>(options: ToolRegistryOptions<App>): void {
  if (options.shared && !options.shared.requestStateKey && options.requestStateKey === undefined) {
    throw new ErrInvalidModel('With shared state that has no secret a registry needs a requestStateKey.', {
      hint: 'Give all processes the same one: a client may answer to another than it was asked by.',
    });
  }
  const unknown = Object.keys(options).find((key) => !optionNames.has(key));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, optionNames);
  throw new ErrInvalidModel(
    `A registry has no option "${unknown}".`,
    nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
  );
}

/** Some clients refuse a whole list for one name. */
function assertPortable(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw new ErrInvalidTool(`Some clients refuse the tool name "${name.slice(0, 80)}".`, {
    hint: "Use at most 64 letters, digits, _ and -, or set wireNames: 'any'.",
    details: { name },
  });
}

function assertItem(item: unknown): asserts item is object {
  if (typeof item === 'object' && item !== null) return;
  throw new ErrInvalidTool(`Only builders and definitions can be registered, not ${String(item)}.`);
}

/** ` at file:line` of whoever called register, where the runtime tells. */
function callerOf(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}

/** Whether what decides about a view is as it was. */
function decidesTheSame(one: RequestOptions, other: RequestOptions): boolean {
  return (
    one.selection === other.selection &&
    one.caller === other.caller &&
    one.session === other.session &&
    one.protocolVersion === other.protocolVersion
  );
}

function callOf({ name, arguments: args }: ExecuteRequest): Pick<ExecuteRequest, 'name' | 'arguments'> {
  return { name, arguments: args };
}

function withOrigin({ spec, actions }: CompiledSpec, origin: string): CompiledSpec {
  const marked = [...actions].map(([key, action]) => [key, Object.freeze({ ...action, origin })] as const);
  return { spec, actions: new FrozenMap(marked) };
}
