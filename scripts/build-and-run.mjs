// Builds the package, then runs a TypeScript program in this process, so that the program receives the signals:
// node scripts/build-and-run.mjs <file> [arguments]. The build prints to standard error, because the program may speak MCP over
// standard output.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { register } from 'tsx/esm/api';

/** Milliseconds between two looks at the parent. */
const LOOK_MS = 200;

/**
 * Sends this process SIGTERM when its parent has ended. npm starts a shell, and some shells start the program as their child: a signal
 * to npm then ends the shell, and the program would go on.
 */
function endWithShell() {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}

register();
const { runNpm } = await import('./run-npm.ts');
const [node = '', , file = '', ...args] = process.argv;
const { status } = runNpm(['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] });
if (status === 0) {
  endWithShell();
  process.argv = [node, resolve(file), ...args];
  await import(pathToFileURL(file).href);
} else {
  process.exitCode = status ?? 1;
}
