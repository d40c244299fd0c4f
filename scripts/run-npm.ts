import { spawnSync } from 'node:child_process';
import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process';

/**
 * Runs npm and waits for its end. Windows cannot start `npm` without a shell, and a shell would split arguments with spaces. So
 * within an npm script, Node runs npm's own file.
 */
export function runNpm(
  args: readonly string[],
  options: SpawnSyncOptions = {},
): SpawnSyncReturns<string | Buffer> {
  const file = process.env['npm_execpath'];
  if (file?.endsWith('npm-cli.js')) return spawnSync(process.execPath, [file, ...args], options);
  return process.platform === 'win32'
    ? spawnSync(['npm', ...args.map((arg) => JSON.stringify(arg))].join(' '), { ...options, shell: true })
    : spawnSync('npm', args, options);
}
