/** Many concurrent 2025 and 2026 callers. */
import { Random } from '../live/random.js';
import { startServer } from '../live/start-server.js';
import { ModernCaller, SessionCaller } from './caller.js';
import type { Call, Caller, Outcome } from './caller.js';

export interface SoakOptions {
  readonly seconds: number;
  readonly sessions?: number;
  readonly moderns?: number;
  /** Concurrent calls of each caller. */
  readonly width?: number;
  readonly seed?: number;
  /** Maximum growth of the heap in bytes between the first fifth and the end of the run. */
  readonly maxGrowth?: number;
  readonly onProgress?: (seconds: number, calls: number) => void;
}

export interface SoakResult {
  readonly seconds: number;
  readonly sessions: number;
  readonly moderns: number;
  readonly calls: number;
  readonly steps: number;
  readonly questions: number;
  /** Number of sessions that were closed and reopened. */
  readonly reopened: number;
  readonly heap: { readonly early: number; readonly late: number };
  readonly mixedUp: readonly string[];
  readonly failures: readonly string[];
}

const MEGABYTE = 2 ** 20;
const versions = ['2025-11-25', '2025-06-18', '2025-03-26'];

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { seconds, sessions = 160, moderns = 40, width = 4, seed = 1, maxGrowth = 8 * MEGABYTE } = options;
  const server = await startServer(new URL('server.ts', import.meta.url));
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const tally = { calls: 0, steps: 0, questions: 0, reopened: 0 };
  const mixedUp: string[] = [];
  const failures: string[] = [];
  const note = (outcome: Outcome): void => {
    tally.calls++;
    tally.steps += outcome.steps;
    tally.questions += outcome.asked;
    mixedUp.push(...outcome.mixedUp);
    if (outcome.failed !== undefined) failures.push(outcome.failed);
  };
  const callers: Caller[] = [
    ...Array.from({ length: sessions }, (_, at) => new SessionCaller(url, versions[at % 3] ?? '2025-11-25')),
    ...Array.from({ length: moderns }, () => new ModernCaller(url)),
  ];
  await Promise.all(callers.map((caller) => caller.open()));

  const began = Date.now();
  const use = async (caller: Caller, number: number, until: number): Promise<void> => {
    const random = new Random(seed, number);
    // Every caller makes at least one round, even if the others have used up the time.
    for (let round = 0; (round === 0 || Date.now() < until) && failures.length < 100; round++) {
      if (server.isGone()) return;
      // All callers use the same ids, from 1.
      const calls = Array.from({ length: width }, (_, at) =>
        caller.call(at + 1, makeCall(random, `caller ${number} round ${round} call ${at}`)),
      );
      for (const settled of await Promise.allSettled(calls)) {
        if (settled.status === 'fulfilled') note(settled.value);
        else failures.push(String(settled.reason));
      }
      options.onProgress?.((Date.now() - began) / 1_000, tally.calls);
      if (number < sessions && random.isOneIn(20)) {
        await caller.close();
        await caller.open();
        tally.reopened++;
      }
    }
  };
  const useAll = (until: number): Promise<unknown> =>
    Promise.all(callers.map((caller, number) => use(caller, number, until)));

  await useAll(began + seconds * 200);
  const early = await server.report();
  await useAll(began + seconds * 1_000);
  const late = await server.report();
  if (early && late && late.heapUsed - early.heapUsed > maxGrowth)
    failures.push(`The heap has grown by ${megabytes(late.heapUsed - early.heapUsed)} MB.`);
  for (const warning of late?.warnings ?? []) failures.push(`Node warns: ${warning}`);
  await Promise.allSettled(callers.map((caller) => caller.close()));
  failures.push(...(await server.close()));
  return {
    seconds: Math.round((Date.now() - began) / 100) / 10,
    sessions,
    moderns,
    ...tally,
    heap: { early: megabytes(early?.heapUsed), late: megabytes(late?.heapUsed) },
    mixedUp,
    failures,
  };
}

function makeCall(random: Random, text: string): Call {
  return random.weigh<() => Call>([
    [6, () => ({ tool: 'echo', text, ms: random.between(0, 10) })],
    [2, () => ({ tool: 'steps', text, count: random.between(1, 4) })],
    [2, () => ({ tool: 'ask', text })],
  ])();
}

function megabytes(bytes = 0): number {
  return Math.round((bytes / MEGABYTE) * 10) / 10;
}
