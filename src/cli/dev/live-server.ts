import type { AnyRegistry, ToolRegistry, View } from '../../index.js';
import { CallListeners, observeCalls } from '../../engine/trace/call-listeners.js';
import type { CallListener } from '../../engine/trace/call-listeners.js';
import type { Exposure } from '../../web.js';

type Request = Parameters<Exposure['viewFor']>[0];
type Call = Parameters<ToolRegistry['executeTool']>[0];
type Change = Parameters<Parameters<ToolRegistry['onChange']>[0]>[0];
type Result = Awaited<ReturnType<ToolRegistry['executeTool']>>;

/** One version of the author's server. */
export interface Version {
  readonly registry: ToolRegistry;
  readonly exposure: Exposure;
}

/** Observes the calls of a live server. */
export interface CallObserver {
  readonly call: (request: Call, view: View, run: () => Promise<Result>) => Promise<Result>;
  readonly prompt: <T>(name: string, run: () => Promise<T>) => Promise<T>;
  readonly resource: <T>(uri: string, run: () => Promise<T>) => Promise<T>;
}

/**
 * A registry and an exposure that always behave as those of the current version. A listener and its sessions stay open while
 * the version behind them is replaced.
 */
export class LiveServer {
  readonly registry: ToolRegistry;
  readonly exposure: Exposure;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #callListeners = new CallListeners();
  /** Versions of which the calls are observed. Calls of an old version may still run. */
  readonly #observed = new WeakSet<ToolRegistry>();
  readonly #observer: CallObserver;
  /** The version that made a view. A call whose view is made runs in that version, even if another one is current by then. */
  readonly #makers = new WeakMap<View, Version>();
  #current: Version;
  #unsubscribe: () => void;

  constructor(first: Version, observer: CallObserver) {
    this.#current = first;
    this.#observer = observer;
    this.#unsubscribe = first.registry.onChange((change) => this.#announce(change));
    this.registry = delegate(() => this.#current.registry, this.#ownRegistry());
    this.exposure = delegate(() => this.#current.exposure, this.#ownExposure());
  }

  /** Replaces the version, and tells clients which lists to read again. */
  replace(next: Version, changed: readonly ('tools' | 'prompts' | 'resources')[]): void {
    const { exposure } = this.#current;
    this.#unsubscribe();
    this.#current = next;
    if (this.#callListeners.size > 0) this.#observe(next.registry);
    this.#unsubscribe = next.registry.onChange((change) => this.#announce(change));
    // Calls in flight keep their view, so the exposure of the old version is no longer needed.
    exposure.close();
    for (const kind of changed) this.#announce({ kind });
  }

  /** Calls the listener with the calls of all versions that have ended. Returns a function that ends the observation. */
  observeCalls(listener: CallListener): () => void {
    this.#observe(this.#current.registry);
    return this.#callListeners.add(listener);
  }

  close(): void {
    this.#unsubscribe();
    this.#current.exposure.close();
  }

  #announce(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Passes the calls of a version on. Nothing here refers to the registry, so that old versions can be collected. */
  #observe(registry: ToolRegistry): void {
    if (this.#observed.has(registry)) return;
    this.#observed.add(registry);
    observeCalls(registry, (call) => this.#callListeners.tell(call));
  }

  #ownRegistry(): Partial<ToolRegistry> {
    const makerOf = (view: View): Version => this.#makers.get(view) ?? this.#current;
    const run =
      (method: 'executeTool' | 'callOrStartTask'): AnyRegistry['executeTool'] =>
      (request, view = this.#current.registry.view()) => {
        const { registry, exposure } = makerOf(view);
        const viewFor = (changed: Request): View | Promise<View> => exposure.viewFor(changed);
        return this.#observer.call(request, view, () => registry[method](request, view, viewFor));
      };
    return {
      executeTool: run('executeTool') as ToolRegistry['executeTool'],
      callOrStartTask: run('callOrStartTask'),
      getPrompt: (request) => {
        const { registry } = this.#current;
        return this.#observer.prompt(request.name, () => registry.getPrompt(request));
      },
      readResource: (request) => {
        const { registry } = this.#current;
        return this.#observer.resource(request.uri, () => registry.readResource(request));
      },
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  #ownExposure(): Partial<Exposure> {
    return {
      viewFor: (request) => {
        const version = this.#current;
        const view = version.exposure.viewFor(request);
        if (!(view instanceof Promise)) return this.#remember(view, version);
        return view.then((ready) => this.#remember(ready, version));
      },
    };
  }

  #remember(view: View, version: Version): View {
    this.#makers.set(view, version);
    return view;
  }
}

/** Passes every use of an object on to the current one, except for the members that are given. */
function delegate<T extends object>(current: () => T, own: Partial<T>): T {
  return new Proxy(own, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return own[key as keyof T];
      const target = current();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has: (_, key) => key in current(),
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  }) as T;
}
