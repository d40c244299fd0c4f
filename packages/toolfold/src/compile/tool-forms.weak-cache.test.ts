import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { WeakCache } from './tool-forms.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('values in the weak cache', () => {
  it('are created once per owner and key', () => {
    const shared = new WeakCache<{ id: number }>();
    const [one, other] = [{}, {}];
    let made = 0;
    const get = (owner: object, key: string) => shared.getOrMake(owner, key, () => ({ id: made++ }));
    const first = get(one, 'a');
    expect(get(one, 'a')).toBe(first);
    expect(get(one, 'b')).not.toBe(first);
    expect(get(other, 'a')).not.toBe(first);
    expect(made).toBe(3);
  });

  it('are released once unused, while values in use are kept', async () => {
    const shared = new WeakCache<object>();
    const owner = {};
    const kept = shared.getOrMake(owner, 'kept', () => ({}));
    const refs = Array.from(
      { length: 1_000 },
      (_, at) => new WeakRef(shared.getOrMake(owner, `${at}`, () => ({ large: 'x'.repeat(at) }))),
    );
    await settle();
    collect();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
    expect(shared.getOrMake(owner, 'kept', () => ({}))).toBe(kept);
  });
});
