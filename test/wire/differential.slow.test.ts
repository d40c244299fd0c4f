/**
 * Sends the same valid and invalid requests, hand-written and generated, to the SDK and to Toolfold. Each answer
 * must equal that of the SDK or differ as `differential/intended-differences.ts` states. `DIFFERENTIAL_RUNS` sets
 * the number of generated cases, `DIFFERENTIAL_SEED` the seed.
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
/** A slow machine runs fewer cases. */
const timeLimit = Math.max(10_000, runs * 25);
const enough = Math.min(runs, 20);

const hits = new Set<IntendedDifference>();
let arena: Arena;
beforeAll(async () => {
  arena = await createArena(intendedDifferences, hits);
});
afterAll(() => arena.close());

const both: readonly JudgeName[] = ['composed', 'sdk'];

describe.each<[string, readonly HttpCase[], readonly JudgeName[]]>([
  ['methods of 2026-07-28', methodCases, both],
  ['envelopes of 2026-07-28 requests', envelopeCases, both],
  ['means of HTTP', httpCases, both],
  ['requests of 2025 in a session', sessionCases, ['composed']],
  ['requests of 2025 without a session', sessionlessCases, ['composed', 'handler']],
])('as the SDK answers: %s', (_what, cases, judges) => {
  it.each(cases.map((test) => [test.title, test] as const))('%s', async (_title, test) => {
    expect(await arena.run(test, judges)).toEqual([]);
  });
});

describe('as the SDK answers: generated messages', () => {
  it.each<[string, fc.Arbitrary<HttpCase>, readonly JudgeName[], number]>([
    ['requests of 2026-07-28 to which something was done', modernCase, both, runs],
    ['2025 sessions with arbitrary requests', sessionCase, ['composed'], Math.ceil(runs / 4)],
  ])('%s', { timeout: timeLimit * 6 }, async (_what, cases, judges, numRuns) => {
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (test) => {
        tried++;
        expect(await arena.run(test, judges)).toEqual([]);
      }),
      { numRuns, seed, interruptAfterTimeLimit: timeLimit },
    );
    expect(tried).toBeGreaterThanOrEqual(enough);
  });
});

it.each(intendedDifferences.map((entry) => [entry.name, entry] as const))(
  'the difference "%s" is shown by a case above',
  (_name, entry) => {
    expect(hits.has(entry), entry.reason).toBe(true);
  },
);
