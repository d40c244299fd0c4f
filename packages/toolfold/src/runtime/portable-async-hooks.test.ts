import { describe, expect, it } from 'vitest';
import { AsyncLocalStorage } from './portable-async-hooks.js';

describe('the portable AsyncLocalStorage', () => {
  it('shows a value until the function returns, and the outer value after it', () => {
    const storage = new AsyncLocalStorage<string>();
    const seen = storage.run('outer', () => [
      storage.getStore(),
      storage.run('inner', () => storage.getStore()),
      storage.getStore(),
    ]);
    expect(seen).toEqual(['outer', 'inner', 'outer']);
    expect(storage.getStore()).toBeUndefined();
  });

  it('drops the value of a function that throws', () => {
    const storage = new AsyncLocalStorage<string>();
    expect(() =>
      storage.run('a', () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(storage.getStore()).toBeUndefined();
  });

  it('never shows the value of one caller to another that runs in between', async () => {
    const storage = new AsyncLocalStorage<string>();
    const run = (value: string): Promise<(string | undefined)[]> =>
      storage.run(value, async () => {
        const before = storage.getStore();
        await Promise.resolve();
        return [before, storage.getStore()];
      });
    expect(await Promise.all([run('a'), run('b')])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });
});
