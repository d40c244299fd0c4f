import assert from 'node:assert/strict';
import { GroupedToolBuilder } from 'toolfold';
import { measure, medianDifference, repeat } from '../measure.mjs';
import { difference, figure, target } from '../report.mjs';
import {
  actionName,
  createDefinition,
  createPlainArguments,
  createPlainSchema,
  handler,
} from '../subjects.mjs';

/** @typedef {(call: any) => Promise<string>} Handler */
/** @typedef {import('toolfold').Middleware} Middleware */

const LEVELS = 10;

/**
 * What ten middlewares add to a call, against what ten async functions add that an author nests around the
 * handler: the same pipeline around both, and the pipeline with neither subtracted from both.
 */
export async function run({ quick = false } = {}) {
  const args = { action: actionName(0), ...createPlainArguments() };
  const effort = { rounds: quick ? 15 : 61, sampleMs: 25, warmupMs: quick ? 500 : 1_500 };
  const builders = {
    none: build(handler),
    nested: build(nestAround(handler, (inner) => async (call) => inner(call))),
    passing: build(handler, () => (_call, next) => next()),
  };
  const asyncBuilders = {
    none: builders.none,
    nested: build(nestAround(handler, (inner) => async (call) => inner(call))),
    composed: build(nestAround(handler, (inner) => handNext(async (_call, next) => next(), inner))),
    passing: build(handler, () => async (_call, next) => next()),
  };
  for (const builder of [...Object.values(builders), ...Object.values(asyncBuilders)]) {
    assert.deepEqual(await builder.execute(args), await builders.none.execute(args));
  }
  const contenders = (/** @type {Record<string, GroupedToolBuilder>} */ all) =>
    Object.fromEntries(
      Object.entries(all).map(([name, builder]) => [name, { run: repeat(() => builder.execute(args)) }]),
    );

  const samples = /** @type {Record<keyof typeof builders, number[]>} */ (
    await measure(contenders(builders), effort)
  );
  const asyncSamples = /** @type {Record<keyof typeof asyncBuilders, number[]>} */ (
    await measure(contenders(asyncBuilders), effort)
  );
  const ten = medianDifference(samples.passing, samples.none);
  const functions = medianDifference(samples.nested, samples.none);
  const asyncTen = medianDifference(asyncSamples.passing, asyncSamples.none);
  return [
    target('ten middlewares / ten nested async functions', ten / functions, '<=', 1.1),
    {
      kind: 'figure',
      title: 'ten middlewares that are async themselves / the same',
      value: asyncTen / medianDifference(asyncSamples.nested, asyncSamples.none),
      unit: '×',
    },
    {
      kind: 'figure',
      title: 'ten middlewares that are async themselves / composed by hand',
      value: asyncTen / medianDifference(asyncSamples.composed, asyncSamples.none),
      unit: '×',
    },
    figure('builder.execute, no middleware', samples.none),
    difference('ten nested async functions add', samples.nested, samples.none),
    difference('ten middlewares add', samples.passing, samples.none),
    difference('ten middlewares that are async themselves add', asyncSamples.passing, asyncSamples.none),
  ];
}

/**
 * @param {Handler} itsHandler
 * @param {() => Middleware} [createMiddleware]
 */
function build(itsHandler, createMiddleware) {
  const builder = new GroupedToolBuilder('platform');
  builder.action({ ...createDefinition(0, createPlainSchema()), handler: itsHandler });
  for (let level = 0; createMiddleware && level < LEVELS; level++) builder.use(createMiddleware());
  return builder;
}

/**
 * @param {Handler} inner
 * @param {(inner: Handler) => Handler} wrap
 */
function nestAround(inner, wrap) {
  let nested = inner;
  for (let level = 0; level < LEVELS; level++) nested = wrap(nested);
  return nested;
}

/**
 * The least that calls a middleware: it gets a `next`, and nothing is checked.
 *
 * @param {(call: unknown, next: () => Promise<string>) => Promise<string>} middleware
 * @param {Handler} inner
 * @returns {Handler}
 */
function handNext(middleware, inner) {
  return (call) => middleware(call, () => inner(call));
}
