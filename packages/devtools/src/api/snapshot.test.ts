import { describe, expect, it } from 'vitest';
import { createTestSource } from '../../test/page/page-client.js';
import { ToolRegistry } from 'toolfold';
import { Snapshots, StaleSnapshot } from './snapshot.js';
import { TokenThread } from '../tokens/token-thread.js';

function create() {
  const registry = new ToolRegistry({ name: 'team', version: '1' });
  const snapshots = new Snapshots(createTestSource({ registry, found: 'registry' }), new TokenThread());
  const change = (name: string): void =>
    void registry.register({ name, description: 'A tool', inputSchema: {}, handler: () => 1 });
  return { snapshots, change };
}

const never = new AbortController().signal;

describe('A snapshot', () => {
  it('computes once for concurrent and later requests', async () => {
    const { snapshots } = create();
    let computed = 0;
    const ask = () => snapshots.current.share('key', never, async () => ++computed);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    expect(await ask()).toBe(1);
  });

  it('computes again after an error, and after each request if the result is not kept', async () => {
    const { snapshots } = create();
    let computed = 0;
    const fail = () =>
      snapshots.current.share('bad', never, () => Promise.reject(new Error(`failure ${++computed}`)));
    await expect(fail()).rejects.toThrow('failure 1');
    await expect(fail()).rejects.toThrow('failure 2');
    const ask = () => snapshots.current.share('new', never, async () => ++computed, { isKept: false });
    expect(await Promise.all([ask(), ask()])).toEqual([3, 3]);
    expect(await ask()).toBe(4);
  });

  it('aborts a computation when the last of its requests is gone', async () => {
    const { snapshots } = create();
    const [one, other] = [new AbortController(), new AbortController()];
    let seen: AbortSignal | undefined;
    const ask = (signal: AbortSignal) =>
      snapshots.current.share('key', signal, (shared) => {
        seen = shared;
        return new Promise<never>(() => {});
      });
    const first = ask(one.signal);
    const second = ask(other.signal);
    one.abort(new Error('first is gone'));
    await expect(first).rejects.toThrow('first is gone');
    expect(seen?.aborted).toBe(false);
    other.abort(new Error('second is gone'));
    await expect(second).rejects.toThrow('second is gone');
    expect(seen?.aborted).toBe(true);
    expect(await snapshots.current.share('key', never, async () => 'computed again')).toBe('computed again');
  });

  it('ends when the server changes, with all of its computations', async () => {
    const { snapshots, change } = create();
    const before = snapshots.current;
    const asked = before.share('key', never, () => new Promise<never>(() => {}));
    change('ping');
    await expect(asked).rejects.toBeInstanceOf(StaleSnapshot);
    expect(snapshots.revision).toBe(2);
    expect(snapshots.current).not.toBe(before);
    await expect(before.share('other', never, async () => 1)).rejects.toBeInstanceOf(StaleSnapshot);
  });
});
