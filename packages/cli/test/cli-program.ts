import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { run } from '../src/run.js';

// esbuild starts its process in the folder in which it was loaded. The tests below work in folders that are removed afterwards, and
// the test files of a worker share the modules of packages, so it is loaded here.
// oxlint-disable-next-line import/no-unassigned-import -- See above.
import 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The built program. `npm test` builds it. */
const program = join(root, 'packages/cli/dist/main.js');

export const pathOf = (file: string): string => join(root, file);

export interface ProgramOptions {
  readonly cwd?: string;
  readonly input?: string;
}

/** Starts the command line in a separate process, for tests of signals, exits and pipes. */
export function startProgram(argv: readonly string[], { cwd = root, input }: ProgramOptions = {}) {
  const child = spawn(process.execPath, [program, ...argv], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (written.err += String(chunk)));
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  if (input !== undefined) child.stdin.end(input);
  return { child, written, exit };
}

export async function runProgram(argv: readonly string[], { input = '', ...options }: ProgramOptions = {}) {
  const { written, exit } = startProgram(argv, { ...options, input });
  return { ...(await exit), ...written };
}

interface HereOptions extends ProgramOptions {
  /** Standard input that stays open. */
  readonly stdin?: Readable;
  /** Whether the streams are terminals. */
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
}

/**
 * Starts the command line in this process, with its own streams and signals. A file that prints or ends the process needs
 * `startProgram`.
 */
export function startHere(
  argv: readonly string[],
  { cwd = root, input, stdin, isTTY = false, columns }: HereOptions = {},
) {
  const written = { out: '', err: '' };
  const collect = (key: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _, done) {
        written[key] += String(chunk);
        done();
      },
    });
  const stream = <T extends object>(of: T) => Object.assign(of, { isTTY });
  const host = Object.assign(new EventEmitter(), {
    stdin: stream(stdin ?? Readable.from(input === undefined ? [] : [Buffer.from(input)])),
    stdout: Object.assign(stream(collect('out')), columns === undefined ? {} : { columns }),
    stderr: stream(collect('err')),
  });
  const before = process.cwd();
  process.chdir(cwd);
  const exit = run(argv, host).finally(() => process.chdir(before));
  const kill = (signal: 'SIGINT' | 'SIGTERM'): void => void host.emit(signal, signal);
  onTestFinished(() => kill('SIGTERM'));
  return { kill, written, exit };
}

/** Runs the command line in this process, and returns its exit code and output. */
export async function runHere(argv: readonly string[], options: HereOptions = {}) {
  const { written, exit } = startHere(argv, options);
  return { code: await exit, ...written };
}

/** A folder with these files, in which all packages of the workspace and `zod` are installed. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['toolfold', '@toolfold', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
