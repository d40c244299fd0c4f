import type * as Esbuild from 'esbuild';
import { findServer, notifyOfServers, countServers } from '../target/load-module.js';
import type { Form, LoadedModule, Selection } from '@toolfold/analysis/internal';
import type { ProfileName } from '@toolfold/profiles';
import { CommandError, createExposure, overrideView } from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';
import { Bundler } from './bundler.js';
import type { Bundle, BuildInputs } from './bundler.js';
import type { Version } from './live-server.js';
import { runBundle } from './run-bundle.js';
import { readSurface } from './surface.js';
import type { Surface } from './surface.js';

export interface LoadedVersion extends Version {
  readonly code: string;
  /** The exports of the file, with the view that the command line chose. */
  readonly module: LoadedModule;
  readonly surface: Surface;
}

interface LoaderOptions {
  /** The file as named on the command line. */
  readonly file: string;
  /** Absolute path of the file, with symbolic links resolved. */
  readonly entry: string;
  readonly form: Form | undefined;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly terminal: Terminal;
  readonly onError: (error: unknown) => void;
}

export class VersionLoader {
  readonly #options: LoaderOptions;
  readonly #bundler: Bundler;
  /** Packages that any version has imported. All versions share them. */
  readonly #namespaces = new Map<string, object>();
  #number = 0;

  constructor(esbuild: typeof Esbuild, options: LoaderOptions) {
    this.#options = options;
    this.#bundler = new Bundler(esbuild, options.entry, this.#namespaces);
  }

  get inputs(): BuildInputs {
    return this.#bundler.inputs;
  }

  /** Loads the current files. Returns `undefined` if their code equals `current`. */
  async load(current: string | undefined): Promise<LoadedVersion | undefined> {
    const bundle = await this.#bundle();
    if (bundle.code === current) return undefined;
    const { file, entry, form, code, profile, terminal, onError } = this.#options;
    const version = ++this.#number;
    const listening = countServers();
    const exports = await withoutExit(file, () =>
      runBundle(bundle, { entry, version, namespaces: this.#namespaces }),
    );
    notifyOfServers(file, listening, terminal);
    const found = findServer(file, exports);
    const module = { ...found, view: overrideView(found.view, { form, code, profile }) };
    const { registry, scopes } = module;
    const exposure = createExposure(module, {}, { scopes, onError });
    try {
      return {
        registry,
        exposure,
        module,
        code: bundle.code,
        surface: await readSurface(registry, exposure),
      };
    } catch (error) {
      exposure.close();
      throw error;
    }
  }

  /** Bundles the files, and imports packages that no earlier version imported. */
  async #bundle(): Promise<Bundle> {
    for (;;) {
      const bundle = await this.#bundler.build();
      if (bundle.externals.length === 0) return bundle;
      for (const url of bundle.externals) this.#namespaces.set(url, (await import(url)) as object);
    }
  }
}

/** Throws if a file exits the process while it loads, because the old version must keep running. */
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
