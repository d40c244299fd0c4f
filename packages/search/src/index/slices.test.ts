import { afterEach, describe, expect, it, vi } from 'vitest';
import { inSteps, nextTurn, runAtOnce, runInSlices, type Steps } from './slices.js';

/** Takes about as many milliseconds as it has items, and returns them. */
function* slowly(items: readonly number[]): Steps<number[]> {
  const done: number[] = [];
  yield* inSteps(items, (item) => {
    for (const end = performance.now() + 1; performance.now() < end;);
    done.push(item);
  });
  return done;
}

const items = Array.from({ length: 50 }, (_, at) => at);

afterEach(() => vi.unstubAllGlobals());

describe('work in slices', () => {
  it('has the same result as at once', async () => {
    expect(runAtOnce(slowly(items))).toEqual(items);
    expect(await runInSlices(slowly(items))).toEqual(items);
    expect(await runInSlices(slowly([]))).toEqual([]);
  });

  it('lets timers fire before it ends', async () => {
    let isDone = false;
    const work = runInSlices(slowly(items)).then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(isDone).toBe(false);
    await work;
  });

  it('takes turns with other work after each slice', async () => {
    const events: string[] = [];
    const watch = function* (name: string): Steps<void> {
      for (let step = 0; step < 3; step++) {
        events.push(name);
        for (const end = performance.now() + 11; performance.now() < end;);
        yield;
      }
    };
    await Promise.all([runInSlices(watch('one')), runInSlices(watch('other'))]);
    expect(events).toEqual(['one', 'other', 'one', 'other', 'one', 'other']);
  });

  it('rejects with the error of a step, and later work runs', async () => {
    const failing = (function* (): Steps<void> {
      yield;
      throw new Error('broken');
    })();
    await expect(runInSlices(failing)).rejects.toThrow('broken');
    expect(await runInSlices(slowly([1]))).toEqual([1]);
  });

  it.each([
    ['Cloudflare Workers', 'navigator', { userAgent: 'Cloudflare-Workers' }],
    ['a runtime without process', 'process', undefined],
  ])('waits for no timer on %s, because timers end with their request', async (_, name, value) => {
    vi.stubGlobal(name, value);
    vi.stubGlobal('setTimeout', () => {});
    const all = await Promise.all([runInSlices(slowly(items)), runInSlices(slowly([1])), nextTurn()]);
    expect(all).toEqual([items, [1], undefined]);
  });
});
