/** The parent process: starts a server, requests reports, and stops it. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.js';

export interface LiveServer {
  readonly port: number;
  isGone(): boolean;
  lastWords(): string;
  /** `undefined` after the server has exited. */
  report(): Promise<Report | undefined>;
  /** Reports after all connections are closed, or after a timeout. */
  settle(): Promise<Report | undefined>;
  /** Stops the server, and resolves to the faults at its end. */
  close(): Promise<string[]>;
}

export async function startServer(program: URL, args: readonly string[] = []): Promise<LiveServer> {
  const child = fork(fileURLToPath(program), [...args], {
    execArgv: ['--import', 'tsx', '--expose-gc', '--max-old-space-size=512'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => words.push(text));
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const lastWords = (): string =>
    `exit ${child.exitCode ?? child.signalCode} ${words.join('').slice(-3_000)}`;
  const ready = await next(child);
  if (!ready) throw new Error(`The server does not start: ${lastWords()}`);
  const report = async (): Promise<Report | undefined> => {
    if (isGone() || !child.connected) return undefined;
    child.send('report');
    return (await next(child)) as Report | undefined;
  };
  return {
    port: (ready as { port: number }).port,
    isGone,
    lastWords,
    report,
    settle: async () => {
      let last = await report();
      for (let tries = 0; tries < 30 && last && last.connections > 0; tries++) {
        await pause(100);
        last = await report();
      }
      return last;
    },
    close: async () => {
      if (isGone()) return [`The server is gone: ${lastWords()}`];
      const gone = once(child, 'exit') as Promise<[number | null, string | null]>;
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      child.send('close');
      const [code, signal] = await gone;
      clearTimeout(timer);
      return code === 0 ? [] : [`The server does not end well: ${code ?? signal}.`];
    },
  };
}

/** The next message of the process; `undefined` if it exits instead. */
function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    const onMessage = (value: unknown): void => {
      child.off('exit', onExit);
      resolve(value);
    };
    const onExit = (): void => {
      child.off('message', onMessage);
      resolve(undefined);
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}
