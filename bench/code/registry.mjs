import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from '../../packages/toolfold/dist/index.js';
import { Exposure } from '../../packages/toolfold/dist/web.js';

/**
 * A registry with a tool that answers at once, one that takes 5 ms, and one that takes as long as `pause`.
 *
 * @param {() => Promise<unknown>} [pause]
 */
export function createRegistry(pause = async () => sleep(500)) {
  const registry = new ToolRegistry({ name: 'bench', version: '1.0.0', rateLimiter: false });
  const hints = { readOnly: true, destructive: false };
  registry.register(
    {
      name: 'echo',
      description: 'Returns its input.',
      ...hints,
      inputSchema: z.object({ n: z.number().optional(), text: z.string().optional() }),
      handler: ({ input }) => ({ n: input.n ?? 0, length: input.text?.length ?? 0 }),
    },
    {
      name: 'wait',
      description: 'Answers after 5 ms.',
      ...hints,
      inputSchema: z.object({}),
      handler: async () => {
        await sleep(5);
        return { isDone: true };
      },
    },
    {
      name: 'pause',
      description: 'Answers later.',
      ...hints,
      inputSchema: z.object({}),
      handler: async () => {
        await pause();
        return { isDone: true };
      },
    },
  );
  return registry;
}

/**
 * Runs code for a caller, without a transport. Throws if it fails.
 *
 * @param {() => Promise<unknown>} [pause]
 * @param {Partial<import('../../packages/code/dist/index.js').CodeLimits>} [limits]
 */
export async function createRunner(pause, limits = {}) {
  const registry = createRegistry(pause);
  const exposure = new Exposure(registry, { view: { form: 'code', code: { limits } } });
  /** @param {string} code @param {string} [clientId] */
  const run = async (code, clientId = 'bench') => {
    const caller = { auth: { clientId, scopes: [], extra: { sub: clientId } } };
    const { signal } = new AbortController();
    const result = await registry.executeTool(
      { name: 'run_code', arguments: { code }, caller, signal },
      await exposure.viewFor({ caller }),
    );
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    return result;
  };
  return { registry, exposure, run };
}

/** @param {readonly number[]} samples */
export const median = (samples) => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;

/**
 * The median milliseconds of some runs.
 *
 * @param {number} rounds
 * @param {() => Promise<unknown>} work
 */
export async function time(rounds, work) {
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    await work();
    samples.push(performance.now() - begin);
  }
  return median(samples);
}
