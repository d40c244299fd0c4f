import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { CallToolResult, ExecuteRequest } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import type { FromMcpServerOptions, UpstreamLoader, UpstreamTarget } from '@toolfold/gateway';

const require = createRequire(import.meta.url);
const programOf = (name: string): string => require.resolve(`@modelcontextprotocol/${name}/dist/index.js`);

export const everything = {
  command: process.execPath,
  args: [programOf('server-everything'), 'stdio'],
};
const fasterTimers = [
  '--import',
  new URL('../../../test/wire/programs/faster-timers.mjs', import.meta.url).href,
];
/** The same server, in which time passes faster: its slow tools take seconds otherwise. */
export const fasterEverything = { ...everything, args: [...fasterTimers, ...everything.args] };
export const filesystem = (folder: string) => ({
  command: process.execPath,
  args: [programOf('server-filesystem'), folder],
});
export const faulty = (mode = 'plain', tools: readonly unknown[] = []) => ({
  command: process.execPath,
  args: [
    fileURLToPath(new URL('../../../test/wire/programs/faulty-upstream.mjs', import.meta.url)),
    mode,
    JSON.stringify(tools),
  ],
});

/** The same server over HTTP, in a separate process that can be stopped. */
export async function startEverythingHttp(
  port?: number,
  nodeArgs: readonly string[] = [],
): Promise<{ url: string; port: number; stop: () => Promise<void> }> {
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, [...nodeArgs, programOf('server-everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(chosen) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  onTestFinished(stop);
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve();
    });
    child.once('exit', () => reject(new Error('server-everything ended')));
  });
  return { url: `http://127.0.0.1:${chosen}/mcp`, port: chosen, stop };
}

export const startFasterEverythingHttp = () => startEverythingHttp(undefined, fasterTimers);

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}

export interface Proxied {
  readonly upstream: UpstreamLoader;
  readonly registry: ToolRegistry;
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    request?: Partial<ExecuteRequest>,
  ) => Promise<CallToolResult>;
}

/** A registry with all tools of a server; closed when the test ends. */
export async function proxy(target: UpstreamTarget, options: FromMcpServerOptions = {}): Promise<Proxied> {
  const upstream = fromMcpServer(target, { onSkipped: () => {}, ...options });
  onTestFinished(() => upstream.close());
  const registry = new ToolRegistry({ name: 'proxy' });
  registry.register(...(await upstream()));
  return {
    upstream,
    registry,
    call: (name, args = {}, request = {}) => registry.executeTool({ ...request, name, arguments: args }),
  };
}

export const textOf = ({ content: [block] }: CallToolResult): string =>
  block?.type === 'text' ? block.text : JSON.stringify(block);

/** The error code of a failed call. */
export const codeOf = ({ isError, _meta }: CallToolResult): unknown =>
  isError === true ? (_meta?.['toolfold/error'] as { code?: unknown } | undefined)?.code : undefined;

/** Answers every question with the result of the function for its message. */
export const answering =
  (answer: (message: string) => object): ExecuteRequest['ask'] =>
  async (questions) =>
    Object.fromEntries(
      Object.entries(questions).map(([key, { params }]) => [key, answer(String(params['message']))]),
    );

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
