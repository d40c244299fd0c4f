import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import type { Plugin, RolldownOptions } from 'rolldown';
import { ZodFirstPartyTypeKind } from 'zod/v3';

interface Manifest {
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The name of the source of a file in `dist`, without its extension. */
const sourceOf = (target: string): string => target.slice('./dist/'.length, -'.js'.length);

/** Builds in the enum that `zod-to-json-schema` imports from Zod 3, so that servers do not load the rest of Zod 3. */
const zod3Kinds: Plugin = {
  name: 'zod3-kinds',
  resolveId: (id) => (id === 'zod/v3' ? id : undefined),
  load: (id) =>
    id === 'zod/v3'
      ? `export const ZodFirstPartyTypeKind = ${JSON.stringify(ZodFirstPartyTypeKind)};`
      : undefined,
};

/** Writes the licences of built-in packages, which must accompany every copy. */
const notices = (names: readonly string[]): Plugin => ({
  name: 'notices',
  generateBundle() {
    const licences = names.map((name) => {
      const folder = new URL(`node_modules/${name}/`, import.meta.url);
      const file = readdirSync(folder).find((path) => path.startsWith('LICENSE'));
      return `${name}\n\n${readFileSync(new URL(`${file}`, folder), 'utf8').trim()}\n`;
    });
    if (licences.length > 0)
      this.emitFile({ type: 'asset', fileName: 'NOTICES.txt', source: licences.join('\n\n') });
  },
});

/**
 * Builds a package: its entry points, the files that only some runtimes load, and the programs of its threads. Dependencies stay outside.
 * The development dependencies of a package are built in: starts are 3 % faster without their files (docs/decisions/0027-packages.md).
 */
function build(folder: string): RolldownOptions[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const entries = [
    ...Object.values(manifest.exports).map((target) =>
      typeof target === 'string' ? target : target.default,
    ),
    ...Object.values(manifest.imports ?? {}).flatMap((conditions) => Object.values(conditions)),
  ]
    .filter((target) => target.startsWith('./dist/'))
    .map(sourceOf);
  const programs = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-thread-program.ts'))
    .map((file) => file.slice(0, -'.ts'.length));
  const inlined = Object.keys(manifest.devDependencies ?? {});
  // A thread loads one file, so its program shares none with the package.
  return [entries, ...programs.map((program) => [program])].map((names) => ({
    input: Object.fromEntries(names.map((name) => [name, join(folder, `src/${name}.ts`)])),
    platform: 'neutral',
    plugins: [zod3Kinds, notices(inlined)],
    external: (id) =>
      !/^[./]/.test(id) &&
      id !== 'zod/v3' &&
      !inlined.some((name) => id === name || id.startsWith(`${name}/`)),
    // The build of lru-cache for browsers needs nothing of Node.
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    treeshake: { moduleSideEffects: 'no-external' },
    experimental: { attachDebugInfo: 'none' },
    output: {
      dir: join(folder, 'dist'),
      chunkFileNames: 'chunks/[name].js',
      comments: { jsdoc: false },
      // Few files, because a start takes as long for each as for the code of ten functions.
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
      // Short names of local variables are a sixth less code to parse. Names of functions and lines stay, for stack traces.
      minify: {
        compress: false,
        mangle: { toplevel: false, keepNames: true },
        codegen: { removeWhitespace: false },
      },
    },
    // Forms that entry points export are also loaded later, by servers that do not import them.
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message);
    },
  }));
}

/** All packages from the root of the repository, or the package of the current folder. */
const folders = existsSync('packages')
  ? readdirSync('packages').map((name) => join('packages', name))
  : ['.'];

export default defineConfig(folders.filter((folder) => existsSync(join(folder, 'src'))).flatMap(build));
