import type { AnyRegistry, ToolRegistry, View } from 'toolfold';
import { CallListeners, INTERNALS, internalsOf, observeCalls } from 'toolfold/internal';
import type { CallListener, RegistryInternals } from 'toolfold/internal';
import type { Exposure } from 'toolfold/web';

type Request = Parameters<Exposure['viewFor']>[0];
type Call = Parameters<ToolRegistry['executeTool']>[0];
type Change = Parameters<Parameters<ToolRegistry['onChange']>[0]>[0];
type Result = Awaited<ReturnType<ToolRegistry['executeTool']>>;

export interface Version {
  readonly registry: ToolRegistry;
  readonly exposure: Exposure;
}

export interface CallObserver {
  readonly call: (request: Call, view: View, run: () => Promise<Result>) => Promise<Result>;
  readonly prompt: <T>(name: string, run: () => Promise<T>) => Promise<T>;
  readonly resource: <T>(uri: string, run: () => Promise<T>) => Promise<T>;
}

/**
 * A registry and an Exposure that delegate to the current version, so that the listener and its sessions stay open while the
 * version is replaced.
 */
export class LiveServer {
  readonly registry: ToolRegistry;
  readonly exposure: Exposure;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #callListeners = new CallListeners();
  /** Versions whose calls are observed. Calls of an old version may still be running. */
  readonly #observed = new WeakSet<ToolRegistry>();
  readonly #observer: CallObserver;
  /** The version that compiled a view. A call with a view runs in that version, even if a newer one has replaced it. */
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

  /** Replaces the version, and tells clients which lists have changed. */
  replace(next: Version, changed: readonly ('tools' | 'prompts' | 'resources')[]): void {
    const { exposure } = this.#current;
    this.#unsubscribe();
    this.#current = next;
    if (this.#callListeners.size > 0) this.#observe(next.registry);
    this.#unsubscribe = next.registry.onChange((change) => this.#announce(change));
    // Calls in flight keep their view, so the old Exposure is no longer needed.
    exposure.close();
    for (const kind of changed) this.#announce({ kind });
  }

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

  /** Forwards the calls of a version. The listener must not refer to the registry, so that old versions can be collected. */
  #observe(registry: ToolRegistry): void {
    if (this.#observed.has(registry)) return;
    this.#observed.add(registry);
    observeCalls(internalsOf(registry), (call) => this.#callListeners.tell(call));
  }

  #ownRegistry(): Partial<ToolRegistry> & { readonly [INTERNALS]: RegistryInternals } {
    const makerOf = (view: View): Version => this.#makers.get(view) ?? this.#current;
    const run =
      (calling: (registry: AnyRegistry) => AnyRegistry['executeTool']): AnyRegistry['executeTool'] =>
      (request, view = this.#current.registry.view()) => {
        const { registry, exposure } = makerOf(view);
        const viewFor = (changed: Request): View | Promise<View> => exposure.viewFor(changed);
        return this.#observer.call(request, view, () => calling(registry)(request, view, viewFor));
      };
    return {
      executeTool: run(
        (registry) =>
          (...call) =>
            registry.executeTool(...call),
      ) as ToolRegistry['executeTool'],
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
      [INTERNALS]: delegate<RegistryInternals>(() => internalsOf(this.#current.registry), {
        callOrStartTask: run(
          (registry) =>
            (...call) =>
              internalsOf(registry).callOrStartTask(...call),
        ),
      }),
    };
  }

  #ownExposure(): Partial<Exposure> {
    return {
      viewFor: async (request) => {
        const version = this.#current;
        const view = await version.exposure.viewFor(request);
        this.#makers.set(view, version);
        return view;
      },
    };
  }
}

/** Returns a proxy that delegates to the current object, except for the members in `own`. */
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
