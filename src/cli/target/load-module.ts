import { ToolRegistry } from '../../index.js';
import type { CompilableTool } from '../../index.js';
import type { ToolsetConfig, Exposure, Toolsets } from '../../web.js';
import { CommandError, exitCodes } from '../terminal/exit-codes.js';
import { importFile } from './import-file.js';
import { keepStdout, say } from '../terminal/output.js';

/** What a file exports of a server. */
export interface LoadedModule {
  readonly registry: ToolRegistry;
  /** Which of its exports were taken, in words. */
  readonly found: string;
  readonly exposure?: Exposure | undefined;
  readonly toolsets?: Toolsets | undefined;
  readonly config?: ToolsetConfig | undefined;
}

type Exports = Readonly<Record<string, unknown>>;
type Named<T> = readonly [name: string, value: T];

/** A module whose code may not end the process until it is released. */
export interface HeldModule extends LoadedModule {
  readonly release: () => void;
}

/** Loads a file and finds the server in what it exports. Nothing is served. */
export async function loadModule(file: string, signal: AbortSignal): Promise<HeldModule> {
  keepStdout();
  const listening = countServers();
  let phase = 'while it was loaded';
  const onExit = (): void => {
    say(`${file} ended the process ${phase}. Export the registry from a file of its own.`);
    process.exitCode = exitCodes.failed;
  };
  const release = (): void => void process.off('exit', onExit);
  process.once('exit', onExit);
  // Whoever waits no longer ends the process itself.
  signal.addEventListener('abort', release, { once: true });
  try {
    const exports = await importFile(file);
    phase = 'before the command was done';
    if (countServers() > listening)
      say(
        `${file} listens since it was loaded. Export the registry from a file of its own, which serves nothing.`,
      );
    return { ...findServer(file, exports), release };
  } catch (error) {
    release();
    throw error;
  }
}

function countServers(): number {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name === 'TCPServerWrap' || name === 'PipeServerWrap').length;
}

/** The server among what a file exports. By what they can do, not by their class: a module may have its own toolfold. */
export function findServer(file: string, exports: Exports): LoadedModule {
  const [exposure] = findAll<Exposure>(exports, ['viewFor', 'reachableFor', 'toolsOf']);
  const [toolsets] = findAll<Toolsets>(exports, ['plan', 'viewOf', 'describe']);
  const registry = findRegistry(file, exports);
  if (!registry) {
    const source = exposure ?? toolsets;
    if (!source) throw nothingFound(file, exports);
    const kind = exposure ? 'an Exposure' : 'Toolsets';
    throw new CommandError(
      `${file} exports ${kind} as ${source[0]}, and not the registry. Export it as registry.`,
    );
  }
  const config = Object.entries(exports).find((entry): entry is [string, ToolsetConfig] =>
    isConfig(entry[1]),
  );
  const source = exposure ?? toolsets ?? config;
  return {
    registry: registry[1],
    found: source ? `${registry[0]} and ${source[0]}` : registry[0],
    ...(exposure
      ? { exposure: exposure[1] }
      : toolsets
        ? { toolsets: toolsets[1] }
        : { config: config?.[1] }),
  };
}

function findRegistry(file: string, exports: Exports): Named<ToolRegistry> | undefined {
  const registries = findAll<ToolRegistry>(exports, ['executeTool', 'listTools', 'viewWith']);
  const chosen =
    registries.find(([name]) => name === 'default') ?? registries.find(([name]) => name === 'registry');
  if (chosen ?? registries.length === 1) return chosen ?? registries[0];
  if (registries.length > 1) {
    const names = registries.map(([name]) => name).join(', ');
    throw new CommandError(
      `${file} exports several registries: ${names}. Name the one that is meant registry.`,
    );
  }
  const builders = findAll<CompilableTool<unknown>>(exports, ['compile', 'buildToolDefinition']);
  const [first] = builders;
  if (!first) return undefined;
  const registry = new ToolRegistry({ name: builders.length === 1 ? first[1].name : 'builders' });
  registry.register(...builders.map(([, builder]) => builder));
  return [builders.map(([name]) => name).join(', '), registry];
}

/** Each thing once, under its first name, where it has all of these methods. */
function findAll<T>(exports: Exports, methods: readonly string[]): Named<T>[] {
  const found = new Map<unknown, string>();
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    if (methods.every((method) => typeof (value as Exports)[method] === 'function')) found.set(value, name);
  }
  return [...found].map(([value, name]) => [name, value as T]);
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
      ? `Where ${functions[0]} makes the registry: export const registry = ${functions[0] === 'default' ? 'make' : functions[0]}()`
      : 'Write: export const registry = new ToolRegistry(…)';
  return new CommandError(`${file} exports no registry and no builder; ${what}. ${hint}`);
}
