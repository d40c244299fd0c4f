import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('programs/stdio-report.ts', import.meta.url));

export type Message = Record<string, unknown>;

/** The command that starts the program. */
export const command = (options: object = {}): { command: string; args: string[] } => ({
  command: process.execPath,
  args: ['--import', 'tsx', program, JSON.stringify(options)],
});

/** Starts the program and reads its answers only on request, so that a test can leave them unread. */
export function startProgram(options: object = {}) {
  const { command: file, args } = command(options);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  // The tests close pipes that the other side still writes to.
  child.stdin.on('error', () => {});
  const reports: Message[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    reports.push(line.startsWith('{') ? (JSON.parse(line) as Message) : { text: line });
  });
  const answers: (Message | Message[])[] = [];
  const exit = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  let isRead = false;
  const read = (): void => {
    if (isRead) return;
    isRead = true;
    createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line) as Message));
  };
  const write = (text: string | Buffer): void => void child.stdin.write(text);
  return {
    child,
    exit,
    reports,
    answers,
    write,
    read,
    send: (message: object): void => write(`${JSON.stringify(message)}\n`),
    answerTo: (id: unknown): Message | undefined =>
      answers.flat().find((answer) => answer['id'] === id && !('method' in answer)),
    peakMb: (): number => Number(reports.find((report) => 'peakMb' in report)?.['peakMb']),
  };
}

export type Program = ReturnType<typeof startProgram>;

export const request = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const call = (id: unknown, name: string, args: object = {}): object =>
  request(id, 'tools/call', { name, arguments: args });

/** The handshake of a 2025 client. */
export const initialize = (protocolVersion = '2025-11-25', capabilities: object = {}): object =>
  request('init', 'initialize', {
    protocolVersion,
    capabilities,
    clientInfo: { name: 'c', version: '1' },
  });

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
