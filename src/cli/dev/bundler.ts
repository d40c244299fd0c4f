import { existsSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';

/** The code of one version of a server: its local files as one script, without its packages. */
export interface Bundle {
  readonly code: string;
  /** The source map of the code, as JSON. */
  readonly map: string;
  /** The packages and built-in modules that the code imports, in their order. */
  readonly externals: readonly string[];
}

/** A file that cannot be compiled, or an import that cannot be found. */
export class CompileError extends Error {
  readonly problems: readonly Esbuild.Message[];

  constructor(problems: readonly Esbuild.Message[]) {
    super(problems[0]?.text ?? 'The file cannot be compiled.');
    this.problems = problems;
  }
}

/** The object through which the bundled code reaches its packages, and hands over its exports. */
export const HOST = '__toolfold_dev__';
const META = '__toolfold_meta__';
const PACKAGE = 'toolfold-package';
const RESOLVED = Symbol('resolved');

/**
 * Bundles the local files of a server. Packages stay outside, so that all versions share one copy of them. Their exports are read
 * from `namespaces`, because the bundled code is a function body, which cannot have import statements.
 */
export class Bundler {
  readonly #esbuild: typeof Esbuild;
  readonly #entry: string;
  readonly #namespaces: ReadonlyMap<string, object>;
  /** The local files that the last build read, whether or not it succeeded, with the times of their last change. */
  #files = new Map<string, number>();
  /** The folders in which the last build missed a file, with the times of their last change. */
  #missing = new Map<string, number>();

  constructor(esbuild: typeof Esbuild, entry: string, namespaces: ReadonlyMap<string, object>) {
    this.#esbuild = esbuild;
    this.#entry = entry;
    this.#namespaces = namespaces;
  }

  get files(): ReadonlyMap<string, number> {
    return this.#files;
  }

  get missing(): ReadonlyMap<string, number> {
    return this.#missing;
  }

  /** Bundles the files as they are now. `externals` lists the packages that are missing in `namespaces`. */
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
        // The conditions with which Node resolves an import. esbuild adds `node`, `import` and `default`.
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

/** The time of the last change of a file, or 0 if it does not exist. */
export function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Whether an import leads to an installed package. Toolfold itself counts as one, even if it is linked. */
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

/** A module with the exports of a package that is loaded already. */
function writePackage(path: string, namespace: object): string {
  const names = Object.keys(namespace);
  return [
    `const loaded = ${HOST}.namespaces.get(${JSON.stringify(path)});`,
    ...names.map((name, index) => `const export${index} = loaded[${JSON.stringify(name)}];`),
    `export { ${names.map((name, index) => `export${index} as ${JSON.stringify(name)}`).join(', ')} };`,
  ].join('\n');
}

/**
 * Defines `import.meta`, `__filename` and `__dirname` of a bundled file with the path of the file, because the bundle has another
 * path. The definitions are on the first line of the file, so that the line numbers stay the same.
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
