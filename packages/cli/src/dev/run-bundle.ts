import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HOST } from './bundler.js';
import type { Bundle } from './bundler.js';

export type Exports = Readonly<Record<string, unknown>>;

interface BundleHost {
  readonly namespaces: ReadonlyMap<string, object>;
  readonly done: (exports: Exports) => void;
  readonly resolve: (name: string, from: string) => string;
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...parameters: readonly string[]
) => (host: BundleHost, require: NodeJS.Require) => Promise<void>;

/** The Function constructor puts these lines before the body. */
const LINES_BEFORE = ';;';

/**
 * Runs a bundle as a function and returns the exports of its entry file. Node never frees an ES module, but it frees a function
 * with everything that an old version of the server holds.
 */
export async function runBundle(
  { code, map }: Bundle,
  { entry, version, namespaces }: { entry: string; version: number; namespaces: ReadonlyMap<string, object> },
): Promise<Exports> {
  let exports: Exports = {};
  const host: BundleHost = {
    namespaces,
    done: (found) => void (exports = found),
    resolve: (name, from) => resolveName(name, from),
  };
  const body = [
    `"use strict";${code}`,
    `//# sourceMappingURL=data:application/json;base64,${Buffer.from(shiftMap(map, entry)).toString('base64')}`,
    `//# sourceURL=${pathToFileURL(entry).href}?version=${version}`,
  ].join('\n');
  await new AsyncFunction(HOST, 'require', body)(host, createRequire(entry));
  return exports;
}

function resolveName(name: string, from: string): string {
  if (/^\.{0,2}\//.test(name)) return new URL(name, from).href;
  return pathToFileURL(createRequire(from).resolve(name)).href;
}

interface SourceMapFile {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Shifts a source map below the lines before the body, and makes its source paths absolute. */
function shiftMap(text: string, entry: string): string {
  const map = JSON.parse(text) as SourceMapFile;
  const sources = map.sources.map((source) => pathToFileURL(resolve(dirname(entry), source)).href);
  return JSON.stringify({ ...map, sources, mappings: `${LINES_BEFORE}${map.mappings}` });
}
