import assert from 'node:assert/strict';
import { GroupedToolBuilder } from 'toolfold';
import { z } from 'zod';
import { measure, medianRatio } from '../measure.mjs';
import { figure, target } from '../report.mjs';
import { createDefinition, createSchemas } from '../subjects.mjs';

/** @typedef {ReturnType<typeof createSchemas>} Schemas */

/** Reading, checking and compiling actions, against the conversion of their schemas alone. */
export async function run({ quick = false } = {}) {
  assert.equal(buildAll(createSchemas(20)).inputSchema['type'], 'object');

  const thousand = await measure(
    { zod: of(1_000, convertAll), build: of(1_000, buildAll) },
    { rounds: quick ? 7 : 25, warmupMs: quick ? 500 : 1_500 },
  );
  const growth = await measure(
    {
      zod: of(1_000, convertAll),
      zodMany: of(10_000, convertAll),
      build: of(1_000, buildAll),
      buildMany: of(10_000, buildAll),
    },
    { rounds: quick ? 3 : 7, warmupMs: 0 },
  );
  return [
    target(
      'build of 1,000 actions / toJSONSchema of them',
      medianRatio(thousand.build, thousand.zod),
      '<=',
      1.6,
    ),
    target('build, per action at 10,000 / at 1,000', medianRatio(growth.buildMany, growth.build), '<=', 1.3),
    figure('toJSONSchema, per schema of 1,000', thousand.zod),
    figure('build, per action of 1,000', thousand.build),
    figure('toJSONSchema, per schema of 10,000', growth.zodMany),
    figure('build, per action of 10,000', growth.buildMany),
  ];
}

/**
 * Every sample gets schemas that nobody has used, and starts with an empty nursery. A full collection before
 * each would throw away compiled code as well.
 *
 * @param {number} count
 * @param {(schemas: Schemas) => unknown} work
 * @returns {import('../measure.mjs').Contender}
 */
function of(count, work) {
  return { times: count, clean: true, prepare: createSchemas, run: (_times, schemas) => void work(schemas) };
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
