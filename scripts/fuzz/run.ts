/** Starts a server in a separate process, sends generated requests, and checks the answers and the server. */
import { Random } from '../live/random.js';
import type { Report } from '../live/report.js';
import { startServer } from '../live/start-server.js';
import { findFaults } from './find-faults.js';
import type { Fault } from './find-faults.js';
import { makePlan } from './make-plan.js';
import { play } from './play.js';
import { rightStep } from './right-requests.js';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Number of a single connection to replay alone. */
  readonly only?: number | undefined;
  /** Number of concurrent connections. */
  readonly connections?: number;
  /** Maximum growth of the heap in bytes between the first tenth and the end of the run. */
  readonly maxGrowth?: number;
  /** Maximum time that the event loop of the server may be blocked. */
  readonly maxBlockMs?: number;
  readonly onProgress?: (requests: number, faults: number) => void;
}

export interface FuzzResult {
  readonly seed: number;
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  /** In megabytes after garbage collection, at every tenth of the run. */
  readonly heap: readonly number[];
  readonly maxBlockMs: number;
  /** Faults of single answers, at most 100. */
  readonly faults: readonly Fault[];
  /** Faults of the server as a whole. */
  readonly failures: readonly string[];
}

const MEGABYTE = 2 ** 20;
const MAX_FAULTS = 100;

export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { seed, only, connections = 24, maxGrowth = 4 * MEGABYTE, maxBlockMs = 1_000 } = options;
  const began = performance.now();
  const server = await startServer(new URL('server.ts', import.meta.url));
  const tally = new Tally();
  const failures: string[] = [];
  let index = 0;
  /** Runs until this many requests were sent. */
  const sendUntil = async (requests: number): Promise<void> => {
    const work = async (): Promise<void> => {
      while (tally.requests < requests && !server.isGone()) {
        const plan = makePlan(seed, index++);
        const played = await play(plan, server.port);
        tally.add(plan.kind, played.sent, played.responses, server.isGone() ? [] : findFaults(plan, played));
        options.onProgress?.(tally.requests, tally.faults.length);
      }
    };
    await Promise.all(Array.from({ length: connections }, work));
  };

  const reports: Report[] = [];
  if (only === undefined) {
    for (let tenth = 1; tenth <= 10; tenth++) {
      await sendUntil(Math.ceil((options.requests * tenth) / 10));
      // The server detects and removes abandoned clients itself.
      const report = await (tenth === 10 ? server.settle() : server.report());
      if (report) reports.push(report);
    }
    // After the run the server must still answer correctly.
    const last = { index, kind: 'last', steps: [rightStep(new Random(seed))] };
    tally.faults.push(...findFaults(last, await play(last, server.port)));
  } else {
    const plan = makePlan(seed, only);
    const played = await play(plan, server.port);
    tally.add(plan.kind, played.sent, played.responses, findFaults(plan, played));
  }
  const [early, late] = [reports[0], reports[9]];
  if (early && late) {
    const growth = late.heapUsed - early.heapUsed;
    if (growth > maxGrowth) failures.push(`The heap has grown by ${megabytes(growth)} MB.`);
    if (late.connections > 0) failures.push(`${late.connections} connections are left.`);
    for (const warning of late.warnings) failures.push(`Node warns: ${warning}`);
  }
  const blocked = Math.max(0, ...reports.map((report) => report.maxBlockMs));
  if (blocked > maxBlockMs) failures.push(`The server looked at nothing else for ${blocked.toFixed(0)} ms.`);
  failures.push(...(await server.close()));
  return {
    seed,
    requests: tally.requests,
    connections: only === undefined ? index : 1,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    statuses: Object.fromEntries([...tally.statuses].toSorted()),
    kinds: Object.fromEntries([...tally.kinds].toSorted()),
    heap: reports.map(({ heapUsed }) => megabytes(heapUsed)),
    maxBlockMs: Math.round(blocked),
    faults: tally.faults,
    failures,
  };
}

function megabytes(bytes: number): number {
  return Math.round((bytes / MEGABYTE) * 10) / 10;
}

class Tally {
  requests = 0;
  readonly statuses = new Map<string, number>();
  readonly kinds = new Map<string, number>();
  readonly faults: Fault[] = [];

  add(kind: string, sent: number, responses: readonly { status: number }[], faults: readonly Fault[]): void {
    this.requests += sent;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + sent);
    for (const { status } of responses) {
      this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1);
    }
    const silent = sent - responses.length;
    if (silent > 0) this.statuses.set('no answer', (this.statuses.get('no answer') ?? 0) + silent);
    this.faults.push(...faults.slice(0, MAX_FAULTS - this.faults.length));
  }
}
