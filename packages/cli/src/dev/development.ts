import { basename } from 'node:path';
import { inspect } from 'node:util';
import { findConfig, lockCommand, LOCKFILE } from '@toolfold/analysis/internal';
import type { LoadedModule } from '@toolfold/analysis/internal';
import type { PageSource } from '@toolfold/devtools/internal';
import { ToolRegistry } from 'toolfold';
import type { DefinedServer } from 'toolfold/node';
import { Exposure } from 'toolfold/web';
import { LiveServer } from './live-server.js';
import type { Reporter } from './reporter.js';
import { compareSurfaces, emptySurface } from './surface.js';
import type { Surface } from './surface.js';
import type { LoadedVersion, VersionLoader } from './version-loader.js';
import type { FileWatcher } from './watch-files.js';

export class Development {
  readonly #file: string;
  readonly #loader: VersionLoader;
  readonly #reporter: Reporter;
  #live: LiveServer | undefined;
  #code: string | undefined;
  #surface: Surface = emptySurface;
  #module: LoadedModule | undefined;
  /** Why the latest version of the files cannot be loaded. */
  #problem: string | undefined;
  readonly #listeners = new Set<() => void>();
  /** Number of attempts to load. A later attempt invalidates earlier ones. */
  #attempt = 0;

  constructor(file: string, loader: VersionLoader, reporter: Reporter) {
    this.#file = file;
    this.#loader = loader;
    this.#reporter = reporter;
  }

  /** The description of the last version that could be loaded. */
  get server(): LoadedModule['server'] {
    return this.#module?.server;
  }

  get surface(): Surface {
    return this.#surface;
  }

  /** Loads the first version. If this fails, serves no tools until a version loads. */
  async start(watcher: FileWatcher): Promise<LiveServer> {
    const version = await this.#load(watcher);
    const first = version ?? emptyVersion(this.#file);
    this.#code = version?.code;
    this.#surface = version?.surface ?? emptySurface;
    this.#module = version?.module ?? { ...first, found: this.#file };
    return (this.#live = new LiveServer(first, this.#reporter));
  }

  async reload(watcher: FileWatcher): Promise<void> {
    const start = performance.now();
    const version = await this.#load(watcher);
    if (!version) return;
    const [before, served] = [this.#surface, this.#module?.server];
    const change = compareSurfaces(before, version.surface);
    this.#code = version.code;
    this.#surface = version.surface;
    this.#module = version.module;
    this.#live?.replace(version, change.lists);
    const ms = Math.round(performance.now() - start);
    this.#reporter.reloaded(this.#file, ms, change, before, version.surface);
    if (describeOptions(served) !== describeOptions(version.module.server)) this.#reporter.needsRestart();
    this.#announce();
  }

  /** The source of the page: always the last version that could be loaded. */
  pageSource(live: LiveServer): PageSource {
    const shown = new WeakMap<LoadedModule, LoadedModule>();
    return {
      target: this.#file,
      words: [this.#file],
      canCall: true,
      lockfile: LOCKFILE,
      lockCommand: lockCommand([this.#file]),
      lintConfig: findConfig(this.#file),
      problem: () => this.#problem,
      current: () => {
        const module = this.#module as LoadedModule;
        // Calls go through the live registry, so that the command reports them. Reuse the object, so that the page sees one module
        // per version.
        const known = shown.get(module) ?? { ...module, registry: live.registry };
        shown.set(module, known);
        return known;
      },
      onChange: (listener) => {
        const unsubscribe = live.registry.onChange(({ kind }) => {
          if (kind !== 'resource') listener();
        });
        this.#listeners.add(listener);
        return () => {
          unsubscribe();
          this.#listeners.delete(listener);
        };
      },
      observe: (listener) => live.observeCalls(listener),
    };
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#announce();
  }

  /** Loads a version and reports errors. Returns `undefined` if there is no new version. */
  async #load(watcher: FileWatcher): Promise<LoadedVersion | undefined> {
    const attempt = ++this.#attempt;
    const isLatest = (): boolean => attempt === this.#attempt;
    try {
      const version = await this.#loader.load(this.#code);
      if (isLatest()) this.#setProblem(undefined);
      if (isLatest() && version) return version;
      if (isLatest()) this.#reporter.unchanged(this.#file);
      version?.exposure.close();
    } catch (error) {
      if (isLatest()) {
        this.#reporter.failed(this.#file, error, this.#code !== undefined);
        this.#setProblem(`${this.#file} cannot be loaded.\n${this.#reporter.describeFailure(error)}`);
      }
    } finally {
      if (isLatest()) watcher.follow(this.#loader.inputs);
    }
    return undefined;
  }
}

/** The parts of a description that a reload applies. */
const reloaded = { registry: undefined, view: undefined, toolsets: undefined, scopes: undefined };

/** Describes the options that a reload cannot apply. Code, such as that of an authenticator, is not compared. */
function describeOptions({ http = {}, stdio = {} }: Partial<DefinedServer> = {}): string {
  return inspect([
    { ...http, ...reloaded },
    { ...stdio, ...reloaded },
  ]);
}

function emptyVersion(file: string): { readonly registry: ToolRegistry; readonly exposure: Exposure } {
  const registry = new ToolRegistry({ name: basename(file).replace(/\.\w+$/, '') });
  return { registry, exposure: new Exposure(registry) };
}
