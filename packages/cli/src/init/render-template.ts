import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageVersion } from 'toolfold/internal';
import { unscopedName } from './project-name.js';

export type Transport = 'both' | 'http' | 'stdio';
export type Auth = 'none' | 'api-keys';

/** The choices that determine the contents of a project. */
export interface ProjectChoices {
  readonly name: string;
  readonly transport: Transport;
  readonly auth: Auth;
}

/** Maps paths to contents. Folders are separated by `/`. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** The template uses this name for the project. */
const PLACEHOLDER = /\bmy-server\b/g;

export function renderTemplate(choices: ProjectChoices, template = findTemplate()): ProjectFiles {
  const { transport, auth } = choices;
  const hasHttp = transport !== 'stdio';
  const hasStdio = transport !== 'http';
  const hasKeys = hasHttp && auth === 'api-keys';
  const facts = new Set([
    hasHttp ? 'http' : 'no http',
    hasStdio ? 'stdio' : 'no stdio',
    hasKeys ? 'api-keys' : 'no api-keys',
  ]);
  /** Maps template files that only some projects contain to their paths in those projects. */
  const special: Readonly<Record<string, string | undefined>> = {
    'src/http.ts': hasHttp ? 'src/http.ts' : undefined,
    'src/stdio.ts': hasStdio ? 'src/stdio.ts' : undefined,
    Dockerfile: hasHttp ? 'Dockerfile' : undefined,
    _dockerignore: hasHttp ? '.dockerignore' : undefined,
    '_mcp.json': hasStdio ? '.mcp.json' : undefined,
    '_mcp.http.json': hasStdio ? undefined : '.mcp.json',
    '_vscode/mcp.json': hasStdio ? '.vscode/mcp.json' : undefined,
    '_vscode/mcp.http.json': hasStdio ? undefined : '.vscode/mcp.json',
    // npm does not publish a .gitignore, and TypeScript would read a package.json as that of the examples.
    '_claude/skills/add-a-tool/SKILL.md': '.claude/skills/add-a-tool/SKILL.md',
    _gitignore: '.gitignore',
    '_package.json': 'package.json',
  };
  const files = new Map<string, string>();
  for (const path of listFiles(template)) {
    const target = Object.hasOwn(special, path) ? special[path] : path;
    if (target === undefined) continue;
    const text = readFileSync(join(template, path), 'utf8').replaceAll('\r\n', '\n');
    const named = text.replaceAll(PLACEHOLDER, () => unscopedName(choices.name));
    if (target === 'package.json') files.set(target, writeManifest(named, choices.name, facts));
    else files.set(target, /\.(?:md|ts)$/.test(target) ? selectSections(named, facts) : named);
  }
  return new Map([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

interface Manifest {
  name: string;
  bin?: Record<string, string>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

function writeManifest(text: string, name: string, facts: ReadonlySet<string>): string {
  const manifest = JSON.parse(text) as Manifest;
  manifest.name = name;
  for (const section of [manifest.dependencies, manifest.devDependencies])
    for (const dependency of Object.keys(section))
      if (/^(?:@toolfold\/.+|toolfold)$/.test(dependency)) section[dependency] = `^${packageVersion}`;
  if (facts.has('no stdio')) delete manifest.bin;
  if (facts.has('no http')) {
    delete manifest.scripts['prestart'];
    delete manifest.scripts['start'];
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** Keeps the sections between `<!-- if x -->` and `<!-- end -->`, in code `// if x` and `// end`, whose fact holds. They may be nested. */
function selectSections(text: string, facts: ReadonlySet<string>): string {
  const kept: boolean[] = [];
  const lines = text.split('\n').filter((line) => {
    const mark = /^(?:<!-- (.+) -->| *\/\/ (if .+|end))$/.exec(line);
    const [word = '', condition = ''] = (mark?.[1] ?? mark?.[2] ?? '').split(/ (.*)/);
    if (word === 'if') kept.push(facts.has(condition));
    else if (word === 'end') kept.pop();
    else return kept.every(Boolean);
    return false;
  });
  return `${lines.join('\n').trimEnd()}\n`;
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .filter((path) => !path.includes('node_modules/'));
}

/** Finds the template in the package of this file. */
function findTemplate(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const template = join(folder, 'templates', 'server');
    if (existsSync(join(template, '_package.json'))) return template;
    if (folder === dirname(folder))
      throw new Error('The templates of Toolfold are missing. Install it again.');
  }
}
