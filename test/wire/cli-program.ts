import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** As it is installed; `npm test` builds it. */
const program = join(root, 'dist/cli/main.js');

export const pathOf = (file: string): string => join(root, file);

/** Starts a command line; what it wrote so far, and what it ends with. */
export function startProgram(
  argv: readonly string[],
  { cwd = root, input }: { cwd?: string; input?: string } = {},
) {
  const child = spawn(process.execPath, [program, ...argv], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (written.err += String(chunk)));
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  child.stdin.end(input);
  return { child, written, exit };
}

export async function runProgram(argv: readonly string[], options: { cwd?: string; input?: string } = {}) {
  const { written, exit } = startProgram(argv, options);
  return { ...(await exit), ...written };
}

/** A folder with these files, in which `toolfold` and `zod` are installed. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/toolfold'));
  symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
