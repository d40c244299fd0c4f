import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
  /** Whether the name has a hash of the contents, so that browsers may keep the file. */
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The built files: `dist/devtools/page`, beside the built server. */
const built = fileURLToPath(new URL('page/', import.meta.url));
/** The same folder, seen from the sources. */
const fromSources = fileURLToPath(new URL('../../../dist/devtools/page/', import.meta.url));

/** Reads the files of the page, by path. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const folder = import.meta.url.endsWith('.ts') ? fromSources : built;
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
