import { LRUCache } from 'lru-cache';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import { ErrInvalidCatalog, ErrInvalidPolicy } from '../errors.js';
import type { ToolRegistry } from '../registry/tool-registry.js';
import { normalizePolicy } from '../registry/view.js';
import type { View, ViewPolicy } from '../registry/view.js';
import { canonicalJson } from '../schema/json-value.js';
import { hashOf } from '../session/context-hash.js';
import { SessionContext } from '../session/session-context.js';
import type { ContextRequest, ContextValues, ResolvedContext } from '../session/session-context.js';
import { allowedToolsets, assertLimit } from './exposure-policy.js';
import type { ToolsetConfig } from './mode-config-mapper.js';
import { LoadedModules } from './module-loader.js';
import type { LoadedItem } from './module-loader.js';
import { assertToolset } from './server-mode.js';
import { readCatalog } from './tool-set-catalog.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';

/** What a request asks for. It can only narrow what the operator allows. */
export interface Selection {
  readonly toolsets?: readonly string[];
  /** Only these tools and actions, by address or name. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly readOnly?: boolean;
}

/** A toolset as it is shown to whoever may reach it. */
export interface ToolsetSummary {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly decisionCriteria?: string;
  readonly isActive: boolean;
}

/** How many views are kept; the one that was not used for longest is compiled anew. */
const MAX_VIEWS = 1_000;

/** Decides which tools a caller sees: what the operator allows, what is active, and what the request selects. */
export class Toolsets {
  readonly #registry: ToolRegistry;
  readonly #config: ToolsetConfig;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition>;
  readonly #allowed: readonly string[];
  readonly #startup: readonly string[];
  readonly #modules: LoadedModules;
  readonly #sessionContext: SessionContext | undefined;
  readonly #baseHash: string;
  readonly #views = new LRUCache<string, Promise<View>>({ max: MAX_VIEWS });
  /** What was compiled of each tool that a module gave, for as long as it is kept. */
  readonly #compiled = new WeakMap<object, Map<string, CompiledSpec>>();

  constructor(registry: ToolRegistry, config: ToolsetConfig) {
    this.#registry = registry;
    this.#config = config;
    this.#catalog = readCatalog(config.catalog, config.moduleLoaders);
    const keys = [...this.#catalog.keys()];
    this.#allowed = allowedToolsets(config.exposurePolicy, keys);
    this.#startup = this.#readStartup(keys);
    this.#modules = new LoadedModules(config.moduleLoaders);
    this.#sessionContext = config.sessionContext && new SessionContext(config.sessionContext);
    this.#baseHash = hashOf(config.context);
    registry.onChange(({ kind }) => {
      if (kind === 'tools') this.#views.clear();
    });
  }

  get isDynamic(): boolean {
    return this.#config.startup.mode === 'DYNAMIC';
  }

  /** The toolsets that are active from the start. */
  get startup(): readonly string[] {
    return this.#startup;
  }

  /** Everything that may be reached. */
  get allowed(): readonly string[] {
    return this.#allowed;
  }

  /** What a request says about its caller, with what the server says. A malformed one throws. */
  contextOf(request: ContextRequest): ResolvedContext {
    const base = this.#config.context;
    return this.#sessionContext?.resolve(request, base) ?? { context: base, hash: this.#baseHash };
  }

  describe(active: readonly string[]): ToolsetSummary[] {
    return this.#allowed.map((key) => {
      const { name, description, decisionCriteria } = this.#catalog.get(key) as ToolSetDefinition;
      return {
        key,
        name,
        description,
        ...(decisionCriteria === undefined ? {} : { decisionCriteria }),
        isActive: active.includes(key),
      };
    });
  }

  /** The active toolsets with one more. Throws where it may not be, or cannot be loaded. */
  async enable(
    key: string,
    active: readonly string[],
    { context, hash }: ResolvedContext,
  ): Promise<string[]> {
    assertToolset(key, this.#allowed, 'the request');
    assertLimit(this.#config.exposurePolicy, [key], active);
    const changed = [...new Set([...active, key])];
    await this.view(changed, { context, hash });
    return changed;
  }

  /** The active toolsets without one. */
  disable(key: string, active: readonly string[]): string[] {
    assertToolset(key, active, 'the active toolsets');
    return active.filter((each) => each !== key);
  }

  /** The tools of the active toolsets that a request selects, for a caller's context. */
  async view(
    active: readonly string[],
    { context, hash }: ResolvedContext,
    selection: Selection = {},
  ): Promise<View> {
    const selected = this.#select(active, selection);
    const policy = this.#policyOf(selection);
    const key = canonicalJson([selected, policy, this.#dependsOnContext(selected) ? hash : '']);
    let view = this.#views.get(key);
    if (!view) {
      view = this.#compile(selected, context, policy);
      this.#views.set(key, view);
      view.catch(() => {
        if (this.#views.peek(key) === view) this.#views.delete(key);
      });
    }
    return view;
  }

  /** In the order of the catalog, so that equal selections are one. */
  #select(active: readonly string[], { toolsets }: Selection): readonly string[] {
    for (const key of toolsets ?? []) assertToolset(key, this.#allowed, 'the request');
    const within = this.#allowed.filter((key) => active.includes(key));
    return toolsets ? within.filter((key) => toolsets.includes(key)) : within;
  }

  #policyOf({ tools, excludeTools, readOnly }: Selection): ViewPolicy {
    const ceiling = this.#config.exposurePolicy;
    return normalizePolicy({
      ...(ceiling.tags ? { tags: ceiling.tags } : {}),
      ...(ceiling.excludeTags ? { excludeTags: ceiling.excludeTags } : {}),
      ...(ceiling.readOnly === true || readOnly === true ? { readOnly: true } : {}),
      ...(tools ? { actions: tools } : {}),
      ...(excludeTools && excludeTools.length > 0 ? { exclude: excludeTools } : {}),
    });
  }

  async #compile(keys: readonly string[], context: ContextValues, policy: ViewPolicy): Promise<View> {
    const toolsets = new Map<CompiledSpec, { key: string; title: string }[]>();
    for (const key of keys) {
      const toolset = this.#catalog.get(key) as ToolSetDefinition;
      for (const item of await this.#itemsOf(toolset, context)) {
        const spec = this.#compileItem(item, key);
        const group = { key, title: toolset.name };
        toolsets.set(spec, [...(toolsets.get(spec) ?? []), group]);
      }
    }
    return this.#registry.viewWith([...toolsets.keys()], policy, (spec) => toolsets.get(spec) ?? []);
  }

  async #itemsOf(
    { tools = [], modules = [] }: ToolSetDefinition,
    context: ContextValues,
  ): Promise<LoadedItem[]> {
    const own = this.#modules.read(tools);
    const loaded = await Promise.all(modules.map((module) => this.#modules.load(module, context)));
    return [...new Set([...own, ...loaded.flat()])];
  }

  /** A tool in two toolsets is one tool, unless each calls it by its own name. */
  #compileItem(item: LoadedItem, key: string): CompiledSpec {
    const prefix = this.#config.exposurePolicy.namespaceToolsWithSetKey === true ? key : '';
    let byPrefix = this.#compiled.get(item);
    if (!byPrefix) this.#compiled.set(item, (byPrefix = new Map()));
    let compiled = byPrefix.get(prefix);
    if (!compiled) {
      compiled = this.#registry.compileItem(prefix === '' ? item : namespaced(item, prefix));
      byPrefix.set(prefix, compiled);
    }
    return compiled;
  }

  /** What a module gives may hold a credential of the context. */
  #dependsOnContext(keys: readonly string[]): boolean {
    return keys.some((key) => (this.#catalog.get(key)?.modules ?? []).length > 0);
  }

  #readStartup(keys: readonly string[]): readonly string[] {
    const { mode, toolsets } = this.#config.startup;
    if (mode !== 'DYNAMIC' && mode !== 'STATIC')
      throw new ErrInvalidPolicy('startup.mode must be "DYNAMIC" or "STATIC".');
    if (toolsets !== undefined && toolsets !== 'ALL' && !Array.isArray(toolsets))
      throw new ErrInvalidPolicy('startup.toolsets must be a list of toolsets or "ALL".');
    const chosen = toolsets === 'ALL' ? this.#allowed : [...new Set(toolsets)];
    for (const key of chosen) {
      assertToolset(key, keys, 'startup.toolsets');
      if (!this.#allowed.includes(key))
        throw new ErrInvalidPolicy(
          `startup.toolsets names "${key}", which the exposure policy does not allow.`,
        );
    }
    assertLimit(this.#config.exposurePolicy, chosen, []);
    return chosen;
  }
}

function namespaced(item: LoadedItem, key: string): LoadedItem {
  if ('compile' in item) {
    throw new ErrInvalidCatalog(
      `Toolset "${key}" holds the builder "${item.name}", which cannot be renamed.`,
      {
        hint: 'Leave namespaceToolsWithSetKey off, or name the builder after its toolset.',
      },
    );
  }
  return { ...item, name: `${key}_${item.name}` };
}
