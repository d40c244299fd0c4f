import { existsSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';

/** One version of a server: its local files as a single script. Packages are not included. */
export interface Bundle {
  readonly code: string;
  /** Source map as JSON. */
  readonly map: string;
  /** The packages and built-in modules that the code imports, in import order. */
  readonly externals: readonly string[];
}

/** Modification times of all files that the last build read, even if the build failed. */
export interface BuildInputs {
  readonly files: ReadonlyMap<string, number>;
  /** Folders in which an import was not found. Any new entry may be the missing file. */
  readonly missing: ReadonlyMap<string, number>;
}

export class CompileError extends Error {
  readonly problems: readonly Esbuild.Message[];

  constructor(problems: readonly Esbuild.Message[]) {
    super(problems[0]?.text ?? 'The file cannot be compiled.');
    this.problems = problems;
  }
}

/** Name of the object through which the bundled code gets its packages and hands over its exports. */
export const HOST = '__toolfold_dev__';
const META = '__toolfold_meta__';
const PACKAGE = 'toolfold-package';
const RESOLVED = Symbol('resolved');

/**
 * Bundles the local files of a server. Packages stay external, so that all versions share them. The bundled code reads their
 * exports from `namespaces`, because it is a function body, which cannot contain import statements.
 */
export class Bundler {
  readonly #esbuild: typeof Esbuild;
  readonly #entry: string;
  readonly #namespaces: ReadonlyMap<string, object>;
  #files = new Map<string, number>();
  #missing = new Map<string, number>();

  constructor(esbuild: typeof Esbuild, entry: string, namespaces: ReadonlyMap<string, object>) {
    this.#esbuild = esbuild;
    this.#entry = entry;
    this.#namespaces = namespaces;
  }

  get inputs(): BuildInputs {
    return { files: this.#files, missing: this.#missing };
  }

  /** Bundles the current files. `externals` lists the packages that `namespaces` lacks. */
  async build(): Promise<Bundle> {
    this.#files = new Map([[this.#entry, changeTime(this.#entry)]]);
    this.#missing = new Map();
    const folder = dirname(this.#entry);
    try {
      const { outputFiles, metafile } = await this.#esbuild.build({
        stdin: {
          contents: `import * as exports from ${JSON.stringify(this.#entry)};\n${HOST}.done(exports);`,
          resolveDir: folder,
          sourcefile: 'toolfold-dev.js',
        },
        absWorkingDir: folder,
        outfile: resolve(folder, 'toolfold-dev.js'),
        bundle: true,
        write: false,
        metafile: true,
        format: 'esm',
        platform: 'node',
        target: 'esnext',
        mainFields: ['main'],
        // The conditions that Node uses to resolve an import. esbuild adds `node`, `import` and `default`.
        conditions: 'require_module' in process.features ? ['module-sync', 'node-addons'] : ['node-addons'],
        sourcemap: 'external',
        sourcesContent: false,
        logLevel: 'silent',
        define: { 'import.meta': META },
        plugins: [this.#plugin()],
      });
      const [map, script] = outputFiles;
      const externals = Object.values(metafile.outputs)
        .flatMap(({ imports }) => imports)
        .filter(({ kind }) => kind === 'import-statement')
        .map(({ path }) => path);
      return { code: script?.text ?? '', map: map?.text ?? '{}', externals };
    } catch (error) {
      const { errors } = Object(error) as { errors?: readonly Esbuild.Message[] };
      throw errors ? new CompileError(errors) : error;
    }
  }

  #plugin(): Esbuild.Plugin {
    return {
      name: 'toolfold-dev',
      setup: (build) => {
        build.onResolve({ filter: /.*/ }, (args) => this.#resolve(build, args));
        build.onLoad({ filter: /.*/, namespace: PACKAGE }, ({ path }) => ({
          contents: writePackage(path, this.#namespaces.get(path) ?? {}),
        }));
        build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, ({ path }) => {
          this.#files.set(path, changeTime(path));
          const source = readFileSync(path, 'utf8');
          const loader = loaders[extname(path)];
          return loader
            ? { contents: withPlace(source, path), loader, resolveDir: dirname(path) }
            : undefined;
        });
        build.onLoad({ filter: /.*/, namespace: 'file' }, ({ path }) => {
          this.#files.set(path, changeTime(path));
          return undefined;
        });
      },
    };
  }

  async #resolve(
    build: Esbuild.PluginBuild,
    args: Esbuild.OnResolveArgs,
  ): Promise<Esbuild.OnResolveResult | undefined> {
    const { path, kind, importer, resolveDir } = args;
    if (args.pluginData === RESOLVED) return undefined;
    if (isBuiltin(path)) return this.#external(path.startsWith('node:') ? path : `node:${path}`, kind);
    const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: RESOLVED });
    if (found.errors.length > 0) {
      const folder = nearestFolder(resolve(resolveDir, path, '..'));
      this.#missing.set(folder, changeTime(folder));
      return { errors: found.errors };
    }
    if (found.external || found.namespace !== 'file') return found;
    if (!isPackage(path, found.path)) return found;
    return this.#external(kind === 'require-call' ? found.path : pathToFileURL(found.path).href, kind);
  }

  #external(path: string, kind: Esbuild.ImportKind): Esbuild.OnResolveResult {
    const isKnown = kind === 'import-statement' && this.#namespaces.has(path);
    return isKnown ? { path, namespace: PACKAGE, sideEffects: false } : { path, external: true };
  }
}

export function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Whether an import resolves to an installed package. Toolfold counts as one even if it is linked. */
function isPackage(name: string, path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path) || name === 'toolfold' || name.startsWith('toolfold/');
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

const loaders: Readonly<Record<string, Esbuild.Loader>> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
};

function writePackage(path: string, namespace: object): string {
  const names = Object.keys(namespace);
  return [
    `const loaded = ${HOST}.namespaces.get(${JSON.stringify(path)});`,
    ...names.map((name, index) => `const export${index} = loaded[${JSON.stringify(name)}];`),
    `export { ${names.map((name, index) => `export${index} as ${JSON.stringify(name)}`).join(', ')} };`,
  ].join('\n');
}

/**
 * Defines `import.meta`, `__filename` and `__dirname` for a bundled file, because the bundle has another path. Writes them on the
 * first line, so that line numbers stay the same.
 */
function withPlace(source: string, path: string): string {
  const [shebang = ''] = /^#!.*\n/.exec(source) ?? [];
  const rest = source.slice(shebang.length);
  const url = pathToFileURL(path).href;
  const place = { url, filename: path, dirname: dirname(path) };
  if (source.includes('import.meta'))
    return `${shebang && '\n'}const ${META} = Object.assign(${JSON.stringify(place)}, { resolve: (name) => ${HOST}.resolve(name, ${JSON.stringify(url)}) });${rest}`;
  if (/\b__(?:dir|file)name\b/.test(source))
    return `${shebang && '\n'}var __filename = ${JSON.stringify(path)}, __dirname = ${JSON.stringify(dirname(path))};${rest}`;
  return source;
}
