import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The path of a file in `dist` of this package, from the sources as well. */
export function builtFile(path: string): string {
  const manifest = createRequire(import.meta.url).resolve('@toolfold/devtools/package.json');
  return join(dirname(manifest), 'dist', path);
}
