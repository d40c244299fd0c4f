/** The sources of all packages, and what they import. */
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { packageFolders } from '../../scripts/packages.js';

const root = new URL('../../', import.meta.url);

/** From the ground up: a package may import only from the packages before it, and types count too. */
export const packages = packageFolders;
export type PackageFolder = (typeof packages)[number];

export interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly imports?: Readonly<
    Record<string, { readonly require?: string; readonly node: string; readonly default: string }>
  >;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Import {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly from: string;
  /** The imported names; empty for imports of a whole module. */
  readonly names: readonly string[];
  readonly isType: boolean;
  readonly isDynamic: boolean;
}

export interface SourceFile {
  readonly folder: PackageFolder;
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export const readText = (path: string): string => readFileSync(new URL(path, root), 'utf8');

export const manifestOf = (folder: PackageFolder): Manifest =>
  JSON.parse(readText(`packages/${folder}/package.json`)) as Manifest;

export interface EntryPoint {
  /** As users import it, such as `toolfold/web`. */
  readonly name: string;
  readonly subpath: string;
  /** Path of its source from the root of the repository. */
  readonly source: string;
}

/** The entry points that a package exports. */
export function entriesOf({ name, exports = {} }: Manifest): EntryPoint[] {
  const folder = name.replace('@toolfold/', '');
  return Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => {
      const entry = subpath === '.' ? 'index' : subpath.slice(2);
      return { name: posix.join(name, subpath), subpath, source: `packages/${folder}/src/${entry}.ts` };
    });
}

export interface ExportStatement {
  readonly entries: readonly { readonly name: string; readonly isType: boolean }[];
  /** The text of the comment directly above; empty if there is none. */
  readonly reason: string;
}

/** The export statements of an entry point. */
export function exportsOf(path: string): ExportStatement[] {
  const text = readText(path);
  const { module, comments } = parseSync(path, text, { lang: 'ts' });
  return module.staticExports.map(({ start, entries }) => {
    const above = comments.find(({ end }) => text.slice(end, start) === '\n');
    return {
      entries: entries.map(({ exportName, isType }) => ({ name: exportName.name ?? '*', isType })),
      reason: (above?.value ?? '').replaceAll(/^\*|\n \*/g, '').trim(),
    };
  });
}

/** Files below a folder whose names match, by their paths from the root of the repository. */
export function filesIn(folder: string, names: RegExp): string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesIn(path, names);
    return names.test(path) ? [path] : [];
  });
}

/** Static, dynamic and type imports of a file, and its exports from other files. */
export function importsOf(file: string, text: string): Import[] {
  const { module, errors } = parseSync(file, text, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const listed = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({ from: moduleRequest.value, entries })),
    ...module.staticExports.flatMap(({ entries }) => {
      const from = entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest?.value;
      return from === undefined ? [] : [{ from, entries }];
    }),
  ];
  const loaded = module.dynamicImports.flatMap(({ start, moduleRequest }) => {
    const [, from] = /^'([^']+)'/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    const [, taken = ''] = /\{([^{}]*)\} = await $/.exec(text.slice(0, start)) ?? [];
    const names = taken.split(',').map((name) => name.trim());
    return from === undefined ? [] : [{ file, from, names, isType: false, isDynamic: true }];
  });
  return [
    ...listed.map(({ from, entries }) => ({
      file,
      from,
      names: entries.flatMap(({ importName }) => importName.name ?? []),
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
      isDynamic: false,
    })),
    ...loaded,
  ];
}

/** Sources of a package, and of the page of `devtools`, without tests. */
function sourcesOf(folder: PackageFolder): SourceFile[] {
  const folders = {
    'create-toolfold': [],
    devtools: ['packages/devtools/src', 'packages/devtools/page/src'],
  } as Partial<Record<PackageFolder, string[]>>;
  return (folders[folder] ?? [`packages/${folder}/src`])
    .flatMap((below) => filesIn(below, /(?<!\.d|\.test)\.tsx?$/))
    .map((path) => {
      const text = readText(path);
      return { folder, path, text, imports: importsOf(path, text) };
    });
}

export const sources: readonly SourceFile[] = packages.flatMap(sourcesOf);
const paths = new Set(sources.map(({ path }) => path));

/** The folder of the package that an import such as `@toolfold/schema/errors` names, and its entry point. */
export function siblingOf(
  from: string,
): { readonly folder: PackageFolder; readonly entry: string } | undefined {
  const [, scoped, plain, entry = ''] = /^(?:@toolfold\/([a-z]+)|(toolfold))(?:\/(.+))?$/.exec(from) ?? [];
  const folder = packages.find((name) => name === (scoped ?? plain));
  return folder && { folder, entry: entry || 'index' };
}

/** The source that an import names, by relative path or by the name of a package; `undefined` for third-party packages. */
export function targetOf({ file, from }: Import): string | undefined {
  const sibling = siblingOf(from);
  if (sibling) return `packages/${sibling.folder}/src/${sibling.entry}.ts`;
  if (!from.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(file), from);
  return (
    [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((name) => paths.has(name)) ?? path
  );
}
