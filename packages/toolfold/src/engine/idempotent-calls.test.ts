import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { textOf, toolWith } from '../../../../test/calls.js';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolRegistry } from '../registry/tool-registry.js';

describe('an idempotent call', () => {
  it('is not run again after another caller has filled the store with 200 large results', async () => {
    let paid = 0;
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      toolWith(() => `paid ${++paid} ${'x'.repeat(200_000)}`, { idempotency: true }),
    );
    const pay = (accessToken: string, idempotencyKey: string) =>
      registry
        .executeTool({ name: 't', accessToken, idempotencyKey })
        .then((result) => textOf(result).slice(0, 6));
    expect(await pay('victim-token', 'k1')).toBe('paid 1');
    // 200 results of 400 KB exceed the 64 MiB of the default store.
    for (let call = 0; call < 200; call++) await pay('eve-token', `e${call}`);
    expect(await pay('victim-token', 'k1')).not.toMatch(/^paid [2-9]/);
  }, 60_000);

  it('is recognised with other default arguments and in the flat form', async () => {
    let day = 0;
    let runs = 0;
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('shop').action({
        name: 'pay',
        inputSchema: z.object({ amount: z.number(), day: z.number() }),
        idempotency: true,
        defaultArgumentResolver: () => ({ day: ++day }),
        handler: () => `run ${++runs}`,
      }),
    );
    const key = { idempotencyKey: 'k' };
    const grouped = { name: 'shop', arguments: { action: 'pay', amount: 1 }, ...key };
    expect(textOf(await registry.executeTool(grouped))).toBe('run 1');
    expect(textOf(await registry.executeTool(grouped))).toBe('run 1');
    const flat = registry.view({ form: 'flat' });
    expect(
      textOf(await registry.executeTool({ name: 'shop_pay', arguments: { amount: 1 }, ...key }, flat)),
    ).toBe('run 1');
  });

  it('returns an error result if JSON cannot represent its value', async () => {
    const registry = new ToolRegistry().register(
      toolWith(() => ({ users: new Map() }), { idempotency: true }),
    );
    expect((await registry.executeTool({ name: 't', idempotencyKey: 'k' })).isError).toBe(true);
  });

  it('counts against the concurrency limit until its handler has ended, even after its timeout', async () => {
    let running = 0;
    let most = 0;
    const registry = new ToolRegistry({ concurrency: { max: 1, queue: 50 } }).register(
      toolWith(
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 30));
          running--;
          return 'x';
        },
        { idempotency: true, timeoutMs: 5 },
      ),
    );
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        registry.executeTool({ name: 't', idempotencyKey: `k${index}` }),
      ),
    );
    await vi.waitFor(() => expect(running).toBe(0), { timeout: 5_000 });
    expect(most).toBe(1);
  });
});
