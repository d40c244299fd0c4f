import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRET, describeWithRedis } from '../../../test/stores/with-redis.js';
import { ErrInvalidOptions } from 'toolfold/errors';
import { RedisSeal } from './seal.js';

const seal = new RedisSeal(SECRET);

describe('a seal', () => {
  it('is opened only with the same secret and for the same place', () => {
    const other = new RedisSeal(`${SECRET}.`);
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), fc.string(), (place, text, elsewhere) => {
        const sealed = seal.seal(place, text);
        expect(sealed).toMatch(/^[\w-]+$/);
        expect(new RedisSeal(SECRET).open(place, sealed)).toBe(text);
        expect(new RedisSeal(SECRET).seal(place, text)).toBe(sealed);
        expect(other.open(place, sealed)).toBeUndefined();
        if (elsewhere !== place) expect(seal.open(elsewhere, sealed)).toBeUndefined();
      }),
    );
  });

  it('is broken by any change', () => {
    const sealed = seal.seal('place', 'a text');
    for (let at = 0; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      expect(seal.open('place', changed)).toBeUndefined();
      expect(seal.open('place', sealed.slice(0, at))).toBeUndefined();
    }
  });

  it('needs a secret of at least 32 bytes', () => {
    expect(() => new RedisSeal('x'.repeat(31))).toThrow(ErrInvalidOptions);
    expect(() => new RedisSeal(undefined as unknown as string)).toThrow(ErrInvalidOptions);
    expect(new RedisSeal(new Uint8Array(32)).name('a')).not.toBe(seal.name('a'));
  });
});

await describeWithRedis('sealed values in Redis', ({ client, createPrefix, createNode }) => {
  it('are rejected in another place, and with another secret', async () => {
    const prefix = createPrefix();
    const node = createNode({ prefix });
    await node.records.set('a', 'one', 60_000);
    const [first = ''] = await client.keys(`${prefix}:records:*`);
    await node.records.set('b', 'two', 60_000);
    const second = (await client.keys(`${prefix}:records:*`)).find((key) => key !== first) ?? '';
    await client.set(second, (await client.get(first)) ?? '');
    expect(await node.records.get('b')).toBe('');
    expect(await node.records.setIfAbsent('b', 'three', 60_000)).toBe('');
    expect(node.counts.get('invalid records')).toBe(2);
    expect(await createNode({ prefix, secret: 'x'.repeat(32) }).records.get('a')).toBeUndefined();
  });
});
