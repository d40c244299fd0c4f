import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ErrCancelled } from '@toolfold/schema/errors';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import { Idempotency } from './idempotency.js';
import { runs } from '../../../../../test/runs.js';
import { pay, turn, untilSettled } from '../../../test/guards/idempotency-setup.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('in any schedule', () => {
  it('each caller, action and key has at most one run and one outcome', async () => {
    const call = fc.record({
      process: fc.nat({ max: 2 }),
      caller: fc.constantFrom('ada', 'bob'),
      key: fc.constantFrom('k1', 'k2'),
      input: fc.constantFrom(1, 1, 1, 2),
      fails: fc.constantFrom(false, false, true),
      turns: fc.nat({ max: 5 }),
      lasts: fc.nat({ max: 5 }),
      leaves: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 15 }), async (calls) => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
        const store = new MemoryStore();
        const processes = [0, 1, 2].map(() => new Idempotency({ store }));
        const runs = new Map<string, { input: number; result: string; fails: boolean }[]>();
        const turns = async (count: number) => {
          for (let left = count; left > 0; left--) await turn();
        };
        const settled = Promise.all(
          calls.map(async ({ process, caller, key, input, fails, turns: wait, lasts, leaves }, index) => {
            await turns(wait);
            const controller = new AbortController();
            if (leaves !== undefined) void turns(leaves).then(() => controller.abort());
            const place = `${caller} ${key}`;
            const work = async () => {
              const result = `${place} ${index}`;
              runs.set(place, [...(runs.get(place) ?? []), { input, result, fails }]);
              await turns(lasts);
              if (fails) throw new Error(result);
              return result;
            };
            const request = pay({ caller, key, input, signal: controller.signal });
            const outcome = await processes[process]!.run(request, work).then(
              (value) => ({ value }),
              (error: Error) => ({ error }),
            );
            return { place, input, outcome, mayLeave: leaves !== undefined };
          }),
        );
        for (const { place, input, outcome, mayLeave } of await untilSettled(settled)) {
          const [run] = runs.get(place) ?? [];
          if ('value' in outcome) expect(outcome.value).toBe(run?.result);
          else if (outcome.error instanceof ErrCancelled) expect(mayLeave).toBe(true);
          else if (run?.fails && run.input === input)
            expect(outcome.error.message).toMatch(new RegExp(`^${run.result}|failed and was not run again`));
          else expect(outcome.error.message).toContain('other arguments');
        }
        for (const all of runs.values()) expect(all.length).toBe(1);
      }),
      { numRuns: runs(300) },
    );
  });
});
