import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modernMeta, taskCapabilities } from './raw-request.js';

const program = fileURLToPath(new URL('programs/stdio-server.ts', import.meta.url));

const start = (...args: string[]) => {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const answers = new Map<unknown, (message: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Record<string, unknown>;
    answers.get(message['id'] ?? message['method'])?.(message);
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const heard = (method: string): Promise<unknown> =>
    new Promise((resolve) => {
      answers.set(method, resolve);
    });
  let count = 0;
  const ask = (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++count;
    const answer = new Promise<Record<string, unknown>>((resolve) => {
      answers.set(id, resolve);
    });
    send({ id, method, params });
    return answer;
  };
  return { child, exit, ask, send, heard, said: () => said };
};

const legacy = async ({ ask, send }: ReturnType<typeof start>): Promise<void> => {
  const clientInfo = { name: 'c', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
};

const _meta = modernMeta(taskCapabilities);

describe.each([
  ['2025-11-25', legacy, { _meta: { progressToken: 1 } }],
  ['2026-07-28', async () => {}, { _meta: { ..._meta, progressToken: 1 } }],
] as const)('a server on standard input and output, with a %s client', (_version, open, envelope) => {
  const call = (ms: number): object => ({ name: 'wait', arguments: { ms }, ...envelope });

  it('answers pending requests after the input ended, and exits with 0', async () => {
    const server = start();
    await open(server);
    const answer = server.ask('tools/call', call(200));
    server.child.stdin.end();
    expect((await answer)['result']).toMatchObject({ content: [{ text: 'waited' }] });
    expect(await server.exit).toBe(0);
    expect(server.said()).toBe('ended\n');
  });

  it('grants its client exactly the scopes of `auth`', async () => {
    for (const [granted, text] of [
      [[], 'needs the scope write'],
      [['read'], 'needs the scope write'],
      [['read,write'], 'ada'],
    ] as const) {
      const server = start(...granted);
      await open(server);
      const answer = await server.ask('tools/call', { ...call(0), name: 'whoami', arguments: {} });
      expect(JSON.stringify(answer)).toContain(text);
      server.child.stdin.end();
      expect(await server.exit).toBe(0);
    }
  });

  it('answers pending requests after a signal, and exits with 0', async () => {
    const server = start();
    await open(server);
    await server.ask('tools/call', call(0));
    const isRunning = server.heard('notifications/progress');
    const answer = server.ask('tools/call', call(300));
    await isRunning;
    server.child.kill('SIGTERM');
    expect((await answer)['result']).toMatchObject({ content: [{ text: 'waited' }] });
    expect(await server.exit).toBe(0);
    expect(server.said()).toBe('ended\n');
  });
});

describe('tasks over standard input and output', () => {
  it('are answered with a task that can be polled', async () => {
    const server = start();
    const created = (await server.ask('tools/call', { name: 'job', arguments: {}, _meta }))['result'];
    expect(created).toMatchObject({ resultType: 'task', status: 'working' });
    const { taskId } = created as { taskId: string };
    await expect
      .poll(async () => (await server.ask('tasks/get', { taskId, _meta }))['result'])
      .toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    server.child.stdin.end();
    expect(await server.exit).toBe(0);
  });
});
