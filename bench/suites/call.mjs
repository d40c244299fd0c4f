import assert from 'node:assert/strict';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, ratio, speedTarget } from '../report.mjs';
import {
  actionName,
  createArguments,
  createDefinition,
  createPlainArguments,
  createPlainSchema,
  createSchema,
  handler,
} from '../subjects.mjs';

/** A validated call through the pipeline against the same work by hand. */
export async function run({ quick = false } = {}) {
  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  return [
    ...(await compare('Plain', createPlainSchema, createPlainArguments(), effort)),
    ...(await compare('Checked', () => createSchema(0), createArguments(0), effort)),
  ];
}

/**
 * @param {'Plain' | 'Checked'} kind of fields
 * @param {() => import('zod').ZodObject} createFresh
 * @param {object} args
 * @param {import('../measure.mjs').Effort} effort
 */
async function compare(kind, createFresh, args, effort) {
  const schema = createFresh();
  const builder = new GroupedToolBuilder('platform').action(createDefinition(0, createFresh()));
  const registry = new ToolRegistry({ rateLimiter: false }).register(builder);
  const withAction = { action: actionName(0), ...args };
  const { signal } = new AbortController();
  const calls = {
    bare: async () => {
      const parsed = schema.safeParse(args);
      if (!parsed.success) throw parsed.error;
      const text = await handler({ input: parsed.data });
      return { content: [{ type: 'text', text }] };
    },
    registry: () => registry.executeTool({ name: 'platform', arguments: withAction }),
    builder: () => builder.execute(withAction),
    signal: () => registry.executeTool({ name: 'platform', arguments: withAction, signal }),
  };
  for (const call of Object.values(calls)) assert.deepEqual(await call(), await calls.bare());

  const samples = await measure(
    {
      bare: { run: repeat(calls.bare) },
      registry: { run: repeat(calls.registry) },
      builder: { run: repeat(calls.builder) },
    },
    effort,
  );
  // Measured separately, because the garbage from listening to a signal would be counted against the others.
  const signalled = await measure(
    { bare: { run: repeat(calls.bare) }, signal: { run: repeat(calls.signal) } },
    effort,
  );
  const hand = `safeParse + handler, six ${kind.toLowerCase()} fields`;
  return [
    speedTarget(`executeTool${kind}`, medianRatio(samples.registry, samples.bare)),
    speedTarget(`builderExecute${kind}`, medianRatio(samples.builder, samples.bare)),
    ratio('the same with a signal, as the SDK passes one', signalled.signal, signalled.bare),
    figure(hand, samples.bare),
    figure('registry.executeTool', samples.registry),
    figure('builder.execute', samples.builder),
    figure('registry.executeTool with a signal', signalled.signal),
  ];
}
