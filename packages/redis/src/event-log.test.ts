import { expect, it, vi } from 'vitest';
import { describeWithRedis } from '../../../test/stores/with-redis.js';

await describeWithRedis('the log of streams in Redis', ({ client, createPrefix, createNode, advance }) => {
  it('keeps a limited number of bytes of a stream, and the last event of any size', async () => {
    const prefix = createPrefix();
    const { events } = createNode({ prefix });
    events.begin('s', 'null', 60_000);
    for (let number = 1; number <= 40; number++)
      events.append('s', number, JSON.stringify('x'.repeat(60_000)));
    await vi.waitFor(async () => expect((await events.read('s', 39))?.events).toHaveLength(1));
    const [key = ''] = await client.keys(`${prefix}:events:*`);
    // One MiB of sealed text, which is a third longer than the plain text.
    expect(await client.xlen(key)).toBe(13);
    expect(await events.read('s', 10)).toBeUndefined();
    events.append('s', 41, JSON.stringify('x'.repeat(2_000_000)));
    await vi.waitFor(async () => expect((await events.read('s', 40))?.events).toHaveLength(1));
    expect(await client.xlen(key)).toBe(1);
  });

  it('keeps a stream for a limited time after its last event', async () => {
    const prefix = createPrefix();
    const { events } = createNode({ prefix });
    events.begin('s', 'null', 60_000);
    events.append('s', 1, '1');
    await vi.waitFor(async () => expect((await events.read('s', 0))?.events).toHaveLength(1));
    await advance(prefix, 4 * 60_000);
    events.append('s', 2, '2');
    await vi.waitFor(async () => expect((await events.read('s', 1))?.events).toHaveLength(1));
    await advance(prefix, 4 * 60_000);
    expect((await events.read('s', 0))?.events).toHaveLength(2);
    await advance(prefix, 2 * 60_000);
    expect(await client.keys(`${prefix}:*`)).toEqual([]);
  });
});
