import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runProgram, startProgram } from '../../../cli/test/cli-program.js';
import { isAlive } from '../upstream-servers.js';
import { config, connect, folder, healthOf, scripted, tool, write } from './gateways.js';
import { installServers, npmServers, programOf } from './npm-servers.js';
import type { NpmServer } from './npm-servers.js';

/** How often each server is killed. */
const KILLS_EACH = 2;
const KILL_EVERY_MS = 300;
/** Between two calls of a worker. Without it, nine workers together reach the request limit of one caller. */
const PAUSE_MS = 25;

beforeAll(() => installServers(), 300_000);

/** The processes that a process has started, with their command lines. */
function childrenOf(parent: number): { pid: number; args: string }[] {
  const listed = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => {
    const [, pid, ppid, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(ppid) === parent ? [{ pid: Number(pid), args }] : [];
  });
}

/** A call of each server that needs no network, with the text that only its own answer contains. */
const calls: Readonly<Partial<Record<NpmServer, (count: number) => readonly [string, object, string]>>> = {
  everything: (count) => ['everything_echo', { message: `m${count}` }, `Echo: m${count}`],
  files: () => ['files_read_text_file', { path: 'note.txt' }, 'Feed the cat'],
  hello: (count) => ['hello_add', { a: count, b: 1 }, String(count + 1)],
  memory: () => ['memory_read_graph', {}, 'entities'],
  thinking: (count) => [
    'thinking_sequentialthinking',
    { thought: 'x', nextThoughtNeeded: false, thoughtNumber: count, totalThoughts: count },
    `"thoughtNumber": ${count}`,
  ],
  time: () => ['time_days_in_month', { date: '2024-02-01' }, '29'],
};

describe('a gateway with nine servers from npm', () => {
  it('survives kills of its servers under load: no call is lost or run twice, and all tools come back', async () => {
    const place = folder();
    writeFileSync(join(place, 'note.txt'), 'Feed the cat');
    const effects = join(place, 'effects.log');
    const ledger = write(join(place, 'ledger.json'), { tools: [tool('book')] });
    const file = config(place, { ...npmServers(place), ledger: scripted(ledger) });
    const lock = join(place, 'toolfold.lock.json');
    const locked = await runProgram(['lock', '--config', file, '--output', lock]);
    expect(locked).toMatchObject({ code: 0 });
    const argv = ['proxy', '--config', file, '--form', 'flat', '--http', '0', '--json', '--lock', lock];
    const { child, written, exit } = startProgram(argv);
    const gateway = child.pid as number;
    await expect.poll(() => written.out, { timeout: 60_000 }).toContain('\n');
    const { url } = JSON.parse(written.out) as { url: string };
    const isWhole = async (): Promise<boolean> =>
      Object.values(await healthOf(url)).every(
        ({ state, tools, quarantined }) => state === 'up' && tools > 0 && quarantined === 0,
      );
    await expect.poll(isWhole, { timeout: 60_000 }).toBe(true);
    const watcher = await connect(url);
    const before = (await watcher.names()).toSorted();
    expect(before.length).toBeGreaterThan(60);

    const chaos = { isOver: false };
    const answered = { right: 0, failed: 0, wrong: [] as string[], silent: [] as string[] };
    const booked: string[] = [];
    const failures = new Set<string>();
    /** Calls one tool again and again. A call ends with its own answer, or with an error that names the server. */
    const load = async (
      name: string,
      next: (count: number) => readonly [string, object, string],
    ): Promise<void> => {
      const { client } = await connect(url);
      for (let count = 1; !chaos.isOver; count++) {
        const [called, args, expected] = next(count);
        const outcome = await client
          .callTool({ name: called, arguments: args as Record<string, unknown> }, { timeout: 60_000 })
          .catch((error: unknown) => ({
            isError: true,
            content: [{ type: 'text' as const, text: String(error) }],
          }));
        const text = outcome.content[0]?.type === 'text' ? outcome.content[0].text : '';
        if (outcome.isError !== true && text.includes(expected)) answered.right++;
        else if (outcome.isError === true && /cannot be reached|was lost|Unknown tool|broke off/.test(text)) {
          answered.failed++;
          failures.add(name);
        } else if (text === '') answered.silent.push(called);
        else answered.wrong.push(`${called}: ${text.slice(0, 200)}`);
        if (called === 'ledger_book' && outcome.isError !== true) booked.push((args as { id: string }).id);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    };
    const book = (worker: number) => (count: number) =>
      [
        'ledger_book',
        { id: `${worker}-${count}`, log: effects, ms: 20 },
        `"id":"${worker}-${count}"`,
      ] as const;
    const workers = [
      ...Object.entries(calls).map(([name, next]) => load(name, next)),
      ...[1, 2, 3].map((worker) => load('ledger', book(worker))),
    ];

    // Every server is killed again and again, in turn. Only `time` is left alone.
    const victims = [
      ...(Object.keys(npmServers(place)) as NpmServer[]).filter((name) => name !== 'time').map(programOf),
      ledger,
    ];
    const kills = new Map(victims.map((victim) => [victim, 0]));
    for (let turn = 0; Math.min(...kills.values()) < KILLS_EACH; turn++) {
      const victim = victims[turn % victims.length] as string;
      for (const { pid, args } of childrenOf(gateway)) {
        if (!args.includes(victim)) continue;
        try {
          process.kill(pid, 'SIGKILL');
          kills.set(victim, (kills.get(victim) ?? 0) + 1);
        } catch (error) {
          // The process may have ended since it was listed.
          expect(error).toMatchObject({ code: 'ESRCH' });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS));
    }
    chaos.isOver = true;
    await Promise.all(workers);

    expect(answered).toMatchObject({ wrong: [], silent: [] });
    expect(answered.right).toBeGreaterThan(20);
    // The server that nobody killed did not notice.
    expect([...failures]).not.toContain('time');
    // A booking that was answered took effect once; one that failed took effect at most once.
    const done = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
    expect(done.length).toBe(new Set(done).size);
    expect(booked.filter((id) => !done.includes(id))).toEqual([]);
    expect(booked.length).toBeGreaterThan(0);

    await expect.poll(isWhole, { timeout: 90_000 }).toBe(true);
    await expect.poll(async () => (await watcher.names()).toSorted(), { timeout: 60_000 }).toEqual(before);
    for (const next of Object.values(calls)) {
      const [name, args, expected] = next(7);
      await expect
        .poll(() => watcher.text(name, args as Record<string, unknown>), { timeout: 60_000 })
        .toContain(expected);
    }
    const children = childrenOf(gateway).map(({ pid }) => pid);
    expect(children.length).toBeGreaterThanOrEqual(victims.length);
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
  }, 240_000);
});
