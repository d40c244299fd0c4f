import { execFile, spawnSync } from 'node:child_process';
import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process';
import { promisify } from 'node:util';

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

/**
 * Windows cannot start `npm` without a shell, and a shell would split arguments with spaces. So within an npm script, Node runs npm's
 * own file.
 */
function commandOf(args: readonly string[]): Command {
  const file = process.env['npm_execpath'];
  if (file?.endsWith('npm-cli.js')) return { file: process.execPath, args: [file, ...args], shell: false };
  return process.platform === 'win32'
    ? { file: ['npm', ...args.map((arg) => JSON.stringify(arg))].join(' '), args: [], shell: true }
    : { file: 'npm', args, shell: false };
}

/** Runs npm and waits for its end. */
export function runNpm(
  args: readonly string[],
  options: SpawnSyncOptions = {},
): SpawnSyncReturns<string | Buffer> {
  const command = commandOf(args);
  return spawnSync(command.file, command.args, { ...options, shell: command.shell });
}

/** Runs npm without blocking, and resolves to its standard output. Rejects with its standard error if it fails. */
export async function startNpm(args: readonly string[], cwd: string): Promise<string> {
  const { file, args: all, shell } = commandOf(args);
  const { stdout } = await promisify(execFile)(file, all, { cwd, shell, maxBuffer: 2 ** 26 });
  return stdout;
}
