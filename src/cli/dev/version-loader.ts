import type * as Esbuild from 'esbuild';
import { Exposure } from '../../web.js';
import { findServer, notifyOfServers, countServers } from '../target/load-module.js';
import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { ProfileName } from '../../profiles/profile.js';
import type { Form, Selection } from '../../analysis/target/opened-target.js';
import { CommandError } from '../../analysis/command-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { Bundler } from './bundler.js';
import type { Bundle } from './bundler.js';
import type { Version } from './live-server.js';
import { runBundle } from './run-bundle.js';
import { readSurface } from './surface.js';
import type { Surface } from './surface.js';

export interface LoadedVersion extends Version {
  readonly code: string;
  /** The exports that were used, with the view of the command line. */
  readonly module: LoadedModule;
  readonly surface: Surface;
}

interface LoaderOptions {
  /** The file as the command line names it. */
  readonly file: string;
  /** The whole path of the file, without symbolic links. */
  readonly entry: string;
  readonly form: Form | undefined;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly terminal: Terminal;
  readonly onError: (error: unknown) => void;
}

/** Loads the versions of a server. */
export class VersionLoader {
  readonly #options: LoaderOptions;
  readonly #bundler: Bundler;
  /** The packages that any version has imported. All versions share them. */
  readonly #namespaces = new Map<string, object>();
  #number = 0;

  constructor(esbuild: typeof Esbuild, options: LoaderOptions) {
    this.#options = options;
    this.#bundler = new Bundler(esbuild, options.entry, this.#namespaces);
  }

  /** The files of the last attempt, with the times of their last change. */
  get files(): ReadonlyMap<string, number> {
    return this.#bundler.files;
  }

  /** The folders in which the last attempt missed a file, with the times of their last change. */
  get missing(): ReadonlyMap<string, number> {
    return this.#bundler.missing;
  }

  /** Loads the files as they are now. Returns `undefined` if their code is `current`. */
  async load(current: string | undefined): Promise<LoadedVersion | undefined> {
    const bundle = await this.#bundle();
    if (bundle.code === current) return undefined;
    const { file, entry, terminal } = this.#options;
    const version = ++this.#number;
    const listening = countServers();
    const exports = await withoutExit(file, () =>
      runBundle(bundle, { entry, version, namespaces: this.#namespaces }),
    );
    notifyOfServers(file, listening, terminal);
    const server = findServer(file, exports);
    const exposure = this.#expose(server);
    try {
      const surface = await readSurface(server.registry, exposure);
      return {
        registry: server.registry,
        exposure,
        module: this.#withView(server),
        code: bundle.code,
        surface,
      };
    } catch (error) {
      exposure.close();
      throw error;
    }
  }

  /** Bundles the files, and imports packages that no earlier version has imported. */
  async #bundle(): Promise<Bundle> {
    for (;;) {
      const bundle = await this.#bundler.build();
      if (bundle.externals.length === 0) return bundle;
      for (const url of bundle.externals) this.#namespaces.set(url, (await import(url)) as object);
    }
  }

  /** An Exposure or Toolsets of the author decide about the view. */
  #withView(server: LoadedModule): LoadedModule {
    const { form, code, profile } = this.#options;
    return (server.exposure ?? server.toolsets) ? server : { ...server, view: { form, code, profile } };
  }

  #expose({ registry, exposure, toolsets, config = toolsets?.config }: LoadedModule): Exposure {
    const { form, code, profile, file, onError } = this.#options;
    const option = form === undefined ? 'profile' : 'form';
    if (exposure && (form ?? profile) !== undefined)
      throw new CommandError(
        `--${option} cannot be used: ${file} exports an Exposure, which sets the ${option}.`,
      );
    const toolsetOptions = config ? { toolsets: config } : {};
    return exposure ?? new Exposure(registry, { view: { form, code, profile }, ...toolsetOptions, onError });
  }
}

/** Turns an exit of the process while a file is loaded into an error, because the old version must go on. */
async function withoutExit<T>(file: string, load: () => Promise<T>): Promise<T> {
  const { exit } = process;
  process.exit = (code) => {
    throw new CommandError(`${file} called process.exit(${code ?? ''}) while it was loaded.`);
  };
  try {
    return await load();
  } finally {
    process.exit = exit;
  }
}
