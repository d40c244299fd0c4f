import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command that starts `examples/everything/server.ts`. It uses the built package. */
export const everythingCommand = {
  command: process.execPath,
  args: ['--import', 'tsx', 'examples/everything/server.ts'],
  cwd: root,
};

export interface EverythingServer {
  readonly url: string;
  /** Stops the server, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server in a separate process on a free port. */
export async function startEverything(): Promise<EverythingServer> {
  const { command, args, cwd } = everythingCommand;
  const child = spawn(command, [...args, '--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    closed.then(([code]) => {
      throw new Error(`The everything server ended with ${code}. Is the package built?\n${said}`);
    }),
  ]);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await closed;
      return code;
    },
  };
}
