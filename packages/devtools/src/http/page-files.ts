import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { builtFile } from '../built-file.js';

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Whether the name contains a hash of the contents, so that browsers may cache the file forever. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Reads the files of the page by path. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const folder = builtFile('page/');
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${path.slice(folder.length).split(sep).join('/')}`;
    const type = types[extname(name)];
    if (type !== undefined)
      files.set(name, { type, body: readFileSync(path), isHashed: name.startsWith('/assets/') });
  }
  return files;
}
