import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolRegistry } from 'toolfold';
import type { CompilableTool } from 'toolfold';
import type { LoadedModule } from '@toolfold/analysis/internal';
import { defineServer } from 'toolfold/node';
import type { ServerDescription } from 'toolfold/node';
import { describeError } from '../terminal/describe-error.js';
import { CommandError, exitCodes } from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';

const SEPARATE_FILE = 'Export the registry from a separate file that serves nothing.';

type Exports = Readonly<Record<string, unknown>>;
type Named<T> = readonly [name: string, value: T];

/** A loaded module. Until it is released, an exit of the process counts as its fault. */
interface HeldModule extends LoadedModule {
  readonly release: () => void;
}

export async function loadModule(
  file: string,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<HeldModule> {
  terminal.reserveStdout();
  const listening = countServers();
  let phase = 'while it was loaded';
  const onExit = (): void => {
    terminal.notify(`${file} ended the process ${phase}. ${SEPARATE_FILE}`);
    process.exitCode = exitCodes.failed;
  };
  const release = (): void => void process.off('exit', onExit);
  process.once('exit', onExit);
  // After a timeout or Ctrl-C, the command itself ends the process.
  signal.addEventListener('abort', release, { once: true });
  try {
    const exports = await importFile(file);
    phase = 'before the command was done';
    notifyOfServers(file, listening, terminal);
    return { ...findServer(file, exports), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Warns if loading the file started a server. `listening` is the number of servers before. */
export function notifyOfServers(file: string, listening: number, terminal: Terminal): void {
  if (countServers() > listening)
    terminal.notify(`${file} started a server while it was loaded. ${SEPARATE_FILE}`);
}

export function countServers(): number {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name === 'TCPServerWrap' || name === 'PipeServerWrap').length;
}

/** Finds the server among the exports of a file. Recognises exports by their methods, because the file may use another copy of Toolfold. */
export function findServer(file: string, exports: Exports): LoadedModule {
  const described = Object.entries(exports).find((entry): entry is [string, ServerDescription] =>
    isRegistry(Object(entry[1])['registry']),
  );
  if (described) {
    const server = defineServer(described[1]);
    const { view, toolsets: config, scopes } = server.http;
    return { registry: server.registry as ToolRegistry, found: described[0], view, config, scopes, server };
  }
  const [found, registry] = findRegistry(file, exports);
  const config = Object.entries(exports).find(([, value]) => isConfig(value));
  if (config)
    throw new CommandError(
      `${file} exports the toolsets ${config[0]} beside a registry. ` +
        `Write: export default defineServer({ registry: ${found}, toolsets: ${config[0]} })`,
    );
  return { registry, found };
}

function findRegistry(file: string, exports: Exports): Named<ToolRegistry> {
  const registries = findAll(exports, isRegistry);
  const chosen =
    registries.find(([name]) => name === 'default') ??
    registries.find(([name]) => name === 'registry') ??
    (registries.length === 1 ? registries[0] : undefined);
  if (chosen) return chosen;
  if (registries.length > 1) {
    const names = registries.map(([name]) => name).join(', ');
    throw new CommandError(
      `${file} exports several registries: ${names}. Export the one to use as registry.`,
    );
  }
  const builders = findAll(exports, isBuilder);
  const [first] = builders;
  if (!first) throw nothingFound(file, exports);
  const registry = new ToolRegistry({ name: builders.length === 1 ? first[1].name : 'builders' });
  registry.register(...builders.map(([, builder]) => builder));
  return [builders.map(([name]) => name).join(', '), registry];
}

/** Finds the exports of a kind, each once, under its first name. */
function findAll<T>(exports: Exports, isKind: (value: unknown) => value is T): Named<T>[] {
  const found = new Map<T, string>();
  for (const [name, value] of Object.entries(exports))
    if (isKind(value) && !found.has(value)) found.set(value, name);
  return [...found].map(([value, name]) => [name, value]);
}

function isRegistry(value: unknown): value is ToolRegistry {
  return hasMethods(value, ['executeTool', 'listTools', 'routeCall']);
}

function isBuilder(value: unknown): value is CompilableTool<unknown> {
  return hasMethods(value, ['compile', 'buildToolDefinition']);
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((method) => typeof (value as Exports)[method] === 'function');
}

function isConfig(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['catalog', 'startup'].every((key) => typeof (value as Exports)[key] === 'object');
}

function nothingFound(file: string, exports: Exports): CommandError {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports');
  const functions = names.filter((name) => typeof exports[name] === 'function');
  const what = names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
  const hint =
    functions.length > 0
      ? `If ${functions[0]} creates the registry, write: export const registry = ${functions[0] === 'default' ? 'create' : functions[0]}()`
      : 'Write: export const registry = new ToolRegistry(…)';
  return new CommandError(`${file} exports no server, no registry and no builder; ${what}. ${hint}`);
}

interface TsxApi {
  readonly register: () => unknown;
}

type TsxPart = './cjs/api' | './esm/api';

interface TsxManifest {
  readonly exports: Readonly<Record<TsxPart, { readonly import: { readonly default: string } }>>;
}

/** Imports a JavaScript or TypeScript file. An error of the file names the place in its code. */
async function importFile(file: string): Promise<Exports> {
  const path = resolve(file);
  if (/\.[cm]?tsx?$/.test(path)) await prepareTypeScript(path);
  const url = pathToFileURL(path);
  try {
    return unwrapCommonJs((await import(url.href)) as Exports);
  } catch (error) {
    throw new CommandError(`${file} cannot be loaded: ${explain(error, url)}`);
  }
}

/** Node 20 does not detect the names that a compiled CommonJS file exports, and exports them all as `default`. */
function unwrapCommonJs(exports: Exports): Exports {
  const inner = exports['default'];
  return typeof inner === 'object' && inner !== null && '__esModule' in inner ? (inner as Exports) : exports;
}

/** Loaders registered in this process. Registering one twice would double its time, because both copies run. */
const registered = new Set<string>();

/**
 * Enables TypeScript. Prefers tsx if the project has it, because tsx resolves `./x.js` to `./x.ts`. Otherwise Node 22.18 or later
 * strips the types. Registers both loaders of tsx, because a file in a folder without `"type": "module"` is CommonJS.
 */
async function prepareTypeScript(path: string): Promise<void> {
  const api = findTsx(path) ?? findTsx(import.meta.url);
  if (api !== undefined) {
    for (const part of api) {
      if (registered.has(part)) continue;
      registered.add(part);
      const { register } = (await import(pathToFileURL(part).href)) as TsxApi;
      register();
    }
    return;
  }
  const { typescript } = process.features as { typescript?: unknown };
  if (typescript !== undefined && typescript !== false) return;
  throw new CommandError(
    `TypeScript files need the package tsx, or Node 22.18 or later; this is Node ${process.version}. ` +
      'Install it in your project: npm install --save-dev tsx',
  );
}

function findTsx(from: string): readonly string[] | undefined {
  try {
    const manifest = createRequire(from).resolve('tsx/package.json');
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as TsxManifest;
    const parts: readonly TsxPart[] = ['./cjs/api', './esm/api'];
    return parts.map((part) => resolve(dirname(manifest), exports[part].import.default));
  } catch {
    return undefined;
  }
}

function explain(error: unknown, url: URL): string {
  const { code } = Object(error) as { code?: unknown };
  const hint =
    code === 'ERR_MODULE_NOT_FOUND'
      ? '\nAre all packages installed that it imports?'
      : /Top-level await .* "cjs"/.test(String(error))
        ? '\nAdd "type": "module" to package.json, because CommonJS has no await outside of functions.'
        : '';
  // The first line of a syntax error names the file.
  const first = error instanceof SyntaxError ? (error.stack ?? '').split('\n')[0] : undefined;
  const at = first?.includes(url.pathname) === true ? `\n    at ${first}` : '';
  return `${describeError(error)}${at}${hint}`;
}
