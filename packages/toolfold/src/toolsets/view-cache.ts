import { LRUCache } from 'lru-cache';
import { ToolfoldError } from '@toolfold/schema/errors';
import type { AnyRegistry } from '../registry/any-registry.js';
import { sharesPendingWork } from '@toolfold/schema/internal';
import type { View } from '../views/view.js';
import { markPartial } from '../views/view.js';
import { ClientBundles } from './client-cache.js';
import type { BundleOwner, ClientBundlesOptions } from './client-cache.js';
import { textOf } from './view-key.js';
import type { ViewKey } from './view-key.js';

interface Compilation {
  readonly compile: () => Promise<View>;
  /** The requesting client, if the view was compiled for its context. */
  readonly owner?: BundleOwner | undefined;
  /** Called with the error of `compile` when the last good view is returned instead. */
  readonly onStale?: ((error: unknown) => void) | undefined;
}

/** Maximum number of tools in cached views. The least recently used view is evicted. */
const MAX_TOOLS = 20_000;
const MAX_OF_CLIENT = 16;
/** Milliseconds after which the missing tools of a partial view are loaded again. */
const RETRY_MS = 30_000;

const limits = {
  maxSize: MAX_TOOLS,
  sizeCalculation: (view: View | Promise<View>) => (view instanceof Promise ? 1 : sizeOf(view)),
};

/**
 * The views of a server, by key. Concurrent requests for one key share one compilation. All views are dropped when the registered
 * tools or the tools of a module change.
 */
export class ViewCache {
  readonly #whole = new LRUCache<string, View | Promise<View>>(limits);
  /** Requests can name tools in countless ways, so these views have their own space and cannot evict the others. */
  readonly #picked = new LRUCache<string, View | Promise<View>>(limits);
  /** The last good view of each key, returned when a change makes the view impossible to compile. */
  readonly #last = new LRUCache<string, View>({ maxSize: MAX_TOOLS, sizeCalculation: sizeOf });
  /** The views that each client used recently in one context, so that other clients cannot evict them. */
  readonly #ofClients: ClientBundles<ReadonlyMap<string, View>> | undefined;
  readonly #unsubscribe: () => void;

  /** `clientBundles` limits the views cached by client. Without it, clients have no separate cache. */
  constructor(registry: AnyRegistry, clientBundles?: Pick<ClientBundlesOptions, 'max' | 'ttlMs'>) {
    this.#ofClients =
      clientBundles && new ClientBundles({ ...clientBundles, maxSize: MAX_TOOLS, sizeOf: sizeOfBundle });
    this.#unsubscribe = registry.onChange(({ kind }) => {
      if (kind !== 'resource') this.clear();
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** The view of a key, if it is compiled. */
  find(key: ViewKey): View | undefined {
    const known = this.#spaceOf(key).get(textOf(key));
    return known instanceof Promise ? undefined : known;
  }

  set(key: ViewKey, view: View): void {
    const text = textOf(key);
    this.#spaceOf(key).set(text, view);
    this.#last.set(text, view);
  }

  async get(key: ViewKey, compilation: Compilation): Promise<View> {
    const text = textOf(key);
    const space = this.#spaceOf(key);
    const { owner } = compilation;
    const ofClient = owner && this.#ofClients?.get(owner)?.get(text);
    if (ofClient) return ofClient;
    const known = space.get(text);
    if (known && !(known instanceof Promise)) {
      if (owner && !known.isPartial) this.#keepFor(owner, text, known);
      return known;
    }
    if (known && sharesPendingWork()) return known;
    const compiling = this.#compile(text, compilation);
    space.set(text, compiling);
    // After `clear`, another compilation may have taken the place of this one.
    const isCurrent = (): boolean => space.peek(text) === compiling;
    try {
      const view = await compiling;
      if (isCurrent()) space.set(text, view, view.isPartial ? { ttl: RETRY_MS } : {});
      return view;
    } catch (error) {
      if (isCurrent()) space.delete(text);
      throw error;
    }
  }

  /** Drops a partial view, so that it is compiled again. */
  forgetPartial(key: ViewKey): void {
    if (this.find(key)?.isPartial) this.#spaceOf(key).delete(textOf(key));
  }

  /** Drops all views, but not the last good ones. */
  clear(): void {
    this.#whole.clear();
    this.#picked.clear();
    this.#ofClients?.clear();
  }

  #spaceOf({ selection: { narrowing } }: ViewKey): LRUCache<string, View | Promise<View>> {
    return narrowing.actions || narrowing.exclude ? this.#picked : this.#whole;
  }

  #keepFor(owner: BundleOwner, text: string, view: View): void {
    const views = [...(this.#ofClients?.get(owner) ?? [])].filter(([each]) => each !== text);
    this.#ofClients?.set(owner, new Map([...views.slice(1 - MAX_OF_CLIENT), [text, view]]));
  }

  /** Falls back to the last good view if the view cannot be compiled. Errors that the client caused are thrown. */
  async #compile(text: string, { compile, onStale }: Compilation): Promise<View> {
    try {
      const view = await compile();
      if (!view.isPartial) this.#last.set(text, view);
      return view;
    } catch (error) {
      const last = this.#last.get(text);
      const isClients = error instanceof ToolfoldError && error.audience !== 'author';
      if (isClients) this.#last.delete(text);
      if (!last || !onStale || isClients) throw error;
      onStale(error);
      return markPartial(last);
    }
  }
}

/** The size of a view in the cache. A view that is larger than the cache counts as the whole cache, and is kept. */
function sizeOf(view: View): number {
  return Math.min((view.shown?.view ?? view).tools.size + 1, MAX_TOOLS);
}

function sizeOfBundle(views: ReadonlyMap<string, View>): number {
  return [...views.values()].reduce((sum, view) => sum + sizeOf(view), 1);
}
