import type { CompiledSpec } from '../compile/compiled-tool.js';
import { ErrInvalidCatalog, ErrInvalidTool, ErrModuleFailed } from '@toolfold/schema/errors';
import { assertPlain } from '@toolfold/schema/internal';
import { internalsOf } from '../registry/any-registry.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { ContextValues } from '../callers/session-context.js';
import type { CompleteToolsetConfig } from './toolset-config.js';
import { createLoadedModules, within } from './module-loader.js';
import type { LoadedItem } from './module-loader.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';
import { getOrMake } from '../values/get-or-make.js';

/** Milliseconds that a request waits for a toolset that it does not select by name. */
const OPTIONAL_LOAD_DEADLINE_MS = 2_000;

export type ToolsetTools = ReturnType<typeof createToolsetTools>;

/** Loads and compiles the tools of the toolsets in a catalog. */
export function createToolsetTools(
  registry: AnyRegistry,
  { moduleLoaders, loaderTimeoutMs: timeoutMs, context: secrets, exposurePolicy }: CompleteToolsetConfig,
  catalog: ReadonlyMap<string, ToolSetDefinition<never>>,
) {
  const { tools: registered } = internalsOf(registry);
  const loader = createLoadedModules(moduleLoaders, { timeoutMs, secrets });
  const definitionOf = (key: string) => catalog.get(key) as ToolSetDefinition<never>;
  const compiled = new WeakMap<object, Map<string, CompiledSpec>>();
  /** Compiles a tool once for all its toolsets, or once for each if the toolsets prefix its name. */
  const compile = (item: LoadedItem, key: string, origin: string): CompiledSpec => {
    const prefix = exposurePolicy.namespaceToolsWithSetKey === true ? key : '';
    const byPrefix = getOrMake(compiled, item, () => new Map<string, CompiledSpec>());
    return getOrMake(byPrefix, prefix, () =>
      registered.compileItem(prefix === '' ? item : namespaced(item, prefix), origin),
    );
  };
  /** The direct tools of a toolset, which need no loading. */
  const own = (key: string): readonly CompiledSpec[] =>
    registered.toolsets.get(key)?.specs ??
    loader.read(definitionOf(key).tools ?? []).map((item) => compile(item, key, `toolset ${key}`));
  const isOwn = (module: string): boolean => moduleLoaders[module]?.isShared !== true;
  /** The toolsets with a module that is not shared. */
  const contextual = new Set(
    [...catalog].filter(([, { modules }]) => modules?.some(isOwn)).map(([key]) => key),
  );
  return {
    own,
    /** Calls the listener when the tools of a module have changed. Returns a function that unsubscribes it. */
    onChange: (listener: () => void) => loader.onChange(listener),
    load: async (key: string, context: ContextValues): Promise<readonly CompiledSpec[]> => {
      const { modules = [] } = definitionOf(key);
      const loaded = modules.map(async (module) => {
        const items = await loader.load(module, context);
        return items.map((item) => compile(item, key, `module ${module}`));
      });
      return [...new Set([...own(key), ...(await Promise.all(loaded)).flat()])];
    },
    /** Whether a toolset has no modules, so that nothing has to be loaded. */
    isLoaded: (key: string): boolean => (catalog.get(key)?.modules ?? []).length === 0,
    /**
     * Whether callers with different contexts may have different tools. The tools of a module may hold a credential of the context
     * that they were loaded for, unless the module declares that it is shared.
     */
    dependOnContext: (keys: readonly string[]): boolean => keys.some((key) => contextual.has(key)),
  };
}

/** Waits for a toolset up to a deadline, then rejects. Loading continues, and `onLoaded` is called when it is done. */
export function withinDeadline<T>(loading: Promise<T>, toolset: string, onLoaded: () => void): Promise<T> {
  return within(OPTIONAL_LOAD_DEADLINE_MS, loading, () => {
    loading.then(onLoaded, () => {});
    return new ErrModuleFailed(`Toolset "${toolset}" is still loading.`, { details: { toolset } });
  });
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
  assertPlain(`The tool "${item.name}" of toolset "${key}"`, item, { error: ErrInvalidTool });
  return { ...item, name: `${key}_${item.name}` };
}
