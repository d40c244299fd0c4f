import { basename } from 'node:path';
import { LOCKFILE } from '../../analysis/diff/lockfile.js';
import { lockCommand } from '../../analysis/lock-command.js';
import { findConfig } from '../../analysis/lint/lint-settings.js';
import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { PageSource } from '../../devtools/page-source.js';
import { ToolRegistry } from '../../index.js';
import { Exposure } from '../../web.js';
import { LiveServer } from './live-server.js';
import type { Reporter } from './reporter.js';
import { compareSurfaces, emptySurface } from './surface.js';
import type { Surface } from './surface.js';
import type { LoadedVersion, VersionLoader } from './version-loader.js';
import type { FileWatcher } from './watch-files.js';

/** Replaces the version of a live server when its files change. */
export class Development {
  readonly #file: string;
  readonly #loader: VersionLoader;
  readonly #reporter: Reporter;
  #live: LiveServer | undefined;
  #code: string | undefined;
  #surface: Surface = emptySurface;
  #module: LoadedModule | undefined;
  /** Why the files of the last change cannot be loaded. */
  #problem: string | undefined;
  readonly #listeners = new Set<() => void>();
  /** Counts the attempts to load. A later attempt makes the result of an earlier one obsolete. */
  #attempt = 0;

  constructor(file: string, loader: VersionLoader, reporter: Reporter) {
    this.#file = file;
    this.#loader = loader;
    this.#reporter = reporter;
  }

  get surface(): Surface {
    return this.#surface;
  }

  /** Loads the first version. If that fails, the server begins without tools. */
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
    const before = this.#surface;
    const change = compareSurfaces(before, version.surface);
    this.#code = version.code;
    this.#surface = version.surface;
    this.#module = version.module;
    this.#live?.replace(version, change.lists);
    const ms = Math.round(performance.now() - start);
    this.#reporter.reloaded(this.#file, ms, change, before, version.surface);
    this.#announce();
  }

  /** The server as the page shows it: always the last version that could be loaded. */
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
        // Calls go through the live registry, so that the command reports them, and sees the same object for each version.
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

  /** Loads a version. Reports an error, and returns `undefined` if there is no new version. */
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
      if (isLatest()) watcher.follow(this.#loader.files, this.#loader.missing);
    }
    return undefined;
  }
}

function emptyVersion(file: string): { readonly registry: ToolRegistry; readonly exposure: Exposure } {
  const registry = new ToolRegistry({ name: basename(file).replace(/\.\w+$/, '') });
  return { registry, exposure: new Exposure(registry) };
}
