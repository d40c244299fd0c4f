import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import type { UpstreamHealth } from '@toolfold/gateway';
import { connect, eras, follow, serve, subscribe } from '../../../test/wire/followed-servers.js';
import { codeOf, fasterEverything, isAlive, startFasterEverythingHttp, textOf } from './upstream-servers.js';

/** A process with prompts, resources and tasks, and a file in which it notes what happens. */
function startItems(mode = 'plain') {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'log');
  const target = {
    command: process.execPath,
    args: [fileURLToPath(new URL('../../../test/wire/programs/item-upstream.mjs', import.meta.url)), mode],
    env: { LOG: log },
  };
  const notes = (word = ''): string[] => {
    try {
      return readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(word) && line !== '');
    } catch {
      return [];
    }
  };
  const pids = (): number[] => notes('started').map((line) => Number(line.split(' ')[1]));
  return { target, log, notes, pids };
}

/** A busy machine may take seconds to answer, and a process that is only slow must not be ended. */
const quick = { everyMs: 100, timeoutMs: 10_000, failures: 3 };

describe.each(['stdio', 'HTTP'] as const)('server-everything on %s, followed', (transport) => {
  const targetOf = async () =>
    transport === 'stdio' ? fasterEverything : { url: (await startFasterEverythingHttp()).url };

  it('offers its tools, prompts and resources until it is no longer followed', async () => {
    const { upstream, followed: registry, stop, skipped } = await follow(await targetOf());
    expect(upstream.health.state).toBe('up');
    expect(skipped.size).toBe(0);
    expect(registry.counts.tools).toBeGreaterThan(10);
    expect(await registry.getPrompt({ name: 'args-prompt', arguments: { city: 'Oslo' } })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Oslo?" } }],
    });
    expect(await registry.readResource({ uri: 'demo://resource/dynamic/text/1' })).toMatchObject({
      contents: [{ uri: 'demo://resource/dynamic/text/1', mimeType: 'text/plain' }],
    });
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect(await registry.complete({ ref, argument: { name: 'department', value: 'E' } })).toEqual({
      values: ['Engineering'],
      total: 1,
      hasMore: false,
    });
    stop();
    expect(registry.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
  });

  it('runs a task and asks clients of both eras meanwhile', async () => {
    const { gateway } = await follow(await targetOf());
    const url = await serve(gateway);
    const ask = async (era: '2025' | '2026', interpretation: string) => {
      const client = await connect(url, era);
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept' as const,
        content: { interpretation },
      }));
      const progress: (string | undefined)[] = [];
      const { content } = await client.callTool(
        { name: 'far_simulate-research-query', arguments: { topic: 'python', ambiguous: true } },
        { timeout: 60_000, onprogress: ({ message }) => void progress.push(message) },
      );
      expect(JSON.stringify(content)).toContain(`Research Report: python (${interpretation})`);
      expect(progress.join(' ')).toContain('Gathering sources');
    };
    await Promise.all([ask('2025', 'snake'), ask('2026', 'comedy')]);
  });

  it.each(['2025', '2026'] as const)('tells a %s client of updates of a resource', async (era) => {
    const { gateway } = await follow(await targetOf());
    const client = await connect(await serve(gateway), era);
    const uri = 'demo://resource/dynamic/text/1';
    const { updates } = await subscribe(client, era, uri);
    await client.callTool({ name: 'far_toggle-subscriber-updates', arguments: {} });
    await expect.poll(() => updates, { timeout: 30_000 }).toContain(uri);
  });
});

describe('a followed process that is killed', () => {
  it('is started again while it is idle, and keeps its items', async () => {
    const { target, pids } = startItems();
    const { gateway, upstream } = await follow(target, { protocol: '2025', healthCheck: quick });
    const [first] = pids();
    const changes: string[] = [];
    gateway.onChange(({ kind }) => changes.push(kind));
    process.kill(first!, 'SIGKILL');
    await expect.poll(() => pids().length).toBe(2);
    await expect.poll(() => upstream.health).toMatchObject({ state: 'up', failures: 0 });
    expect(textOf(await gateway.executeTool({ name: 'far_pid', arguments: {} }))).toBe(`${pids()[1]} nobody`);
    expect(changes).toEqual([]);
  });

  it('fails a running call and a running task, which are not run again', async () => {
    const { target, notes, pids } = startItems();
    const { gateway } = await follow(target, { protocol: '2025', healthCheck: quick });
    const calls = ['far_hang', 'far_research'].map((name) => gateway.executeTool({ name, arguments: {} }));
    await expect.poll(() => [notes('hang').length, notes('research').length]).toEqual([1, 1]);
    process.kill(pids()[0]!, 'SIGKILL');
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['ErrUpstreamLost', 'ErrUpstreamLost']);
    await expect.poll(() => pids().length).toBe(2);
    expect(textOf(await gateway.executeTool({ name: 'far_pid', arguments: {} }))).toContain(
      String(pids()[1]),
    );
    expect([notes('hang').length, notes('research').length]).toEqual([1, 1]);
  });

  it('gets its subscriptions opened again, and subscribers hear that resources may have changed', async () => {
    const { target, notes, pids } = startItems();
    const { gateway } = await follow(target, { protocol: '2025', healthCheck: quick });
    const client = await connect(await serve(gateway), '2026');
    const { updates, unsubscribe } = await subscribe(client, '2026', 'note://1');
    await expect.poll(() => notes('subscribed')).toEqual(['subscribed note://1']);
    process.kill(pids()[0]!, 'SIGKILL');
    await expect.poll(() => notes('subscribed').length).toBe(2);
    await expect.poll(() => updates).toContain('note://1');
    await unsubscribe();
    await expect.poll(() => notes('unsubscribed')).toEqual(['unsubscribed note://1']);
  });

  it('is ended and started again if it hangs', async () => {
    const { target, pids } = startItems();
    const healthCheck = { ...quick, timeoutMs: 1_000 };
    const { gateway, upstream } = await follow(target, { protocol: '2025', healthCheck });
    const [first] = pids();
    const states: string[] = [];
    upstream.onHealth(({ state }) => states.push(state));
    process.kill(first!, 'SIGSTOP');
    await expect.poll(() => states, { timeout: 60_000 }).toContain('down');
    await expect.poll(() => upstream.health.state, { timeout: 60_000 }).toBe('up');
    await expect.poll(() => gateway.counts).toEqual({ tools: 4, prompts: 1, resources: 2 });
    expect(pids().length).toBeGreaterThan(1);
    await expect.poll(() => isAlive(first!), { timeout: 60_000 }).toBe(false);
  });

  it('is not started again after close', async () => {
    const { target, pids } = startItems();
    const { upstream, gateway } = await follow(target, { protocol: '2025', healthCheck: quick });
    await upstream.close();
    expect(gateway.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(pids()).toHaveLength(1);
    expect(isAlive(pids()[0]!)).toBe(false);
  });
});

it('starts a process again after growing pauses if it ends soon after each start', async () => {
  const { target, pids } = startItems('short-lived');
  const { upstream } = await follow(target, { protocol: '2025', healthCheck: { failures: 3 } });
  const down: (UpstreamHealth & { readonly starts: number })[] = [];
  upstream.onHealth((health) => {
    if (health.state === 'down') down.push({ ...health, starts: pids().length });
  });
  await expect.poll(() => down.length).toBeGreaterThan(0);
  expect(down[0]).toMatchObject({ failures: 3, starts: 3, reason: 'it was lost' });
  expect(down[0]?.retryAt).toBeGreaterThan(down[0]!.since);
});

it('reads the lists of a server that announces changes without end, but less and less often', async () => {
  const { target, notes } = startItems('restless');
  const { gateway } = await follow(target, { protocol: '2025', healthCheck: false });
  const times: number[] = [];
  gateway.onChange(() => times.push(performance.now()));
  await expect.poll(() => times.length).toBeGreaterThan(5);
  expect(times[5]! - times[0]!).toBeGreaterThan(2_000);
  await expect.poll(() => gateway.listTools()[0]?.name).toBe(`far_tool-${notes('listed').length}`);
});

it('starts a process for each session context if env is a function', async () => {
  const { target, log, pids } = startItems();
  const upstream = fromMcpServer(
    { ...target, env: ({ tenant = 'operator' }) => ({ LOG: log, TENANT: String(tenant) }) },
    { protocol: '2025', maxConnections: 3 },
  );
  onTestFinished(() => upstream.close());
  const registry = new ToolRegistry({ name: 'tenants' });
  await upstream.follow(registry);
  const sessionOf = (tenant: string) => ({ session: { context: { tenant }, hash: tenant } });
  const ask = async (tenant: string) => {
    const request = sessionOf(tenant);
    const called = textOf(await registry.executeTool({ ...request, name: 'pid', arguments: {} }));
    const { messages } = await registry.getPrompt({ ...request, name: 'greet', arguments: { who: 'me' } });
    const { contents } = await registry.readResource({ ...request, uri: 'note://1' });
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    const { values } = await registry.complete({ ref, argument: { name: 'who', value: '' } }, request);
    return [
      called.split(' ')[1],
      JSON.stringify(messages[0]?.content),
      JSON.stringify(contents[0]),
      values[0],
    ];
  };
  for (const tenant of ['ada', 'bob', 'ada', 'cid']) {
    const [called, prompt, resource, suggested] = await ask(tenant);
    expect(called).toBe(tenant);
    expect(prompt).toContain(`as ${tenant}`);
    expect(resource).toContain(`read by ${tenant}`);
    expect(suggested).toBe(tenant);
  }
  // The operator's process, and at most two of the others at once.
  expect(pids()).toHaveLength(4);
  expect(pids().filter(isAlive).length).toBeLessThanOrEqual(3);
  const wrong = fromMcpServer({ ...target, env: () => ({ A: 5 }) as never }, { protocol: '2025' });
  onTestFinished(() => wrong.close());
  await expect(wrong()).rejects.toThrow('the result of env() must be an object of text');
});

describe.each(eras.filter(([upstream]) => upstream === '2025'))(
  'a %s server behind a server on stdio',
  (_, era) => {
    it(`has its resources subscribed to by a ${era} client, until the client unsubscribes`, async () => {
      const { target, notes } = startItems();
      const client = new Client(
        { name: 'person', version: '1' },
        { versionNegotiation: { mode: era === '2026' ? { pin: '2026-07-28' } : 'legacy' } },
      );
      const program = fileURLToPath(
        new URL('../../../test/wire/programs/following-server.ts', import.meta.url),
      );
      const args = ['--import', 'tsx', program, JSON.stringify(target)];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
      onTestFinished(() => client.close());
      const { updates, unsubscribe } = await subscribe(client, era, 'note://1');
      await expect.poll(() => notes('subscribed')).toEqual(['subscribed note://1']);
      await client.callTool({ name: 'far_update', arguments: {} });
      await expect.poll(() => updates).toContain('note://1');
      await unsubscribe();
      await expect.poll(() => notes('unsubscribed')).toEqual(['unsubscribed note://1']);
    });
  },
);
