import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeWithRedis, SECRET } from '../../../test/stores/with-redis.js';
import { modernRequest } from '../../../test/wire/raw-request.js';

type Json = Record<string, unknown>;

const program = fileURLToPath(new URL('../../../test/wire/programs/code-server.ts', import.meta.url));
const argumentsFor = (options: object): string[] => ['--import', 'tsx', program, JSON.stringify(options)];
const allow = { action: 'accept', content: { allow: true } } as const;
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A file in which all processes note their calls. */
function createLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-code-'));
  const file = join(folder, 'calls');
  writeFileSync(file, '');
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return { file, calls: (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean) };
}

interface Node {
  readonly url: string;
  /** Ends the process at once, as a crash does. */
  readonly kill: () => Promise<void>;
}

async function startNode(options: object): Promise<Node> {
  const child: ChildProcess = spawn(process.execPath, argumentsFor(options), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  cleanUps.push(kill);
  const [url] = await new Promise<string[]>((resolve) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', (line) => resolve([line]));
  });
  return { url: url as string, kill };
}

async function runCode({ url }: Node, source: string, round: Json = {}): Promise<Json> {
  const params = { name: 'run_code', arguments: { code: source }, ...round };
  const capabilities = { elicitation: { form: {} } };
  const response = await fetch(url, modernRequest('tools/call', params, { capabilities }));
  const body = await response.text();
  const json = body.startsWith('{') ? body : (/^data: (\{"(?:jsonrpc|result).*)$/m.exec(body)?.[1] ?? '{}');
  return (JSON.parse(json) as { result: Json }).result;
}

const textOf = (result: Json): string => (result['content'] as { text: string }[])[0]?.text ?? '';

await describeWithRedis('a process that is killed', ({ server, createPrefix }) => {
  const setUp = () => {
    const { file, calls } = createLedger();
    const options = { file, url: server.url, prefix: createPrefix(), secret: SECRET };
    return { calls, start: () => startNode(options) };
  };

  it('between question and answer leaves a run that another process continues, with every call made once', async () => {
    const { calls, start } = setUp();
    const source = `
      const one = await tools.read({ id: 'a' });
      const two = await tools.remove({ id: 'b' });
      const three = await tools.remove({ id: 'c' });
      [one, two, three]`;
    const [first, second] = await Promise.all([start(), start()]);
    const asked = await runCode(first, source);
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { call_2: {} } });
    await first.kill();
    const again = await runCode(second, source, {
      requestState: asked['requestState'],
      inputResponses: { call_2: allow },
    });
    expect(again).toMatchObject({ resultType: 'input_required', inputRequests: { call_3: {} } });
    await second.kill();
    expect(calls()).toEqual(['read a', 'remove b']);
    const third = await start();
    const round = { requestState: again['requestState'], inputResponses: { call_3: allow } };
    expect(JSON.parse(textOf(await runCode(third, source, round)))).toEqual([
      { read: 'a' },
      { remove: 'b' },
      { remove: 'c' },
    ]);
    for (const old of [asked, again]) {
      const repeated = await runCode(third, source, {
        requestState: old['requestState'],
        inputResponses: { call_2: allow, call_3: allow },
      });
      expect(textOf(repeated)).toContain('The question has already been answered');
    }
    expect(calls()).toEqual(['read a', 'remove b', 'remove c']);
  });

  it('while it continues a run leaves an error that says so and lists the calls', async () => {
    const { calls, start } = setUp();
    const source = `await tools.read({ id: 'a' }); await tools.remove({ id: 'b' }); await tools.hang({ id: 'c' })`;
    const [first, second] = await Promise.all([start(), start()]);
    const { requestState } = await runCode(first, source);
    await first.kill();
    const round = { requestState, inputResponses: { call_2: allow } };
    const lost = runCode(second, source, round).catch(() => 'lost');
    await vi.waitUntil(() => calls().includes('hang c'), { timeout: 60_000 });
    await second.kill();
    expect(await lost).toBe('lost');
    const third = await start();
    const result = await runCode(third, source, round);
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('the outcome of the code is unknown');
    // The killed process may not have written the end of its last call.
    expect(textOf(result)).toMatch(
      /Calls known so far: read \(ok\), remove \((?:ok|confirmed, outcome unknown)\)/,
    );
    expect(calls()).toEqual(['read a', 'remove b', 'hang c']);
  });
});

describe('over stdio', () => {
  const source = `const ids = []; for (const id of ['a', 'b']) ids.push(await tools.remove({ id }).catch(({ code }) => code)); ids`;
  const answerTo = (message: string): Json => (message.includes('"a"') ? allow : { action: 'decline' });

  it('asks a client of the first SDK', async () => {
    const { file, calls } = createLedger();
    const client = new FirstClient({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answerTo(params.message) as never);
    await client.connect(new FirstStdio({ command: process.execPath, args: argumentsFor({ file }) }));
    const result = await client.callTool({ name: 'run_code', arguments: { code: source } });
    expect(JSON.parse(textOf(result))).toEqual([{ remove: 'a' }, 'ErrCallNotAllowed']);
    expect(calls()).toEqual(['remove a']);
    await client.close();
  });

  it('asks a 2026 client of the second SDK', async () => {
    const { file, calls } = createLedger();
    const client = new Client(
      { name: 'c', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => answerTo(String(params.message)) as never,
    );
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: argumentsFor({ file }) }),
    );
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const result = await client.callTool({ name: 'run_code', arguments: { code: source } });
    expect(JSON.parse(textOf(result as Json))).toEqual([{ remove: 'a' }, 'ErrCallNotAllowed']);
    expect(calls()).toEqual(['remove a']);
    await client.close();
  });
});
