import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findImports } from './find-imports.js';
import { addPackage, findManifest } from './manifest.js';
import type { Manifest } from './manifest.js';
import { COMMAND_PACKAGE, movedImports } from './moved-imports.js';

/** A quoted path of a moved import. */
export interface MovedPath {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** A package that a project needs after the upgrade. */
export interface NeededPackage {
  readonly name: string;
  readonly range: string;
  /** The section of the package.json, such as `dependencies`. */
  readonly section: string;
  /** The package.json, or `undefined` if none depends on `toolfold`. */
  readonly manifest: string | undefined;
}

export interface Upgrade {
  readonly imports: MovedPath[];
  /** Paths that are no imports, or in Markdown, which the author has to check. */
  readonly mentions: MovedPath[];
  readonly packages: NeededPackage[];
  /** The changed files with their new bytes, each package.json first. */
  readonly files: Map<string, Buffer>;
}

const PROGRAM = /\.[cm]?[jt]sx?$/;
const TEXT = /\.md$|^[jt]sconfig.*\.json$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|e2e)\/|\.(?:test|spec)\.\w+$|(?:^|\/)vitest\.[^/]*$/;
const QUOTED = /(?<=(["'`]))toolfold\/[\w/]+(?=\1)/g;

/** Finds what an upgrade of a folder changes. */
export function planUpgrade(folder: string): Upgrade {
  const plan: Upgrade = { imports: [], mentions: [], packages: [], files: new Map() };
  const programs = new Map<string, Buffer>();
  const projects = new Map<string | undefined, Project>();
  const use = (name: string, file: string): void => {
    const path = join(folder, file);
    const manifest = findManifest(dirname(path));
    const project = projects.get(manifest?.file) ?? { manifest, uses: new Map() };
    const isServed = !TEST.test(relative(dirname(manifest?.file ?? folder), path).replaceAll('\\', '/'));
    project.uses.set(name, isServed || project.uses.get(name) === true);
    projects.set(manifest?.file, project);
  };
  for (const file of withoutIgnored(folder, listFiles(folder, ''))) {
    // Read as latin1, which preserves all bytes in any encoding.
    const text = readFileSync(join(folder, file), 'latin1');
    if (!text.includes('toolfold')) continue;
    const found = PROGRAM.test(file) ? findImports(text) : undefined;
    const changed = text.replaceAll(QUOTED, (from: string, _quote, at: number) => {
      const to = Object.hasOwn(movedImports, from) ? movedImports[from] : undefined;
      if (to === undefined) return from;
      const isImport = found?.at.has(at) === true;
      const line = text.slice(0, at).split(/\r\n?|\n/).length;
      plan[isImport ? 'imports' : 'mentions'].push({ file, line, from, to });
      if (isImport) use(to.split('/', 2).join('/'), file);
      return isImport ? to : from;
    });
    if (changed !== text) programs.set(join(folder, file), Buffer.from(changed, 'latin1'));
    for (const name of found?.packages ?? []) use(name, file);
  }
  const own = findManifest(folder);
  if (own?.usesCommand === true && !projects.has(own.file))
    projects.set(own.file, { manifest: own, uses: new Map() });
  for (const project of projects.values()) addPackages(plan, project);
  for (const [file, bytes] of programs) plan.files.set(file, bytes);
  return plan;
}

/** The packages that the files of a project use, with whether other files than tests use them. */
interface Project {
  readonly manifest: Manifest | undefined;
  readonly uses: Map<string, boolean>;
}

function addPackages(plan: Upgrade, { manifest, uses }: Project): void {
  let text = manifest?.text ?? '';
  if (manifest?.usesCommand === true) uses.set(COMMAND_PACKAGE, false);
  for (const [name, isServed] of [...uses].toSorted()) {
    if (manifest?.has(name) === true) continue;
    const section = isServed ? (manifest?.section ?? 'dependencies') : 'devDependencies';
    const range = manifest?.range ?? 'latest';
    plan.packages.push({ name, range, section, manifest: manifest?.file });
    if (manifest) text = addPackage(manifest.file, text, section, name, range);
  }
  if (manifest && text !== manifest.text) plan.files.set(manifest.file, Buffer.from(text));
}

function listFiles(folder: string, parent: string): string[] {
  return readdirSync(join(folder, parent), { withFileTypes: true }).flatMap((entry) => {
    const path = parent + entry.name;
    if (entry.isDirectory())
      return /^(?:node_modules|dist|\.git)$/.test(entry.name) ? [] : listFiles(folder, `${path}/`);
    return entry.isFile() && (PROGRAM.test(path) || TEXT.test(entry.name)) ? [path] : [];
  });
}

/** Leaves out the files that Git ignores. None is ignored without a repository, or in a folder that is ignored itself. */
function withoutIgnored(folder: string, files: readonly string[]): string[] {
  const { stdout } = spawnSync('git', ['check-ignore', '-z', '--stdin'], {
    cwd: folder,
    input: ['.', ...files].join('\0'),
    encoding: 'utf8',
  });
  const ignored = new Set((stdout as string | null)?.split('\0'));
  return files.filter((file) => ignored.has('.') || !ignored.has(file)).toSorted();
}
