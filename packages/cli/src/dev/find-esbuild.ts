import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';
import { CommandError } from '@toolfold/analysis/internal';

/**
 * Loads esbuild. Prefers the copy of the project's tsx, then the project's own, which may be older, then one installed next to
 * Toolfold.
 */
export async function loadEsbuild(file: string): Promise<typeof Esbuild> {
  const path = findEsbuild(file) ?? findEsbuild(import.meta.url);
  if (path === undefined)
    throw new CommandError(
      'toolfold dev needs the package tsx, which brings esbuild. Install it in your project: npm install --save-dev tsx',
    );
  const loaded = (await import(pathToFileURL(path).href)) as { readonly default: typeof Esbuild };
  return loaded.default;
}

function findEsbuild(from: string): string | undefined {
  const tsx = resolveFrom(from, 'tsx/package.json');
  return (tsx === undefined ? undefined : resolveFrom(tsx, 'esbuild')) ?? resolveFrom(from, 'esbuild');
}

function resolveFrom(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
