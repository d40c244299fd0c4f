import assert from 'node:assert/strict';
import { GroupedToolBuilder } from 'toolfold';
import { z } from 'zod';
import { measure, medianRatio } from '../measure.mjs';
import { figure, target } from '../report.mjs';
import { createDefinition, createSchemas, createUnlikeSchemas } from '../subjects.mjs';

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
