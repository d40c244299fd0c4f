import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../define/tool-definition.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ExecuteRequest } from './request.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

async function contextsOf(...signals: readonly (() => AbortSignal)[]): Promise<ToolContext[]> {
  const contexts: ToolContext[] = [];
  const registry = new ToolRegistry().register({
    name: 'keep',
    description: 'Keeps its context',
    inputSchema: {},
    handler: ({ context }) => void contexts.push(context),
  });
  for (const lazySignal of signals)
    await registry.executeTool({ name: 'keep', lazySignal } as ExecuteRequest);
  return contexts;
}

describe('the signal of a call that is created on first use', () => {
  it('belongs to its own call, also in a copy of the context', async () => {
    const controllers = [new AbortController(), new AbortController()];
    const [first, second] = await contextsOf(
      ...controllers.map(
        ({ signal }) =>
          () =>
            signal,
      ),
    );
    const copy = { ...first };
    controllers[0]?.abort();
    expect([first?.signal.aborted, copy.signal?.aborted, second?.signal.aborted]).toEqual([
      true,
      true,
      false,
    ]);
    expect(Object.keys(first ?? {})).toContain('signal');
  });

  it('can be replaced by a handler or a middleware', async () => {
    const [context] = await contextsOf(() => new AbortController().signal);
    const { signal } = new AbortController();
    (context as { signal: AbortSignal }).signal = signal;
    expect(context?.signal).toBe(signal);
  });

  it('keeps nothing of a call that has ended, not even until the next full garbage collection', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'greet',
      description: 'Greets',
      inputSchema: {},
      handler: () => 'Hello',
    });
    const CALLS = 2_000;
    const NUMBERS = 1_000;
    const callOnce = async (): Promise<void> => {
      const numbers = Array.from({ length: NUMBERS }, (_, index) => index);
      const lazySignal = (): AbortSignal => AbortSignal.timeout(numbers.length);
      await registry.executeTool({ name: 'greet', lazySignal } as ExecuteRequest);
    };
    const measureKept = async (): Promise<number> => {
      // Objects that are created during a full collection survive it, so it must be over.
      gc();
      const before = process.memoryUsage().heapUsed;
      for (let call = 0; call < CALLS; call++) await callOnce();
      for (let round = 0; round < 3; round++) gc({ type: 'minor' });
      return process.memoryUsage().heapUsed - before;
    };
    const kept = [await measureKept(), await measureKept(), await measureKept()];
    // The numbers of a call take at least four bytes each.
    expect(Math.min(...kept)).toBeLessThan((CALLS * NUMBERS * 4) / 2);
  });
});
