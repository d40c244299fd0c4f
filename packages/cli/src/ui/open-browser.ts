import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Terminal } from '../terminal/terminal.js';

/** Whether a user is at the terminal, so that the browser may be opened. */
export function hasPerson(terminal: Terminal): boolean {
  return terminal.isInteractive && terminal.host.stdout.isTTY === true && !process.env['CI'];
}

/**
 * Opens an address in the default browser. Passes a file that only this user can read and that contains the address with its token,
 * because all users of a machine can see the arguments of its processes. Returns a function that removes the file.
 */
export function openBrowser(url: string, terminal: Terminal): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-ui-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = join(folder, 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
  const [command, ...args] = openerFor(process.platform);
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.once('error', () => terminal.notify('The browser cannot be opened. Open the address yourself.'));
  child.unref();
  return remove;
}

function openerFor(platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // The empty text is the window title; `start` would take the address for it.
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  return ['xdg-open'];
}
