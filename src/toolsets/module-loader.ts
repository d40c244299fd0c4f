import { LRUCache } from 'lru-cache';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import { ErrInvalidOptions, ErrInvalidSessionContext, ErrModuleFailed } from '../errors.js';
import { redactError, redactThrown, redactorOf } from '../guards/redact/redactor.js';
import { toItem } from '../define/tool-collector.js';
import type { CompilableTool } from '../compile/compile-item.js';
import { hashOf, freezeContext } from '../callers/session-context.js';
import type { ContextValues } from '../callers/session-context.js';
import type { McpToolDefinition } from '../define/tool-collector.js';
import { sharesPendingWork } from '../runtime/runtime.js';
import { unrefTimer } from '../runtime/timers.js';

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

/** The tools that a module returned for one context. */
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
export class LoadedModules {
  readonly #loaders: ReadonlyMap<string, ModuleLoader<never>>;
  readonly #timeoutMs: number;
  readonly #maxTools: number;
  readonly #secrets: ContextValues;
  readonly #items = new WeakMap<object, LoadedItem>();
  readonly #made: LRUCache<string, Loading>;
  readonly #used: LRUCache<string, Loading>;
  /** The modules that have been loaded. One request may need a module several times while it is loading. */
  readonly #done = new WeakSet<Loading>();

  constructor(
    loaders: Readonly<Record<string, ModuleLoader<never>>>,
    { timeoutMs = 30_000, maxTools = 20_000, secrets = {} }: LoadedModulesOptions = {},
  ) {
    assertDuration('loaderTimeoutMs', timeoutMs);
    this.#loaders = new Map(Object.entries(loaders));
    for (const [module, loader] of this.#loaders)
      if (loader.timeoutMs !== undefined)
        assertDuration(`timeoutMs of the loader "${module}"`, loader.timeoutMs);
    this.#timeoutMs = timeoutMs;
    this.#maxTools = maxTools;
    this.#secrets = secrets;
    // The number of tools is not known while the module is loading.
    const options = { maxSize: maxTools, sizeCalculation: () => 1 };
    this.#made = new LRUCache(options);
    this.#used = new LRUCache(options);
  }

  /** Direct tools in the form of loaded ones. Equal lists return the same object. */
  read(tools: readonly LoadedTool<never>[]): readonly LoadedItem[] {
    return tools.map((tool) => {
      let item = this.#items.get(tool);
      if (!item) this.#items.set(tool, (item = toItem(tool)));
      return item;
    });
  }

  /** Calls the listener when loaded tools are stale. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    const ends = [...this.#loaders].map(([module, loader]) =>
      loader.onChange?.(() => {
        const prefix = JSON.stringify([module]).slice(0, -1);
        for (const place of [this.#made, this.#used])
          for (const key of place.keys()) if (key.startsWith(`${prefix},`)) place.delete(key);
        listener();
      }),
    );
    return () => {
      for (const end of ends) end?.();
    };
  }

  load(module: string, context: ContextValues): Promise<readonly LoadedItem[]> {
    const loader = this.#loaders.get(module);
    const isShared = loader?.isShared === true;
    const key = JSON.stringify([module, isShared ? '' : hashOf(context)]);
    const known = this.#used.get(key) ?? this.#made.get(key);
    if (known && (this.#done.has(known) || sharesPendingWork())) {
      if (this.#done.has(known) && this.#made.has(key))
        known.then((items) => this.#keep(this.#used, key, known, items));
      return known;
    }
    const loading = run(module, loader, isShared ? {} : context, {
      timeoutMs: loader?.timeoutMs ?? this.#timeoutMs,
      secrets: [context, this.#secrets],
    });
    this.#made.set(key, loading);
    loading.then(
      (items) => {
        this.#done.add(loading);
        this.#keep(this.#made, key, loading, items);
      },
      () => {
        if (this.#made.peek(key) === loading) this.#made.delete(key);
      },
    );
    return loading;
  }

  /** Stores loaded tools with their number as the size, unless they were dropped meanwhile. */
  #keep(place: LRUCache<string, Loading>, key: string, loading: Loading, items: readonly unknown[]): void {
    if (this.#made.peek(key) !== loading) return;
    this.#made.delete(key);
    place.set(key, loading, { size: Math.min(items.length + 1, this.#maxTools) });
    while (this.#made.calculatedSize + this.#used.calculatedSize > this.#maxTools) this.#dropOne();
  }

  #dropOne(): void {
    const hasManyMade = this.#made.size > 1 && this.#made.calculatedSize > this.#maxTools * ONCE;
    (hasManyMade || this.#used.size === 0 ? this.#made : this.#used).pop();
  }
}

function assertDuration(name: string, value: unknown): void {
  // A timer with a longer delay would fire immediately.
  if (typeof value !== 'number' || !(value >= 1 && value < 2 ** 31))
    throw new ErrInvalidOptions(`${name} must be milliseconds of at least 1 and below 2^31.`);
}

/** Rejects after a time limit. A later result or error is ignored. */
export async function within<T>(timeoutMs: number, loading: T | PromiseLike<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
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
