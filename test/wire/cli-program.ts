import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/run.js';

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

let written = { out: '', err: '' };
let isCollecting = false;

const collect = (key: 'out' | 'err') =>
  ((chunk: string | Uint8Array) => {
    written[key] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as typeof process.stdout.write;

/** What this process writes goes into the test from here on: the command line may keep the stream that it finds. */
function collectOutput(): void {
  if (isCollecting) return;
  isCollecting = true;
  process.stdout.write = collect('out');
  process.stderr.write = collect('err');
  for (const stream of [process.stdin, process.stdout, process.stderr])
    Object.defineProperty(stream, 'isTTY', { value: false, configurable: true });
}

/**
 * Runs a command line in this process, which takes a small part of the time. For everything that needs no process of
 * its own: no signal, no terminal, no input, no file that prints or ends the process.
 */
export async function runHere(argv: readonly string[], { cwd = root }: { cwd?: string } = {}) {
  collectOutput();
  const before = process.cwd();
  const own = { out: '', err: '' };
  written = own;
  process.chdir(cwd);
  try {
    const code = await run(argv);
    return { code, ...own };
  } finally {
    process.chdir(before);
  }
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
