import type { CompiledSpec } from '../compile/compiled-tool.js';
import { ErrInvalidCatalog, ErrModuleFailed } from '../errors.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { ContextValues } from '../callers/session-context.js';
import type { CompleteToolsetConfig } from './toolset-config.js';
import { LoadedModules } from './module-loader.js';
import type { LoadedItem } from './module-loader.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';

/** Milliseconds that a request waits for a toolset that it does not select by name. */
const OPTIONAL_LOAD_DEADLINE_MS = 2_000;

/** The tools of each toolset, loaded and compiled. */
export class ToolsetTools {
  readonly #registry: AnyRegistry;
  readonly #config: CompleteToolsetConfig;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition<never>>;
  readonly #allowed: readonly string[];
  readonly #modules: LoadedModules;
  /** The toolsets with a module that is not shared. */
  readonly #contextual: ReadonlySet<string>;
  /** Lists of toolsets that are the same from request to request are frozen. Each of them is ordered once. */
  readonly #ordered = new WeakMap<readonly string[], OrderedToolsets>();
  /** The compiled tools by loaded tool and prefix. */
  readonly #compiled = new WeakMap<object, Map<string, CompiledSpec>>();

  constructor(
    registry: AnyRegistry,
    config: CompleteToolsetConfig,
    catalog: ReadonlyMap<string, ToolSetDefinition<never>>,
    allowed: readonly string[],
  ) {
    this.#allowed = allowed;
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

  /** Calls the listener when the tools of a module have changed. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    return this.#modules.onChange(listener);
  }

  /** Loads all tools of a toolset for a context. */
  async load(key: string, context: ContextValues): Promise<readonly CompiledSpec[]> {
    const { modules = [] } = this.#catalog.get(key) as ToolSetDefinition<never>;
    const loaded = modules.map(async (module) => {
      const items = await this.#modules.load(module, context);
      return items.map((item) => this.#compileItem(item, key, `module ${module}`));
    });
    return [...new Set([...this.own(key), ...(await Promise.all(loaded)).flat()])];
  }

  /** Whether a toolset has no modules, so that nothing has to be loaded. */
  isLoaded(key: string): boolean {
    return (this.#catalog.get(key)?.modules ?? []).length === 0;
  }

  /** The direct tools of a toolset, which need no loading. */
  own(key: string): readonly CompiledSpec[] {
    const mounted = this.#registry.tools.toolsets.get(key);
    if (mounted) return mounted.specs;
    const { tools = [] } = this.#catalog.get(key) as ToolSetDefinition<never>;
    return this.#modules.read(tools).map((item) => this.#compileItem(item, key, `toolset ${key}`));
  }

  /** Compiles a tool once for all its toolsets, or once for each if the toolsets prefix its name. */
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

  /** Puts toolsets in the order of the catalog, so that equal sets of toolsets share a view. Toolsets that are not allowed are left out. */
  order(active: readonly string[]): OrderedToolsets {
    const known = this.#ordered.get(active);
    if (known) return known;
    const keys = this.#allowed.filter((key) => active.includes(key));
    const bits = this.#allowed.map((key) => (active.includes(key) ? 1 : 0)).join('');
    const ordered = {
      keys,
      bits: BigInt(`0b0${bits}`).toString(36),
      dependsOnContext: keys.some((key) => this.#contextual.has(key)),
    };
    if (Object.isFrozen(active)) this.#ordered.set(active, ordered);
    return ordered;
  }
}

/** Toolsets in the order of the catalog. */
export interface OrderedToolsets {
  readonly keys: readonly string[];
  /** One bit for each allowed toolset, as a short text, because the keys of 100 toolsets would make long keys of views. */
  readonly bits: string;
  /**
   * Whether callers with different contexts may have different tools. The tools of a module may hold a credential of the
   * context that they were loaded for, unless the module declares that it is shared.
   */
  readonly dependsOnContext: boolean;
}

/** Waits for a toolset up to a deadline, then rejects. Loading continues, and `onLoaded` is called when it is done. */
export async function withinDeadline<T>(
  loading: Promise<T>,
  toolset: string,
  onLoaded: () => void,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new ErrModuleFailed(`Toolset "${toolset}" is still loading.`, { details: { toolset } });
    timer = setTimeout(() => {
      loading.then(onLoaded, () => {});
      reject(error);
    }, OPTIONAL_LOAD_DEADLINE_MS);
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
