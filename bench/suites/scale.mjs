import assert from 'node:assert/strict';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, ratio, target } from '../report.mjs';
import { actionName, createArguments, createDefinition, createSchemas } from '../subjects.mjs';

const MANY = 10_000;
const SPREAD = 100;

/** The same call in a tool with one action and in one with ten thousand. */
export async function run({ quick = false } = {}) {
  const [one, many] = [serve(1), serve(MANY)];
  const last = MANY - 10;
  // The same shape of arguments in both: only the number of actions differs.
  assert.deepEqual(Object.keys(argumentsOf(0)), Object.keys(argumentsOf(last)));
  assert.deepEqual(await one.call(0), await many.call(last));

  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  const samples = await measure(
    {
      one: { run: repeat(() => one.call(0)) },
      many: { run: repeat(() => many.call(last)) },
      oneBuilder: { run: repeat(() => one.builder.execute(one.args(0))) },
      manyBuilder: { run: repeat(() => many.builder.execute(many.args(last))) },
    },
    effort,
  );
  const few = serve(SPREAD);
  const spread = await measure(
    {
      few: { run: repeat((at) => few.call(at % SPREAD)) },
      many: { run: repeat((at) => many.call((at % SPREAD) * (MANY / SPREAD))) },
    },
    effort,
  );
  return [
    target('registry.executeTool, 10,000 actions / 1', medianRatio(samples.many, samples.one), '<=', 1.3),
    target(
      'builder.execute, 10,000 actions / 1',
      medianRatio(samples.manyBuilder, samples.oneBuilder),
      '<=',
      1.3,
    ),
    ratio(`${SPREAD} actions in turn, of 10,000 / of ${SPREAD}`, spread.many, spread.few),
    figure('registry.executeTool, 1 action', samples.one),
    figure('registry.executeTool, 10,000 actions', samples.many),
  ];
}

/** @param {number} count */
function serve(count) {
  const builder = new GroupedToolBuilder('platform').description('Repositories');
  for (const [index, schema] of createSchemas(count).entries())
    builder.action(createDefinition(index, schema));
  const registry = new ToolRegistry({ rateLimiter: false }).register(builder);
  /** @type {Map<number, Record<string, unknown>>} */
  const prepared = new Map();
  /** @param {number} index */
  const args = (index) => {
    let made = prepared.get(index);
    if (!made) prepared.set(index, (made = argumentsOf(index)));
    return made;
  };
  /** @param {number} index */
  const call = (index) => registry.executeTool({ name: 'platform', arguments: args(index) });
  return { builder, args, call };
}

/** @param {number} index */
function argumentsOf(index) {
  return { action: actionName(index), ...createArguments(index) };
}
