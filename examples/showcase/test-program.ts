/** Starts the program as a separate process. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const program = fileURLToPath(new URL('start.ts', import.meta.url));
export const scratch = mkdtempSync(join(tmpdir(), 'showcase-program-'));
const children: ReturnType<typeof spawn>[] = [];

process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Kills all processes that are still running, and deletes their files. The folder stays for the next test file of this process. */
export function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
}

export interface Started {
  readonly child: ReturnType<typeof spawn>;
  readonly exit: Promise<number | null>;
  readonly out: () => string;
  readonly said: () => string;
}

export function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: { ...process.env, DATABASE_URL: '', TZ: 'UTC', ...env },
  });
  children.push(child);
  let [out, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { child, exit, out: () => out, said: () => said };
}

/** Starts the program over HTTP and returns its address. */
export async function serve(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Started & { url: string; page?: string }> {
  const started = start(['--port', '0', '--json', ...args], env);
  let isEnded = false;
  void started.exit.then(() => (isEnded = true));
  while (!started.out().includes('\n') && !isEnded) await sleep(20);
  if (isEnded) throw new Error(started.said());
  return { ...started, ...(JSON.parse(started.out()) as { url: string; page?: string }) };
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

export async function ask(
  client: Client,
  name: string,
  action: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: { action, ...args } });
  const text = (content as { text?: string }[])[0]?.text ?? '';
  if (isError === true) throw new Error(text);
  return text;
}

export const transfer = (client: Client, id: string): Promise<string> =>
  ask(client, 'transfers', 'make', {
    from_account: 'Checking',
    to_account: 'Savings',
    amount: '0.01',
    request_id: id,
  });

export async function end({ child, exit }: Started): Promise<void> {
  child.kill('SIGTERM');
  const code = await exit;
  if (code !== 0) throw new Error(`It ended with ${code}.`);
}
