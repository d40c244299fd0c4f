import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError } from '../terminal/exit-codes.js';
import { isToolfoldError } from '../terminal/explain-failure.js';

interface TsxApi {
  readonly register: () => () => Promise<void>;
}

interface TsxManifest {
  readonly exports: { readonly './esm/api': { readonly import: { readonly default: string } } };
}

/** Loads a file of JavaScript or TypeScript. What it throws is told with the place where it did. */
export async function importFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  if (/\.[cm]?tsx?$/.test(path)) await prepareTypeScript(path);
  const url = pathToFileURL(path);
  try {
    return (await import(url.href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new CommandError(`${file} cannot be loaded: ${explain(error, url)}`);
  }
}

/**
 * tsx where the project has it: it also finds `./x.ts` where `./x.js` is written. Otherwise Node itself, which can
 * leave types out since 22.18.
 */
async function prepareTypeScript(path: string): Promise<void> {
  const api = findTsx(path) ?? findTsx(import.meta.url);
  if (api !== undefined) {
    const { register } = (await import(pathToFileURL(api).href)) as TsxApi;
    register();
    return;
  }
  const { typescript } = process.features as { typescript?: unknown };
  if (typescript !== undefined && typescript !== false) return;
  throw new CommandError(
    `TypeScript needs the package tsx here, or Node 22.18 or later; this is ${process.version}. ` +
      'Install it beside your code: npm install --save-dev tsx',
  );
}

/** The part of tsx for ES modules: what `require` finds under that name is another one. */
function findTsx(from: string): string | undefined {
  try {
    const manifest = createRequire(from).resolve('tsx/package.json');
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as TsxManifest;
    return resolve(dirname(manifest), exports['./esm/api'].import.default);
  } catch {
    return undefined;
  }
}

/** What was thrown, and the first place in code that is not a package's or Node's own. */
function explain(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const message = isToolfoldError(error) ? error.message : `${error.name}: ${error.message}`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.find((line) => !/node:|node_modules|\/dist\/(?:index|chunks|cli|serve)/.test(line));
  const place = own && /\(?((?:file:\/\/|\/|[A-Z]:\\)[^()]+?:\d+:\d+)\)?$/.exec(own)?.[1];
  // A file that cannot be parsed is named in the first line.
  const first = error.name === 'SyntaxError' ? (error.stack ?? '').split('\n')[0] : undefined;
  const at = place ?? (first?.includes(url.pathname) ? first : undefined);
  const hint = code === 'ERR_MODULE_NOT_FOUND' ? '\nIs everything installed that it imports?' : '';
  return `${message}${at === undefined ? '' : `\n  at ${at}`}${hint}`;
}
