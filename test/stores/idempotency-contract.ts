import { describe, expect, it, vi } from 'vitest';
import { ErrIdempotencyConflict, ErrOutcomeUnknown, ErrOverloaded } from 'toolfold/errors';
import { Idempotency } from '../../packages/toolfold/src/guards/idempotency/idempotency.js';
import type { IdempotentRequest } from '../../packages/toolfold/src/guards/idempotency/key.js';
import type { Claims } from 'toolfold/internal';
import type { Sequence, Store } from 'toolfold';
import { createWork } from './work.js';

/** Access of one process to the shared state. */
export interface IdempotencyNode {
  readonly records: Store;
  readonly results: Store;
  readonly sequence: Sequence;
  readonly claims?: Claims;
  readonly now: () => number;
  /** Disconnects the process from the shared state. */
  readonly die: () => void | Promise<void>;
}

const LEASE = 600;

const pay = (more: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  caller: 'ada',
  address: 'shop/pay',
  key: 'k1',
  input: { amount: 5 },
  ...more,
});

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.unreachable(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );

const toIdempotency = ({ records, results, sequence, claims, now }: IdempotencyNode): Idempotency =>
  new Idempotency({ store: records, results, sequence, claims, clock: now, leaseMs: LEASE });

/** The contract of calls with a key in any number of processes. `create` returns a function that adds nodes to empty shared state. */
export function describeIdempotency(name: string, create: () => () => IdempotencyNode): void {
  const start = (count: number): Idempotency[] => {
    const node = create();
    return Array.from({ length: count }, () => toIdempotency(node()));
  };

  describe(`idempotency over ${name}`, () => {
    it('runs a call once if many processes receive it concurrently', async () => {
      const nodes = start(4);
      for (let round = 0; round < 20; round++) {
        let runs = 0;
        const work = async () => ({ run: ++runs });
        const calls = Array.from({ length: 20 }, (_, call) =>
          (nodes[call % 4] as Idempotency).run(pay({ key: `k${round}` }), work),
        );
        expect(new Set((await Promise.all(calls)).map((result) => JSON.stringify(result)))).toEqual(
          new Set(['{"run":1}']),
        );
        expect(runs).toBe(1);
      }
    });

    it('returns the result to other processes, even a large one', async () => {
      const [one, two] = start(2) as [Idempotency, Idempotency];
      for (const result of [undefined, null, 'paid', { a: [1] }, 'x'.repeat(100_000)]) {
        const request = pay({ key: `k${JSON.stringify(result)?.length}` });
        expect(await one.run(request, async () => result)).toEqual(result);
        expect(await two.run(request, async () => expect.unreachable())).toEqual(result);
      }
    });

    it('stores at most 16 MiB of results per caller, and runs no call twice when one is evicted', async () => {
      const [one] = start(1) as [Idempotency];
      const result = 'x'.repeat(1024 * 1024);
      for (let call = 0; call < 20; call++) await one.run(pay({ key: `k${call}` }), async () => result);
      const again: PromiseSettledResult<unknown>[] = [];
      // One after the other, because 20 MiB at once may take a busy Redis longer than the timeout of a command.
      for (let call = 0; call < 20; call++) {
        const repeated = one.run(pay({ key: `k${call}` }), async () => expect.unreachable());
        again.push(...(await Promise.allSettled([repeated])));
      }
      const kept = again.filter(({ status }) => status === 'fulfilled').length;
      expect(kept).toBeGreaterThan(0);
      expect(kept).toBeLessThanOrEqual(16);
      for (const each of again)
        if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ErrIdempotencyConflict);
      // Other callers keep their results.
      const other = pay({ caller: 'bob' });
      await one.run(other, async () => result);
      expect(await one.run(other, async () => expect.unreachable())).toBe(result);
    });

    it('waits beyond the lease for a process that renews it', async () => {
      const [one, two] = start(2) as [Idempotency, Idempotency];
      const { work, finish } = createWork<string>();
      const first = one.run(pay(), work);
      await vi.waitFor(() => expect(work).toHaveBeenCalled());
      const second = two.run(pay(), async () => expect.unreachable());
      await new Promise((resolve) => setTimeout(resolve, 2.5 * LEASE));
      finish('paid');
      expect(await Promise.all([first, second])).toEqual(['paid', 'paid']);
    });

    it('does not rerun a call of a dead process, and reports its outcome as unknown', async () => {
      const node = create();
      const dying = node();
      const work = vi.fn<() => Promise<unknown>>(() => new Promise(() => undefined));
      void toIdempotency(dying)
        .run(pay(), work)
        .catch(() => undefined);
      await vi.waitFor(() => expect(work).toHaveBeenCalled());
      await dying.die();
      const next = toIdempotency(node());
      const error = await caught(next.run(pay(), async () => expect.unreachable()));
      expect(error).toBeInstanceOf(ErrOutcomeUnknown);
      expect(error).toMatchObject({ details: { address: 'shop/pay', key: 'k1' } });
      expect(await caught(next.run(pay(), async () => expect.unreachable()))).toBeInstanceOf(
        ErrOutcomeUnknown,
      );
      expect(await next.run(pay({ key: 'k2' }), async () => 'paid')).toBe('paid');
    });

    it('waits no longer than the lease for a dead process, even if its clock was ahead', async () => {
      const node = create();
      const dying = node();
      const work = vi.fn<() => Promise<unknown>>(() => new Promise(() => undefined));
      const ahead = { ...dying, now: () => dying.now() + 600_000 };
      void toIdempotency(ahead)
        .run(pay(), work)
        .catch(() => undefined);
      await vi.waitFor(() => expect(work).toHaveBeenCalled());
      await dying.die();
      const next = toIdempotency(node());
      expect(await caught(next.run(pay(), async () => expect.unreachable()))).toBeInstanceOf(
        ErrOutcomeUnknown,
      );
    });

    it('gives each run a higher number than all runs before, with one key or several', async () => {
      const node = create();
      const tokens: number[] = [];
      class Question extends Error {}
      for (let run = 0; run < 10; run++) {
        const { records: store, sequence, claims, now } = node();
        const changedNothing = (thrown: unknown): boolean => thrown instanceof Question;
        const each = new Idempotency({ store, sequence, claims, clock: now, changedNothing });
        const work = async (token: number): Promise<never> => {
          tokens.push(token);
          throw new Question();
        };
        await caught(each.run(pay({ key: `k${run % 2}` }), work));
      }
      expect(tokens).toHaveLength(10);
      expect(tokens).toEqual([...new Set(tokens)].toSorted((left, right) => left - right));
    });

    it('rejects other arguments with a key, and does not rerun a failed call, in other processes too', async () => {
      const [one, two] = start(2) as [Idempotency, Idempotency];
      await one.run(pay(), async () => 'paid');
      expect(await caught(two.run(pay({ input: {} }), async () => 1))).toBeInstanceOf(ErrIdempotencyConflict);
      const request = pay({ key: 'k2' });
      await caught(one.run(request, async () => Promise.reject(new Error('broken'))));
      expect(await caught(two.run(request, async () => 1))).toBeInstanceOf(ErrIdempotencyConflict);
    });

    it('runs no call if the store is unreachable', async () => {
      const node = create()();
      const each = toIdempotency(node);
      await node.die();
      expect(await caught(each.run(pay(), async () => expect.unreachable()))).toBeInstanceOf(ErrOverloaded);
    });

    it.each([
      'null',
      '{"state":"done"}',
      '{"state":"done","fingerprint":"x","result":7}',
      '{"state":"running","fingerprint":"x","since":"now","aliveUntil":1}',
      '{"state":"failed","fingerprint":"x","error":"no"}',
      '{"state":"constructor","fingerprint":"x"}',
    ])('runs no call if the stored record is %s', async (text) => {
      const node = create()();
      await node.records.set(JSON.stringify(['idempotency', '', 'ada', 'shop/pay', 'k1']), text, 60_000);
      const error = await caught(toIdempotency(node).run(pay(), async () => expect.unreachable()));
      expect(error).toBeInstanceOf(ErrIdempotencyConflict);
    });
  });
}
