import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '@toolfold/analysis/internal';

const sections = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'] as const;
type Fields = Partial<Record<(typeof sections)[number] | 'scripts', Record<string, string>>>;

/** The package.json of a project that depends on `toolfold`. */
export interface Manifest {
  readonly file: string;
  readonly text: string;
  readonly section: (typeof sections)[number];
  /** The versions of `toolfold` that the project accepts. */
  readonly range: string;
  readonly usesCommand: boolean;
  has(name: string): boolean;
}

/** Finds the nearest package.json that depends on `toolfold`, in a folder or above it. */
export function findManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const fields = parse(file, text);
  const section = sections.find((each) => fields[each]?.['toolfold'] !== undefined);
  const range = section && fields[section]?.['toolfold'];
  if (section === undefined || range === undefined)
    return dirname(folder) === folder ? undefined : findManifest(dirname(folder));
  return {
    file,
    text,
    section,
    // Other packages are not at the address of a folder, an archive or a repository.
    range: range.includes(':') && !/^(?:workspace|catalog):/.test(range) ? 'latest' : range,
    usesCommand: Object.values(fields.scripts ?? {}).some((line) => /(?:^|[\s;&|"'])toolfold\s/.test(line)),
    has: (name) => sections.some((each) => fields[each]?.[name] !== undefined),
  };
}

function parse(file: string, text: string): Fields {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Fields;
  } catch (error) {
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

/** Adds a package to a section of a package.json, in the order of the alphabet. All other text stays. */
export function addPackage(file: string, text: string, section: string, name: string, range: string): string {
  const entry = `"${name}": ${JSON.stringify(range)}`;
  for (const { 0: found, index } of text.matchAll(new RegExp(`"${section}"\\s*:\\s*\\{[^{}]*\\}`, 'g'))) {
    const start = index + found.indexOf('{') + 1;
    const space = /^\s*/.exec(text.slice(start))?.[0] ?? '';
    const entries = [...found.matchAll(/"([^"]+)"\s*:\s*"[^"]*"/g)];
    const next = entries.find(([, key = '']) => key > name);
    const last = entries.at(-1);
    const at = index + (next?.index ?? (last ? last.index + last[0].length : found.length - 1));
    const added = next ? `${entry},${space}` : `${last ? `,${space}` : ''}${entry}`;
    const changed = text.slice(0, at) + added + text.slice(at);
    // Inner objects may have the same name.
    if (parse(file, changed)[section as keyof Fields]?.[name] === range) return changed;
  }
  if (parse(file, text)[section as keyof Fields])
    throw new CommandError(
      `${file}: add ${entry} to ${section}, whose text is unusual, and run the command again.`,
    );
  const [, rest = '', end = ''] = /^([^]*\S)(\s*\}\s*)$/.exec(text) ?? [];
  const [line = '', indent = ''] = /\r?\n([ \t]*)(?=")/.exec(text) ?? [];
  return `${rest},${line}"${section}": {${line}${indent}${entry}${line}}${end}`;
}
