import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runNpm } from '../../scripts/run-npm.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
const modules = new URL('node_modules/', import.meta.url);

/** The runtimes are programs for this platform. */
const PLATFORM = 'linux x64';

const programs = {
  'Node 20': 'node-20/bin/node',
  'Node 22': 'node-22/bin/node',
  'Node 24': 'node-24/bin/node',
  Bun: '@oven/bun-linux-x64/bin/bun',
  Deno: '@deno/linux-x64-glibc/deno',
  workerd: '@cloudflare/workerd-linux-64/bin/workerd',
} as const;

export type Runtime = keyof typeof programs;

/** The versions of TypeScript that must compile the declarations, and their compilers. */
export const compilers: Readonly<Record<string, string>> = {
  '5.4': pathOf('typescript-5.4/bin/tsc'),
  '5.9': pathOf('typescript-5.9/bin/tsc'),
  '6.0': pathOf('typescript-6.0/bin/tsc'),
  '7.0': fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url)),
};

/** Why the runtimes cannot be tested here; `undefined` if they can. */
export const skipped: string | undefined =
  `${process.platform} ${process.arch}` === PLATFORM
    ? undefined
    : `The runtimes in test/runtimes are for ${PLATFORM}, and this is ${process.platform} ${process.arch}.`;

export function programOf(runtime: Runtime): string {
  return pathOf(programs[runtime]);
}

/** Installs the runtimes and compilers unless they are installed. npm prints to standard error. */
export function installRuntimes(): void {
  if (areInstalled()) return;
  runNpm(['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (!areInstalled())
    throw new Error('The runtimes are not installed. Run `npm --prefix test/runtimes ci`.');
}

function areInstalled(): boolean {
  const needed = [...Object.values(compilers), ...(skipped ? [] : Object.values(programs).map(pathOf))];
  return needed.every((path) => existsSync(path));
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, modules));
}
