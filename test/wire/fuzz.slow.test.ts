/** A short run of `npm run fuzz`, and tests of its checks. */
import { describe, expect, it } from 'vitest';
import { findFaults } from '../../scripts/fuzz/find-faults.js';
import { makePlan } from '../../scripts/fuzz/make-plan.js';
import type { Expectation } from '../../scripts/fuzz/plan.js';
import { fuzz } from '../../scripts/fuzz/run.js';

it('answers generated requests without a crash, a 5xx, a stack or a leak', { timeout: 120_000 }, async () => {
  // Caches fill in a short run, so it may use more memory than a long one.
  const { faults, failures, statuses } = await fuzz({ requests: 2_500, seed: 1, maxGrowth: 8 * 2 ** 20 });
  expect(faults.slice(0, 10)).toEqual([]);
  expect(failures).toEqual([]);
  expect(statuses['200']).toBeGreaterThan(500);
  expect(statuses['400']).toBeGreaterThan(300);
});

describe('the check of an answer', () => {
  const json = { 'content-type': 'application/json' };
  const judge = (expect: Expectation, status: number, body: string, headers: Record<string, string> = json) =>
    findFaults(
      { index: 0, kind: 'one by one', steps: [{ label: 'one', bytes: () => Buffer.alloc(0), expect }] },
      { sent: 1, isLate: false, responses: [{ status, headers, body: Buffer.from(body), isWhole: true }] },
    ).map(({ what }) => what);
  const error = (message: string, more: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message, ...more } });
  const right: Expectation = { kind: 'answer', status: [200], holds: (message) => message['id'] === 1 };

  it.each<[string, Expectation, number, string, Record<string, string>?]>([
    ['a 5xx', { kind: 'parser' }, 500, error('failed')],
    ['a stack', { kind: 'rejection' }, 400, error('failed', { data: 'Error\n    at serve (/srv/a.js:1:2)' })],
    ['a path', { kind: 'anything' }, 400, error('cannot find /srv/app/main.ts')],
    [
      'a path in a page',
      { kind: 'parser' },
      404,
      '<pre>/srv/app/main.js</pre>',
      { 'content-type': 'text/html' },
    ],
    [
      'a rejection in plain text',
      { kind: 'rejection' },
      400,
      'Bad Request',
      { 'content-type': 'text/plain' },
    ],
    ['a rejection that is not JSON-RPC', { kind: 'anything' }, 400, '{"error":"no"}'],
    [
      'a wrong request that goes through',
      { kind: 'rejection', status: [400] },
      200,
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
    ['another status', { kind: 'rejection', status: [415] }, 400, error('no')],
    ['the answer to another request', right, 200, '{"jsonrpc":"2.0","id":2,"result":{}}'],
    ['a rejected valid request', right, 400, error('no')],
    ['half an answer', right, 200, '{"jsonrpc":"2.0"'],
    ['no stream', { kind: 'stream' }, 200, '{}'],
  ])('finds %s', (_what, expected, status, body, headers) => {
    expect(judge(expected, status, body, headers)).not.toEqual([]);
  });

  it('finds missing answers, and accepts correct ones', () => {
    const [plan, played] = [
      {
        index: 0,
        kind: 'one by one',
        steps: [{ label: 'one', bytes: () => Buffer.alloc(0), expect: right }],
      },
      { sent: 1, isLate: false, responses: [] },
    ];
    expect(findFaults(plan, played).map(({ what }) => what)).toEqual(['is not answered']);
    expect(judge(right, 200, '{"jsonrpc":"2.0","id":1,"result":{}}')).toEqual([]);
    expect(judge({ kind: 'rejection', status: [400] }, 400, error('no'))).toEqual([]);
  });

  it('creates the same plan from the same seed, and another from another seed', () => {
    const plan = (seed: number, index: number) =>
      makePlan(seed, index).steps.map(({ label, bytes }) => [label, bytes('').toString('latin1')]);
    for (let index = 0; index < 50; index++) expect(plan(1, index)).toEqual(plan(1, index));
    expect(
      new Set(Array.from({ length: 50 }, (_, index) => JSON.stringify(plan(1, index)))).size,
    ).toBeGreaterThan(45);
    expect(plan(1, 0)).not.toEqual(plan(2, 0));
  });
});
