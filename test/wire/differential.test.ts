/**
 * The same requests to the SDK and to us, right and wrong ones, thought out and generated. Each answer is the SDK's or
 * differs as `differential/intended-differences.ts` says. `DIFFERENTIAL_RUNS` asks for more generated cases and
 * `DIFFERENTIAL_SEED` for others.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernCase, sessionCase } from './differential/generated-cases.js';
import type { HttpCase } from './differential/http-case.js';
import { intendedDifferences } from './differential/intended-differences.js';
import type { IntendedDifference } from './differential/intended-differences.js';
import type { JudgeName } from './differential/judges.js';
import { envelopeCases } from './differential/named-envelopes.js';
import { httpCases } from './differential/named-http.js';
import { methodCases } from './differential/named-methods.js';
import { sessionCases, sessionlessCases } from './differential/named-sessions.js';
import { createArena } from './differential/run-case.js';
import type { Arena } from './differential/run-case.js';

const runs = Number(process.env['DIFFERENTIAL_RUNS'] ?? 400);
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 20_260_728);
const timeLimit = Math.max(30_000, runs * 60);

const hits = new Set<IntendedDifference>();
let arena: Arena;
beforeAll(async () => {
  arena = await createArena(intendedDifferences, hits);
});
afterAll(() => arena.close());

const both: readonly JudgeName[] = ['composed', 'sdk'];

describe.each<[string, readonly HttpCase[], readonly JudgeName[]]>([
  ['methods of 2026-07-28', methodCases, both],
  ['what stands around a request of 2026-07-28', envelopeCases, both],
  ['means of HTTP', httpCases, both],
  ['requests of 2025 in a session', sessionCases, ['composed']],
  ['requests of 2025 without a session', sessionlessCases, ['composed', 'handler']],
])('as the SDK answers: %s', (_what, cases, judges) => {
  it.each(cases.map((test) => [test.title, test] as const))('%s', async (_title, test) => {
    expect(await arena.run(test, judges)).toEqual([]);
  });
});

describe('as the SDK answers: what was generated', () => {
  it('requests of 2026-07-28 to which something was done', { timeout: timeLimit }, async () => {
    await fc.assert(
      fc.asyncProperty(modernCase, async (test) => {
        expect(await arena.run(test, both)).toEqual([]);
      }),
      { numRuns: runs, seed, interruptAfterTimeLimit: timeLimit * 0.8, markInterruptAsFailure: true },
    );
  });

  it('sessions of 2025 in which anything is asked', { timeout: timeLimit }, async () => {
    await fc.assert(
      fc.asyncProperty(sessionCase, async (test) => {
        expect(await arena.run(test, ['composed'])).toEqual([]);
      }),
      {
        numRuns: Math.ceil(runs / 4),
        seed,
        interruptAfterTimeLimit: timeLimit * 0.8,
        markInterruptAsFailure: true,
      },
    );
  });
});

it.each(intendedDifferences.map((entry) => [entry.name, entry] as const))(
  'the difference "%s" is one that a case above shows',
  (_name, entry) => {
    expect(hits.has(entry), entry.reason).toBe(true);
  },
);
