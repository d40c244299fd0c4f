import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '@toolfold/analysis/internal';

/** Writes all files, or none if one exists and `force` is not set. */
export function writeEjected(
  files: ReadonlyMap<string, string>,
  folder: string,
  isForced: boolean,
): string[] {
  const paths = [...files].map(([name, text]) => [join(folder, name), text] as const);
  const existing = paths.flatMap(([path]) => (existsSync(path) ? [path] : []));
  if (existing.length > 0 && !isForced)
    throw new CommandError(
      `${existing.slice(0, 3).join(', ')}${existing.length > 3 ? ` and ${existing.length - 3} more` : ''} exist. Pass --force to overwrite them.`,
    );
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of paths) writeFileSync(path, text, { flag: isForced ? 'w' : 'wx' });
  return paths.map(([path]) => path);
}
