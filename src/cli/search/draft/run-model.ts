import { spawn } from 'node:child_process';
import { CommandError } from '../../../analysis/command-error.js';

/** The most that a command may print for one prompt. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

interface ModelOptions {
  readonly words: readonly string[];
  readonly prompt: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onStderr: (text: string) => void;
}

/** Sends a prompt to the standard input of a command, and resolves to its standard output. */
export function runModel({ words, prompt, timeoutMs, signal, onStderr }: ModelOptions): Promise<string> {
  const [command = '', ...args] = words;
  return new Promise<string>((resolve, reject) => {
    signal.throwIfAborted();
    // A group of its own lets the command be ended together with the processes that it started.
    const hasGroup = process.platform !== 'win32';
    const child = spawn(command, args, { stdio: 'pipe', detached: hasGroup });
    const chunks: Buffer[] = [];
    let size = 0;
    const kill = (): void => {
      try {
        if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // The command has already ended.
      }
    };
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (error: Error): void => {
      kill();
      finish(() => reject(error));
    };
    const onAbort = (): void => fail(signal.reason as Error);
    const timer = setTimeout(
      () =>
        fail(
          new CommandError(
            `"${command}" did not answer within ${timeoutMs / 1_000} s. Raise the limit with --answer-timeout.`,
          ),
        ),
      timeoutMs,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        new CommandError(
          error.code === 'ENOENT'
            ? `The command "${command}" does not exist.`
            : `"${command}" cannot be started: ${error.message}`,
        ),
      ),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES)
        fail(new CommandError(`"${command}" printed more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB.`));
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => onStderr(chunk.toString()));
    // A command may end without reading its input. Its exit code says whether that is a failure.
    child.stdin.on('error', () => undefined);
    child.once('close', (code, killedBy) =>
      finish(() => {
        if (code === 0) resolve(Buffer.concat(chunks).toString());
        else reject(new CommandError(`"${command}" ended with ${killedBy ?? `exit code ${code}`}.`));
      }),
    );
    child.stdin.end(prompt);
  });
}
