import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const start = fileURLToPath(new URL('../../examples/showcase/start.ts', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** What `npm start` runs once the build is there. A build of its own would take that of other tests away. */
export function showcaseCommand(args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--import', 'tsx', start, ...args] };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a process. */
export interface Showcase {
  readonly url: string;
  readonly child: ChildProcess;
  /** Settled when it has ended, with everything that it has written. */
  readonly ended: Promise<Ended>;
  /** Asks it to end, and waits. */
  stop(): Promise<Ended>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<Ended>;
}

export interface ShowcaseOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Serves HTTP on a port that is free. */
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
  // Whoever fails in the middle leaves none behind.
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

/** A folder for books, and what takes it away again. */
export function createFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'showcase-books-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
