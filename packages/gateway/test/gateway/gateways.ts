import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { startHere } from '../../../cli/test/cli-program.js';

const program = fileURLToPath(new URL('scripted-server.mjs', import.meta.url));

/** A folder for the files of one test. */
export function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'toolfold-gateway-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export interface Script {
  readonly tools?: readonly object[];
  readonly prompts?: readonly object[];
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly instructions?: string;
  /** The error with which all lists fail. */
  readonly fault?: string;
}

/** Writes a file at once, so that no reader sees a part of it. */
export function write(file: string, content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return file;
}

export const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}`,
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' }, ms: { type: 'number' }, log: { type: 'string' } },
  },
  ...more,
});

/** A server whose lists are in a file, for `mcpServers`. */
export function scripted(file: string, env: Readonly<Record<string, string>> = {}) {
  return { command: process.execPath, args: [program, file], env };
}

/** Writes `mcp.json`, and returns its path. */
export function config(place: string, mcpServers: Readonly<Record<string, object>>): string {
  return write(join(place, 'mcp.json'), { mcpServers });
}

/** Starts a gateway over HTTP in this process. */
export async function serve(argv: readonly string[]) {
  const started = startHere(['proxy', '--http', '0', '--json', ...argv]);
  onTestFinished(async () => {
    started.kill('SIGTERM');
    await started.exit;
  });
  let ended: number | undefined;
  void started.exit.then((code) => (ended = code));
  await expect.poll(() => started.written.out !== '' || ended !== undefined, { timeout: 100_000 }).toBe(true);
  if (ended !== undefined) throw new Error(`the gateway ended with ${ended}: ${started.written.err}`);
  const ready = JSON.parse(started.written.out) as {
    url: string;
    tools: number;
    servers: Record<string, object>;
  };
  return { ...started, ...ready };
}

/** A client of a gateway. */
export async function connect(url: string, headers: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: 'c', version: '1' });
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  const text = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === 'text' ? content[0].text : JSON.stringify(content[0]);
  };
  return { client, names, text };
}

export async function healthOf(
  url: string,
): Promise<Record<string, { state: string; tools: number; quarantined: number }>> {
  const answer = (await (await fetch(new URL('/healthz', url))).json()) as { servers: never };
  return answer.servers;
}
