import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import { setUp, turns } from '../../test/upstream/pool-setup.js';

describe('a pool of connections', () => {
  it('serves every caller within the limit, and closes no connection in use', async () => {
    const uses = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(4), fc.nat(3)), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), uses, async (max, list) => {
        const { pool, state, use } = setUp(max);
        const running: Promise<string>[] = [];
        for (const [key, duration, pause] of list) {
          running.push(use(String(key), () => turns(duration)));
          await turns(pause);
        }
        expect(await Promise.all(running)).toEqual(list.map(([key]) => String(key)));
        expect(state.most).toBeLessThanOrEqual(max);
        expect(state.closedInUse).toBe(0);
        await pool.close();
        expect(state.open).toBe(0);
      }),
      { numRuns: runs(100) },
    );
  });
});
