/** The packages of the workspace and their manifests. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';

/** From the ground up: a package depends only on packages before it. */
export const packageFolders = [
  'schema',
  'profiles',
  'toolfold',
  'search',
  'code',
  'openapi',
  'gateway',
  'redis',
  'testing',
  'analysis',
  'devtools',
  'cli',
  'create-toolfold',
] as const;

export interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export function readManifest(folder: string): Manifest {
  const url = new URL(`../packages/${folder}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Manifest;
}

/** The file with the types of an entry point such as `@toolfold/schema/errors`; `undefined` for other packages. */
export function typesOf(specifier: string): string | undefined {
  const [, scoped, plain, path = ''] =
    /^(?:@toolfold\/([\w-]+)|(toolfold))((?:\/.*)?)$/.exec(specifier) ?? [];
  const folder = packageFolders.find((name) => name === (scoped ?? plain));
  const target = folder && readManifest(folder).exports?.[`.${path}`];
  return typeof target === 'object' ? `packages/${folder}/${target.types.slice(2)}` : undefined;
}

const root = new URL('../', import.meta.url);

/** The source files of a package without its tests, as paths in the repository. */
export function sourcesOf(folder: string): readonly string[] {
  const source = `packages/${folder}/src`;
  if (!existsSync(new URL(source, root))) return [`packages/${folder}/main.js`];
  return readdirSync(new URL(source, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${source}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}

/** The syntax tree of a source file. */
export function parseSource(file: string): ReturnType<typeof parseSync>['program'] {
  return parseSync(file, readFileSync(new URL(file, root), 'utf8'), { lang: 'ts' }).program;
}
