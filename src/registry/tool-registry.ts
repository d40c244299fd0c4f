import { deepFreeze } from '../compile/deep-freeze.js';
import { readDefinition } from '../compile/read-definition.js';
import type { AnyToolDefinition } from '../compile/read-definition.js';
import type { ToolDefinition } from '../compile/tool-definition.js';
import { compileActions, defaultStrategies } from '../compile/tool-definition-compiler.js';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import { ErrDuplicateName } from '../errors.js';
import type { CallToolResult } from '../format/tool-result.js';
import type { McpTool, ProtocolVersion } from '../model/converters/mcp-types.js';
import { canonicalJson } from '../schema/json-value.js';
import type { SchemaSource } from '../schema/read-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';
import { attach } from './attach.js';
import type { DetachFn } from './attach.js';
import { ConcurrencyLimit } from './concurrency.js';
import type { ConcurrencyOptions } from './concurrency.js';
import { runPipeline } from './pipeline.js';
import type { ExecuteRequest } from './pipeline.js';
import { compileView } from './view.js';
import type { View, ViewPolicy } from './view.js';

export interface ToolRegistryOptions<App> {
  /** The server's name; also the root of the tree. */
  readonly name?: string;
  readonly version?: string;
  /** Makes `context.app` for each call. */
  readonly contextFactory?: (request: ExecuteRequest) => App | Promise<App>;
  /** How many calls run and wait at once; no limit by default. */
  readonly concurrency?: ConcurrencyOptions;
  /** Validates the JSON Schemas among the definitions. */
  readonly schemaValidator?: SchemaValidator;
}

/** Something that compiles itself to a tool, such as a builder. */
export interface CompilableTool {
  readonly name: string;
  compile(): CompiledSpec;
}

/** How many views are kept; the one that was not used for longest goes first. */
const MAX_VIEWS = 256;

/** Collects tools and runs every call of them in the same way. */
export class ToolRegistry<App = unknown> {
  readonly name: string;
  readonly version: string;
  readonly #options: ToolRegistryOptions<App>;
  readonly #concurrency: ConcurrencyLimit | undefined;
  readonly #specs = new Map<string, CompiledSpec & { readonly registeredAt: string }>();
  readonly #views = new Map<string, View>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ToolRegistryOptions<App> = {}) {
    this.name = options.name ?? 'toolfold';
    this.version = options.version ?? '0.0.0';
    this.#options = options;
    this.#concurrency = options.concurrency && new ConcurrencyLimit(options.concurrency);
  }

  get size(): number {
    return this.#specs.size;
  }

  has(name: string): boolean {
    return this.#specs.has(name);
  }

  /** Takes a definition, whose handler's input follows from its schema. */
  register<const S extends SchemaSource = Record<string, never>>(definition: ToolDefinition<S, App>): this;
  /** Takes builders and definitions; all of them or, on an error, none. */
  register(...items: readonly (CompilableTool | AnyToolDefinition)[]): this;
  register(...items: readonly unknown[]): this {
    const registeredAt = callerOf(new Error('registered').stack);
    const added = new Map<string, CompiledSpec & { readonly registeredAt: string }>();
    for (const item of items as readonly (CompilableTool | AnyToolDefinition)[]) {
      const compiled = 'compile' in item ? item.compile() : this.#compileDefinition(item);
      const { name } = compiled.spec;
      const first = this.#specs.get(name) ?? added.get(name);
      if (first) {
        throw new ErrDuplicateName(`A tool "${name}" is already registered${first.registeredAt}.`, {
          hint: 'Rename one of them.',
          details: { name, kind: 'tool' },
        });
      }
      added.set(name, { ...compiled, registeredAt });
    }
    for (const [name, spec] of added) this.#specs.set(name, spec);
    this.#changed();
    return this;
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
  view(policy: ViewPolicy = {}): View {
    const key = canonicalJson(policy);
    const view =
      this.#views.get(key) ??
      compileView(this.name, [...this.#specs.values()], deepFreeze(structuredClone(policy)));
    this.#views.delete(key);
    this.#views.set(key, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest);
    return view;
  }

  /** Runs one call. Whatever goes wrong is in the result. */
  executeTool(request: ExecuteRequest, view: View = this.view()): Promise<CallToolResult> {
    const { contextFactory } = this.#options;
    return runPipeline({ tools: view.tools, contextFactory, concurrency: this.#concurrency }, request);
  }

  /** The same under the name that the edge uses. */
  routeCall(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    request: Omit<ExecuteRequest, 'name' | 'arguments'> = {},
  ): Promise<CallToolResult> {
    return this.executeTool({ ...request, name, arguments: args });
  }

  /** Calls back once whenever the tools change; the result stops that. */
  onListChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Serves the tools through a server of either MCP SDK. */
  attachToServer(server: unknown, options: { readonly view?: ViewPolicy } = {}): DetachFn {
    return attach(this, server, () => this.view(options.view));
  }

  #compileDefinition(definition: AnyToolDefinition): CompiledSpec {
    const action = readDefinition(definition, { validator: this.#options.schemaValidator });
    const spec = deepFreeze({
      name: definition.name,
      title: definition.title,
      description: definition.description,
      icons: definition.icons,
      meta: definition.meta,
      tags: [...(definition.tags ?? [])],
      actions: [action],
      globalMiddleware: [],
      unknownFields: 'strict' as const,
      strategies: defaultStrategies,
    });
    return { spec, actions: compileActions(spec) };
  }

  #changed(): void {
    this.#views.clear();
    for (const listener of this.#listeners) listener();
  }
}

/** ` at file:line` of whoever called register, where the runtime tells. */
function callerOf(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}
