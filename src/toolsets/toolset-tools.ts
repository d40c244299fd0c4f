import type { CompiledSpec } from '../compile/compiled-tool.js';
import { ErrInvalidCatalog, ErrModuleFailed } from '../errors.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { ContextValues } from '../callers/context-values.js';
import type { CompleteToolsetConfig } from './toolset-config.js';
import { LoadedModules } from './module-loader.js';
import type { LoadedItem } from './module-loader.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';

/** Milliseconds that others wait for a loader whose tools they did not ask for. */
const PATIENCE_MS = 2_000;

/** The tools of each toolset, loaded and compiled. */
export class ToolsetTools {
  readonly #registry: AnyRegistry;
  readonly #config: CompleteToolsetConfig;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition>;
  readonly #modules: LoadedModules;
  /** The toolsets with a module that is not shared. */
  readonly #contextual: ReadonlySet<string>;
  /** What was compiled of each tool that a module gave, for as long as it is kept. */
  readonly #compiled = new WeakMap<object, Map<string, CompiledSpec>>();

  constructor(
    registry: AnyRegistry,
    config: CompleteToolsetConfig,
    catalog: ReadonlyMap<string, ToolSetDefinition>,
  ) {
    this.#registry = registry;
    this.#config = config;
    this.#catalog = catalog;
    const isOwn = (module: string): boolean => config.moduleLoaders[module]?.isShared !== true;
    this.#contextual = new Set(
      [...catalog].filter(([, { modules }]) => modules?.some(isOwn)).map(([key]) => key),
    );
    this.#modules = new LoadedModules(config.moduleLoaders, {
      timeoutMs: config.loaderTimeoutMs,
      secrets: config.context,
    });
  }

  /** Calls back when a module gives something else; the result stops that. */
  onChange(listener: () => void): () => void {
    return this.#modules.onChange(listener);
  }

  /** All that a toolset has, for a context. */
  async load(key: string, context: ContextValues): Promise<readonly CompiledSpec[]> {
    const { modules = [] } = this.#catalog.get(key) as ToolSetDefinition;
    const loaded = modules.map(async (module) => {
      const items = await this.#modules.load(module, context);
      return items.map((item) => this.#compileItem(item, key, `module ${module}`));
    });
    return [...new Set([...this.own(key), ...(await Promise.all(loaded)).flat()])];
  }

  /** Whether all of a toolset is there without loading anything. */
  isLoaded(key: string): boolean {
    return (this.#catalog.get(key)?.modules ?? []).length === 0;
  }

  /** What a toolset has without loading anything. */
  own(key: string): readonly CompiledSpec[] {
    const { tools = [] } = this.#catalog.get(key) as ToolSetDefinition;
    return this.#modules.read(tools).map((item) => this.#compileItem(item, key, `toolset ${key}`));
  }

  /** A tool in two toolsets is one tool, unless each calls it by its own name. */
  #compileItem(item: LoadedItem, key: string, origin: string): CompiledSpec {
    const prefix = this.#config.exposurePolicy.namespaceToolsWithSetKey === true ? key : '';
    let byPrefix = this.#compiled.get(item);
    if (!byPrefix) this.#compiled.set(item, (byPrefix = new Map()));
    let compiled = byPrefix.get(prefix);
    if (!compiled) {
      compiled = this.#registry.tools.compileItem(prefix === '' ? item : namespaced(item, prefix), origin);
      byPrefix.set(prefix, compiled);
    }
    return compiled;
  }

  /**
   * Whether callers with different contexts may have different tools. The tools of a module may hold a credential of the
   * context that they were loaded for, unless the module declares that it is shared.
   */
  dependsOnContext(keys: readonly string[]): boolean {
    return keys.some((key) => this.#contextual.has(key));
  }
}

/** What a toolset has, if that comes soon. What takes longer goes on, and is there the next time. */
export async function soon<T>(loading: Promise<T>, toolset: string, onLoaded: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new ErrModuleFailed(`Toolset "${toolset}" is still loading.`, { details: { toolset } });
    timer = setTimeout(() => {
      loading.then(onLoaded, () => {});
      reject(error);
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
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
