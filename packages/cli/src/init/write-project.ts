import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CommandError } from '@toolfold/analysis/internal';
import type { ProjectFiles } from './render-template.js';

/** Entries that a folder may contain and still count as empty: a new repository, and files of the operating system. */
const harmless: ReadonlySet<string> = new Set(['.git', '.DS_Store', 'Thumbs.db']);
const MAX_SHOWN = 5;

/** Throws unless the folder is new or empty. */
export function assertEmpty(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats && isLink(folder))
    throw new CommandError(
      `${folder} is a symbolic link to a folder that does not exist. Create that folder, or remove the link.`,
    );
  if (!stats) return;
  if (!stats.isDirectory())
    throw new CommandError(`${folder} is a file. Name a folder that does not exist yet, or an empty one.`);
  const entries = readdirSync(folder).filter((entry) => !harmless.has(entry));
  if (entries.length === 0) return;
  const shown = entries.toSorted().slice(0, MAX_SHOWN).join(', ');
  const more = entries.length > MAX_SHOWN ? ` and ${entries.length - MAX_SHOWN} more` : '';
  throw new CommandError(
    `${folder} is not empty: it contains ${shown}${more}. Name an empty or new folder: toolfold init my-server`,
  );
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/**
 * Writes a project into an empty or new folder. Writes temporary files first, so that a failure such as a full disk leaves nothing
 * behind.
 */
export function writeProject(folder: string, files: ProjectFiles): void {
  let created: string | undefined;
  const moved: string[] = [];
  let draft: string | undefined;
  try {
    // Create folders one by one, because a recursive mkdir of Node never ends in a file system such as /proc.
    for (const missing of findMissing(folder)) {
      mkdirSync(missing);
      created ??= missing;
    }
    draft = mkdtempSync(join(folder, '.toolfold-init-'));
    for (const [path, text] of files) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { flag: 'wx' });
    }
    for (const entry of readdirSync(draft)) {
      const target = join(folder, entry);
      if (existsSync(target))
        throw new CommandError(`${relative('', target)} was created meanwhile. Nothing is written.`);
      renameSync(join(draft, entry), target);
      moved.push(target);
    }
    rmSync(draft, { recursive: true });
  } catch (error) {
    for (const target of moved) rmSync(target, { recursive: true, force: true });
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true });
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
    throw error;
  }
}

/** Lists the missing parent folders of a path, the outermost first. */
function findMissing(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [...findMissing(dirname(folder)), folder];
}
