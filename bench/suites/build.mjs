import assert from 'node:assert/strict';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { z } from 'zod';
import { measure, medianRatio } from '../measure.mjs';
import { figure, ratio, speedTarget, target } from '../report.mjs';
import { createDefinition, createSchemas, createUnlikeSchemas } from '../subjects.mjs';
import { createTools } from '../http/catalogs/ordinary.mjs';

/** @typedef {ReturnType<typeof createSchemas>} Schemas */

/** Reading, checking and compiling actions, against the conversion of their schemas alone. */
export async function run({ quick = false } = {}) {
  assert.equal(buildAll(createSchemas(20)).inputSchema['type'], 'object');

  const thousand = await measure(
    { zod: samplesOf(4, 1_000, convertAll), build: samplesOf(4, 1_000, buildAll) },
    { rounds: quick ? 5 : 21, warmupMs: quick ? 500 : 2_000 },
  );
  const growth = await measure(
    {
      zod: samplesOf(4, 1_000, convertAll),
      zodMany: samplesOf(1, 10_000, convertAll),
      build: samplesOf(4, 1_000, buildAll),
      buildMany: samplesOf(1, 10_000, buildAll),
    },
    { rounds: quick ? 3 : 7, warmupMs: 0 },
  );
  const unlike = await measure(
    {
      few: samplesOf(4, 500, buildAll, createUnlikeSchemas),
      many: samplesOf(1, 2_000, buildAll, createUnlikeSchemas),
    },
    { rounds: quick ? 3 : 7, warmupMs: 0 },
  );
  return [
    ...(await compareListing(quick)),
    ...(await compareRegistering(quick)),
    target('build of 1,000 actions / toJSONSchema', medianRatio(thousand.build, thousand.zod), '<=', 1.6),
    target('build, per action of 10,000 / of 1,000', medianRatio(growth.buildMany, growth.build), '<=', 1.3),
    target(
      'build, no field like another, of 2,000 / of 500',
      medianRatio(unlike.many, unlike.few),
      '<=',
      1.3,
    ),
    figure('toJSONSchema, per schema of 1,000', thousand.zod),
    figure('build, per action of 1,000', thousand.build),
    figure('toJSONSchema, per schema of 10,000', growth.zodMany),
    figure('build, per action of 10,000', growth.buildMany),
    figure('build, no field like another, per action of 2,000', unlike.many),
  ];
}

/**
 * One `register()` for each tool, as modules of a server do it, and one for all tools.
 *
 * @param {boolean} quick
 */
async function compareRegistering(quick) {
  const samples = await measure(
    {
      zod: samplesOf(1, 4_000, convertAll),
      loop: samplesOf(1, 4_000, registerEach),
      once: samplesOf(1, 4_000, registerAll),
      few: samplesOf(4, 1_000, registerEach),
      many: samplesOf(1, 10_000, registerEach),
    },
    { rounds: quick ? 3 : 7, warmupMs: 0 },
  );
  return [
    speedTarget('register', medianRatio(samples.loop, samples.zod)),
    speedTarget('registerGrowth', medianRatio(samples.many, samples.few)),
    ratio('register() with 4,000 tools at once / toJSONSchema of Zod', samples.once, samples.zod),
    figure('toJSONSchema, per schema of 4,000', samples.zod),
    figure('register() in a loop, per tool of 1,000', samples.few),
    figure('register() in a loop, per tool of 4,000', samples.loop),
    figure('register() in a loop, per tool of 10,000', samples.many),
  ];
}

/**
 * Each run uses fresh schemas. A sample starts with an empty nursery (a full collection would also discard compiled
 * code) and contains several runs, so that the larger collections, about every second run, affect all samples alike.
 *
 * @param {number} times
 * @param {number} count
 * @param {(schemas: Schemas) => unknown} work
 * @param {(count: number) => Schemas} createSet
 * @returns {import('../measure.mjs').Contender}
 */
function samplesOf(times, count, work, createSet = createSchemas) {
  return {
    times: times * count,
    clean: true,
    prepare: () => Array.from({ length: times }, () => createSet(count)),
    run: (_times, /** @type {Schemas[]} */ sets) => {
      for (const schemas of sets) work(schemas);
    },
  };
}

/**
 * Registration and the first list of ordinary tools, against the conversion of their schemas alone.
 *
 * @param {boolean} quick
 */
async function compareListing(quick) {
  const ordinary = (/** @type {number} */ count) =>
    createTools(count).map(({ schema }) => /** @type {z.ZodObject} */ (schema));
  const samples = await measure(
    {
      zod: samplesOf(1, 1_000, convertAll, ordinary),
      listed: samplesOf(1, 1_000, (schemas) => registerAll(schemas).listTools(), ordinary),
    },
    { rounds: quick ? 5 : 15, warmupMs: 0 },
  );
  return [
    speedTarget('registerList', medianRatio(samples.listed, samples.zod)),
    figure('toJSONSchema, per ordinary schema of 1,000', samples.zod),
    figure('register() and first list, per ordinary tool of 1,000', samples.listed),
  ];
}

/** @param {Schemas} schemas */
function convertAll(schemas) {
  return schemas.map((schema) => z.toJSONSchema(schema, { io: 'input' }));
}

/** @param {Schemas} schemas */
function buildAll(schemas) {
  const builder = new GroupedToolBuilder('platform').description('Repositories');
  for (const [index, schema] of schemas.entries()) builder.action(createDefinition(index, schema));
  return builder.buildToolDefinition();
}

/** @param {Schemas} schemas */
function registerEach(schemas) {
  const registry = new ToolRegistry();
  for (const [index, schema] of schemas.entries()) registry.register(createDefinition(index, schema));
  return registry;
}

/** @param {Schemas} schemas */
function registerAll(schemas) {
  return new ToolRegistry().register(...schemas.map((schema, index) => createDefinition(index, schema)));
}
