import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

const isWindows = process.platform === 'win32';

/** The servers that this process has started. Except on Windows, each leads a process group. */
const running = new Set<ChildProcess>();
let watchdog: Writable | undefined;

/**
 * Ends the groups when its input ends, because this process has crashed or was killed. Its input has a line for each group that begins (+)
 * or ends (-).
 */
const WATCHDOG = `trap '' HUP INT TERM
groups=
while read -r event pid; do
  rest=
  for each in $groups; do [ "$each" = "$pid" ] || rest="$rest $each"; done
  groups=$rest
  [ "$event" = + ] && groups="$groups $pid"
done
[ -n "$groups" ] || exit 0
sleep 1
for each in $groups; do kill -s TERM -- "-$each"; done
sleep 1
for each in $groups; do kill -s KILL -- "-$each"; done`;

/** Starts a process as the leader of a group, so that the processes that it starts can be ended with it. */
export const groupOptions = { detached: !isWindows } as const;

/** Makes sure that a process and its group end with this process, however it ends. */
export function watchGroup(child: ChildProcess): void {
  if (running.size === 0) process.once('exit', killAll);
  running.add(child);
  tellWatchdog('+', child);
}

/** Call this when a group has ended. */
export function forgetGroup(child: ChildProcess): void {
  if (!running.delete(child)) return;
  tellWatchdog('-', child);
  if (running.size === 0) process.off('exit', killAll);
}

/** Sends a signal, or none with 0, to a process and to those that it has started. Returns false if none of them is running. */
export function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (isWindows || child.pid === undefined) return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

function killAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL');
}

function tellWatchdog(event: '+' | '-', { pid }: ChildProcess): void {
  if (isWindows) return;
  watchdog ??= startWatchdog();
  watchdog.write(`${event} ${pid}\n`);
}

function startWatchdog(): Writable {
  const shell = spawn('/bin/sh', ['-c', WATCHDOG], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    // A detached shell survives Ctrl-C at the terminal.
    detached: true,
  });
  // Without a shell, for example in a minimal container, only a crash leaves processes behind.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as Writable & { unref: () => void }).unref();
  return shell.stdin;
}
