import { LRUCache } from 'lru-cache';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import { ErrInvalidOptions, ErrInvalidSessionContext, ErrModuleFailed } from '@toolfold/schema/errors';
import { redactError, redactThrown, redactorOf } from '../guards/redact/redactor.js';
import { toItem } from '../define/tool-collector.js';
import type { CompilableTool } from '../compile/compile-item.js';
import { hashOf, freezeContext } from '../callers/session-context.js';
import type { ContextValues } from '../callers/session-context.js';
import type { McpToolDefinition } from '../define/tool-collector.js';
import { sharesPendingWork } from '@toolfold/schema/internal';
import { unrefTimer } from '../runtime/timers.js';
import { getOrMake } from '../values/get-or-make.js';

/** The tools of a module: definitions, builders, or tools that were collected from code that registers them. */
export type LoadedTool<App = unknown> = AnyToolDefinition | CompilableTool<App> | McpToolDefinition;

/** Loads the tools of a module for a caller's context. It runs when a toolset with the module is first needed. */
export interface ModuleLoader<App = unknown> {
  /** Returns the tools of the module for a caller's context. */
  (context?: ContextValues): readonly LoadedTool<App>[] | Promise<readonly LoadedTool<App>[]>;
  /** Calls the listener when the tools have changed and must be loaded again. Returns a function that unsubscribes it. */
  onChange?(listener: () => void): () => void;
  /** Milliseconds after which loading this module fails. Overrides the limit for all modules. */
  readonly timeoutMs?: number;
  /** Whether all callers share the tools. The loader then gets no context, and the handlers read the caller from theirs. */
  readonly isShared?: boolean;
}

export type LoadedItem = AnyToolDefinition | CompilableTool;

export interface LoadedModulesOptions {
  /** Milliseconds after which a loader fails. A later result is ignored. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Secrets that are redacted from the errors of loaders, in addition to the context that a loader got. */
  readonly secrets?: ContextValues | undefined;
  /**
   * Maximum number of cached tools. The least recently used ones are evicted, and loaded again when they are needed.
   * Default: 20,000.
   */
  readonly maxTools?: number | undefined;
}

type Loading = Promise<readonly LoadedItem[]>;

/** The part of the cache for contexts that were used once. */
const ONCE = 0.1;

/**
 * Runs each loader once for each distinct context. A loader that failed runs again when its module is next needed.
 *
 * Tools that were not used again after they were loaded have their own space, so that many contexts that appear once evict few
 * of the tools in use.
 */
export function createLoadedModules(
  moduleLoaders: Readonly<Record<string, ModuleLoader<never>>>,
  { timeoutMs = 30_000, maxTools = 20_000, secrets = {} }: LoadedModulesOptions = {},
) {
  const loaders = new Map(Object.entries(moduleLoaders));
  assertDuration('loaderTimeoutMs', timeoutMs);
  for (const [module, loader] of loaders)
    if (loader.timeoutMs !== undefined)
      assertDuration(`timeoutMs of the loader "${module}"`, loader.timeoutMs);
  const items = new WeakMap<object, LoadedItem>();
  // The number of tools is not known while the module is loading.
  const options = { maxSize: maxTools, sizeCalculation: () => 1 };
  const made = new LRUCache<string, Loading>(options);
  const used = new LRUCache<string, Loading>(options);
  /** The modules that have been loaded. One request may need a module several times while it is loading. */
  const done = new WeakSet<Loading>();
  const dropOne = (): void => {
    const hasManyMade = made.size > 1 && made.calculatedSize > maxTools * ONCE;
    (hasManyMade || used.size === 0 ? made : used).pop();
  };
  /** Stores loaded tools with their number as the size, unless they were dropped meanwhile. */
  const keep = (
    place: LRUCache<string, Loading>,
    key: string,
    loading: Loading,
    tools: readonly unknown[],
  ): void => {
    if (made.peek(key) !== loading) return;
    made.delete(key);
    place.set(key, loading, { size: Math.min(tools.length + 1, maxTools) });
    while (made.calculatedSize + used.calculatedSize > maxTools) dropOne();
  };
  return {
    /** Direct tools in the form of loaded ones. Equal lists return the same object. */
    read: (tools: readonly LoadedTool<never>[]): readonly LoadedItem[] =>
      tools.map((tool) => getOrMake(items, tool, () => toItem(tool))),
    /** Calls the listener when loaded tools are stale. Returns a function that unsubscribes it. */
    onChange: (listener: () => void): (() => void) => {
      const ends = [...loaders].map(([module, loader]) =>
        loader.onChange?.(() => {
          const prefix = JSON.stringify([module]).slice(0, -1);
          for (const place of [made, used])
            for (const key of place.keys()) if (key.startsWith(`${prefix},`)) place.delete(key);
          listener();
        }),
      );
      return () => {
        for (const end of ends) end?.();
      };
    },
    load: (module: string, context: ContextValues): Loading => {
      const loader = loaders.get(module);
      const isShared = loader?.isShared === true;
      const key = JSON.stringify([module, isShared ? '' : hashOf(context)]);
      const known = used.get(key) ?? made.get(key);
      if (known && (done.has(known) || sharesPendingWork())) {
        if (done.has(known) && made.has(key)) known.then((tools) => keep(used, key, known, tools));
        return known;
      }
      const loading = run(module, loader, isShared ? {} : context, {
        timeoutMs: loader?.timeoutMs ?? timeoutMs,
        secrets: [context, secrets],
      });
      made.set(key, loading);
      loading.then(
        (tools) => {
          done.add(loading);
          keep(made, key, loading, tools);
        },
        () => {
          if (made.peek(key) === loading) made.delete(key);
        },
      );
      return loading;
    },
  };
}

function assertDuration(name: string, value: unknown): void {
  // A timer with a longer delay would fire immediately.
  if (typeof value !== 'number' || !(value >= 1 && value < 2 ** 31))
    throw new ErrInvalidOptions(`${name} must be milliseconds of at least 1 and below 2^31.`);
}

/** Rejects after a time limit. A later result or error is ignored. */
export async function within<T>(
  timeoutMs: number,
  loading: T | PromiseLike<T>,
  createError = () => new Error(`it took longer than ${timeoutMs} ms`),
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), timeoutMs);
    unrefTimer(timer);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function run(
  module: string,
  loader: ModuleLoader<never> | undefined,
  context: ContextValues,
  { timeoutMs, secrets }: { readonly timeoutMs: number; readonly secrets: readonly ContextValues[] },
): Promise<readonly LoadedItem[]> {
  try {
    if (!loader) throw new TypeError('there is no such module');
    const tools = (await within(timeoutMs, loader(freezeContext(context)))) as unknown;
    if (!Array.isArray(tools)) throw new TypeError('the loader did not return a list of tools');
    if (!tools.every((tool) => typeof tool === 'object' && tool !== null))
      throw new TypeError('the loader returned an item that is not a tool');
    return (tools as LoadedTool<never>[]).map(toItem);
  } catch (thrown) {
    // Every value of the context is redacted, because a loader may have put it into an error message.
    const redactor = redactorOf(secrets.map((credential) => ({ credential })));
    if (thrown instanceof ErrModuleFailed || thrown instanceof ErrInvalidSessionContext)
      throw redactError(thrown, redactor);
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ErrModuleFailed(`Module "${module}" could not be loaded: ${redactor.text(reason)}`, {
      cause: redactThrown(thrown, redactor),
      details: { module },
    });
  }
}
