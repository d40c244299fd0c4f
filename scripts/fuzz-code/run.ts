import fc from 'fast-check';
import type { CodeLimits, RunFailure, SandboxStep, SettledCall } from '@toolfold/code';
import { createQuickJsSandbox, defaultCodeLimits } from '@toolfold/code';
import { program } from './programs.js';

export interface FuzzOptions {
  readonly programs: number;
  readonly seed: number;
  /** Programs that run at once, each for a caller of its own. */
  readonly concurrent: number;
  readonly onProgress?: (ended: number, faults: number) => void;
}

export interface FuzzFault {
  readonly what: string;
  readonly code: string;
}

export interface FuzzResult {
  readonly programs: number;
  /** How runs ended: `value`, or the kind of their failure. */
  readonly ends: Readonly<Record<string, number>>;
  readonly faults: readonly FuzzFault[];
}

const limits: CodeLimits = {
  ...defaultCodeLimits,
  cpuMs: 100,
  memoryBytes: 16 * 1_024 * 1_024,
  calls: 50,
  callBytes: 64 * 1_024,
  resultBytes: 64 * 1_024,
};

/** The program of another caller. It must give its result after every generated program. */
const WITNESS =
  'const all = await Promise.all([1, 2, 3].map((n) => tools.add({ n }))); all.length + JSON.stringify(all)';

const kinds = new Set<RunFailure['kind']>([
  'syntax',
  'thrown',
  'unhandled',
  'cpu',
  'memory',
  'stack',
  'result',
  'stuck',
]);

/** Runs generated hostile programs in threads, and checks that each ends within its limits and harms no other run. */
export async function fuzzCode({ programs, seed, concurrent, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const codes = fc.sample(program, { numRuns: programs, seed });
  const sandbox = createQuickJsSandbox({ maxThreads: concurrent + 1 });
  const ends: Record<string, number> = {};
  const faults: FuzzFault[] = [];
  let ended = 0;
  let next = 0;

  const startFor = (owner: string, code: string, own = limits) =>
    sandbox.start(code, { limits: own, owner, signal: new AbortController().signal });

  const attack = async (code: string, owner: string): Promise<void> => {
    const run = await startFor(owner, code);
    let calls = 0;
    let logBytes = 0;
    let step: SandboxStep = await run.advance([]);
    for (;;) {
      calls += step.calls.length;
      logBytes += step.logs.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
      if (step.outcome) break;
      // Errors and values alternate.
      step = await run.advance(step.calls.map((call): SettledCall => answer(call.id, call.input)));
    }
    const kind = 'failure' in step.outcome ? step.outcome.failure.kind : 'value';
    ends[kind] = (ends[kind] ?? 0) + 1;
    const report = (what: string): void => {
      faults.push({ what, code });
    };
    if (kind !== 'value' && !kinds.has(kind)) report(`ended as ${kind}`);
    if (calls > limits.calls) report(`${calls} calls`);
    if (logBytes > limits.logBytes) report(`${logBytes} bytes of logs`);
    if ('value' in step.outcome && step.outcome.value !== undefined) JSON.parse(step.outcome.value);
  };

  const witness = async (code: string): Promise<void> => {
    const run = await startFor('witness', WITNESS, defaultCodeLimits);
    const first = await run.advance([]);
    const { outcome } = await run.advance(first.calls.map(({ id, input }) => ({ id, value: input })));
    const expected = JSON.stringify('3[{"n":1},{"n":2},{"n":3}]');
    if (!outcome || !('value' in outcome) || outcome.value !== expected)
      faults.push({ what: `another run ended as ${JSON.stringify(outcome)}`, code });
  };

  const work = async (owner: string): Promise<void> => {
    for (let code = codes[next++]; code !== undefined; code = codes[next++]) {
      const running = attack(code, owner);
      await witness(code);
      await running;
      ended += 1;
      onProgress?.(ended, faults.length);
    }
  };

  await Promise.all(Array.from({ length: concurrent }, (_, index) => work(`caller ${index}`)));
  await sandbox.close();
  return { programs: ended, ends, faults };
}

const failed = { name: 'ErrFuzz', code: 'ErrFuzz', message: 'The call failed.', suggestions: ['Stop.'] };

const answer = (id: number, input: string | undefined): SettledCall =>
  id % 3 === 0 ? { id, error: failed } : { id, value: input };
