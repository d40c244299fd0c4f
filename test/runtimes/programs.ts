import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A server of a smoke test, in a process of its own. */
export interface RunningProgram {
  readonly url: string;
  stop(): Promise<void>;
}

interface ProgramOptions {
  readonly cwd: string;
  /** The number of the pipe on which the program prints its address. Default: 1, the standard output. */
  readonly pipe?: 1 | 3;
  /** Finds the address in a line. Default: the line. */
  readonly addressIn?: (line: string) => string | undefined;
}

/** Starts a program and waits for its address. Throws with its standard error if it ends before. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { cwd, pipe = 1, addressIn = (line) => line }: ProgramOptions,
): Promise<RunningProgram> {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
  });
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
  const lines = createInterface({ input: child.stdio[pipe] as Readable });
  const address = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const found = addressIn(line);
      if (found !== undefined) resolve(found);
    });
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode}:\n${errors}`);
  });
  ended.catch(() => undefined);
  const url = await Promise.race([address, ended]);
  return { url, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
