import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { putFiles } from '../../examples/showcase/database/test-databases.js';

const start = fileURLToPath(new URL('../../examples/showcase/start.ts', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command that `npm start` runs after the build. Building here would remove the build that other tests use. */
export function showcaseCommand(args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--import', 'tsx', start, ...args] };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a separate process. */
export interface Showcase {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves to the output when the program has ended. */
  readonly ended: Promise<Ended>;
  /** Stops the program, and waits for its end. */
  stop(): Promise<Ended>;
  /** Kills the program, like a crash. */
  kill(): Promise<Ended>;
}

export interface ShowcaseOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Serves HTTP on a free port. */
export async function startShowcase({ args = [], env = {} }: ShowcaseOptions = {}): Promise<Showcase> {
  const { child, ended } = spawnShowcase(['--port', '0', '--json', ...args], env);
  const line = new Promise<string>((resolve) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
  });
  const first = await Promise.race([line, ended]);
  if (typeof first !== 'string') throw new Error(`It has ended with ${first.code}: ${first.stderr}`);
  const { url } = JSON.parse(first) as { url: string };
  return {
    url,
    child,
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

export function spawnShowcase(
  given: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const { command, args } = showcaseCommand(given);
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', DATABASE_URL: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Kill the program if a test fails midway.
  const killLast = (): void => void child.kill('SIGKILL');
  process.once('exit', killLast);
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => {
    process.off('exit', killLast);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...written };
  });
  return { child, ended };
}

/** A folder with an empty database for books in `books`, and a function that deletes it. */
export async function createFolder(): Promise<{
  readonly path: string;
  readonly books: string;
  remove(): void;
}> {
  const path = mkdtempSync(join(tmpdir(), 'showcase-books-'));
  const books = join(path, 'books');
  await putFiles(books);
  return { path, books, remove: () => rmSync(path, { recursive: true, force: true }) };
}
