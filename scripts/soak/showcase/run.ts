/** Simulates a day of users with 2025 and 2026 clients at the showcase, in a few minutes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openModernClient, openSessionClient } from '../../../test/showcase/bookkeeper.js';
import type { Bookkeeper } from '../../../test/showcase/bookkeeper.js';
import { toCents, toText } from '../../../test/showcase/ledger.js';
import { Random } from '../../live/random.js';
import { startServer } from '../../live/start-server.js';
import type { LiveServer } from '../../live/start-server.js';
import { findGrowth } from './memory.js';
import type { Sample } from './memory.js';
import { Person, SHARED } from './person.js';

export interface DayOptions {
  readonly minutes: number;
  readonly people?: number;
  readonly seed?: number;
  readonly onSample?: (sample: Sample, calls: number, errors: number) => void;
}

export interface DayResult {
  readonly minutes: number;
  readonly people: number;
  readonly calls: number;
  /** Number of calls that repeated a request with its idempotency key. */
  readonly repeats: number;
  /** Number of client reconnections. */
  readonly reopened: number;
  readonly callsByTool: Readonly<Record<string, number>>;
  readonly samples: readonly Sample[];
  readonly longestBlockMs: number;
  readonly errors: readonly string[];
}

const DAY_MINUTES = 24 * 60;
/** Pause of a user between two tasks, in simulated seconds. */
const PAUSE = [10, 60] as const;
const SAMPLES = 30;
const MAX_ERRORS = 100;
const MEGABYTE = 2 ** 20;

export async function liveADay(options: DayOptions): Promise<DayResult> {
  const { minutes, people: count = 20, seed = 1 } = options;
  const speed = DAY_MINUTES / minutes;
  const folder = mkdtempSync(join(tmpdir(), 'showcase-soak-'));
  const keys = Array.from({ length: count }, (_, index) => `key-of-person-${index}-`.padEnd(40, '0'));
  const file = join(folder, 'keys.json');
  const scopes = ['finance:write', 'finance:manage'];
  writeFileSync(file, JSON.stringify(keys.map((key, at) => ({ key, clientId: `person ${at}`, scopes }))));
  const server = await startServer(new URL('server.ts', import.meta.url), [
    join(folder, 'books'),
    file,
    String(speed),
  ]);
  try {
    const day = new Day(server, keys, speed, seed, options.onSample);
    return { minutes, people: count, ...(await day.pass(minutes)) };
  } finally {
    if (!server.isGone()) await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Day {
  readonly #server: LiveServer;
  readonly #url: string;
  readonly #keys: readonly string[];
  readonly #speed: number;
  readonly #onSample: DayOptions['onSample'];
  readonly #tally = { shared: 0, repeats: 0 };
  readonly #people: readonly Person[];
  readonly #randoms: readonly Random[];
  readonly #byTool = new Map<string, number>();
  readonly #errors: string[] = [];
  readonly #samples: Sample[] = [];
  #calls = 0;
  #reopened = 0;
  #longestBlockMs = 0;

  constructor(
    server: LiveServer,
    keys: readonly string[],
    speed: number,
    seed: number,
    onSample: DayOptions['onSample'],
  ) {
    this.#server = server;
    this.#url = `http://127.0.0.1:${server.port}/mcp`;
    this.#keys = keys;
    this.#speed = speed;
    this.#onSample = onSample;
    this.#randoms = keys.map((_, index) => new Random(seed, index));
    this.#people = this.#randoms.map((random, index) => new Person(index, random, this.#tally));
  }

  async pass(minutes: number): Promise<Omit<DayResult, 'minutes' | 'people'>> {
    const before = toCents(await this.#balanceOfShared());
    const began = Date.now();
    const until = began + minutes * 60_000;
    let isOver = false;
    const watch = async (): Promise<void> => {
      for (let sample = 1; sample <= SAMPLES && !isOver; sample++) {
        await sleep(Math.max(0, began + (sample * minutes * 60_000) / SAMPLES - Date.now()));
        await this.#look((Date.now() - began) / 60_000);
      }
    };
    const lives = Promise.all(this.#people.map((person, index) => this.#live(person, index, until)));
    await Promise.all([lives.finally(() => (isOver = true)), watch()]);
    await this.#compare(before);
    this.#errors.push(...findGrowth(this.#samples));
    const last = await this.#server.report();
    for (const warning of last?.warnings ?? []) this.#errors.push(`Node warns: ${warning}`);
    this.#errors.push(...(await this.#server.close()));
    return {
      calls: this.#calls,
      repeats: this.#tally.repeats,
      reopened: this.#reopened,
      callsByTool: Object.fromEntries([...this.#byTool].toSorted()),
      samples: this.#samples,
      longestBlockMs: Math.round(this.#longestBlockMs),
      errors: this.#errors,
    };
  }

  async #live(person: Person, index: number, until: number): Promise<void> {
    const random = this.#randoms[index] as Random;
    let client = await this.#open(index);
    await this.#attempt(() => person.begin(client));
    while (Date.now() < until && this.#errors.length < MAX_ERRORS && !this.#server.isGone()) {
      await this.#attempt(() => person.act(client));
      if (random.isOneIn(40)) {
        await this.#attempt(() => client.close());
        client = await this.#open(index);
        this.#reopened++;
      }
      await sleep((random.between(...PAUSE) * 1_000) / this.#speed);
    }
    await this.#attempt(() => client.close());
  }

  /** Every second client is a 2025 client. Each call is counted. */
  async #open(index: number): Promise<Bookkeeper> {
    const open = index % 2 === 0 ? openModernClient : openSessionClient;
    const client = await open(this.#url, { key: this.#keys[index] ?? '' });
    const count = <A extends unknown[], R>(name: string, work: (...args: A) => R) => {
      return (...args: A): R => {
        this.#calls++;
        const tool = name || String(args[0]);
        this.#byTool.set(tool, (this.#byTool.get(tool) ?? 0) + 1);
        return work(...args);
      };
    };
    return {
      ...client,
      ask: count('', client.ask),
      call: count('', client.call) as Bookkeeper['call'],
      prompt: count('prompts', client.prompt),
      resource: count('resources', client.resource),
      toolNames: count('list', client.toolNames),
    };
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#errors.push(String(error));
    }
  }

  async #look(minute: number): Promise<void> {
    const report = await this.#server.report();
    if (!report) return;
    this.#longestBlockMs = Math.max(this.#longestBlockMs, report.maxBlockMs);
    const sample = {
      minute: Math.round(minute * 10) / 10,
      heap: Math.round((report.heapUsed / MEGABYTE) * 10) / 10,
      rss: Math.round(report.rss / MEGABYTE),
    };
    this.#samples.push(sample);
    this.#onSample?.(sample, this.#calls, this.#errors.length);
  }

  async #balanceOfShared(): Promise<string> {
    const client = await openModernClient(this.#url, { key: this.#keys[0] ?? '' });
    const { balance } = await client.call<{ balance: string }>('accounts', 'get', { account: SHARED });
    await client.close();
    return balance;
  }

  /** Compares the users' records with the books. */
  async #compare(before: number): Promise<void> {
    const client = await openModernClient(this.#url, { key: this.#keys[0] ?? '' });
    const { accounts } = await client.call<{ accounts: { name: string; balance: string }[] }>(
      'accounts',
      'list',
    );
    const found = new Map(accounts.map(({ name, balance }) => [name, balance]));
    const expected = [
      [SHARED, before + this.#tally.shared] as const,
      ...this.#people.flatMap(({ balances }) => [...balances]),
    ];
    for (const [name, cents] of expected)
      if (found.get(name) !== toText(cents))
        this.#errors.push(`"${name}" holds ${found.get(name)} and should hold ${toText(cents)}.`);
    const check = await client.call<{ is_balanced: boolean; problems: string[] }>('reports', 'check', {
      all_budgets: true,
    });
    this.#errors.push(...check.problems);
    await client.close();
  }
}
