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
/** @typedef {(call: unknown, next: () => Promise<string>) => Promise<string>} HandMiddleware */

const LEVELS = 10;

/**
 * The cost of ten middlewares, compared with ten async functions that an author nests around the handler. All run in
 * the same pipeline, whose own cost is subtracted. Async middlewares are compared with equivalent async functions.
 */
export async function run({ quick = false } = {}) {
  const args = { action: actionName(0), ...createPlainArguments() };
  // Each contender has its own function literals, because the JIT would compile a shared function for all of them.
  const builders = {
    none: build(handler),
    returned: build(nest((inner) => async (call) => inner(call))),
    awaited: build(
      nest((inner) => async (call) => {
        const result = await inner(call);
        return result;
      }),
    ),
    handing: build(handler, () => (_call, next) => next()),
    returning: build(handler, () => async (_call, next) => next()),
    awaiting: build(handler, () => async (_call, next) => {
      const result = await next();
      return result;
    }),
    bareReturning: build(nest((inner) => callBare(async (_call, next) => next(), inner))),
    bareAwaiting: build(
      nest((inner) =>
        callBare(async (_call, next) => {
          const result = await next();
          return result;
        }, inner),
      ),
    ),
    safeReturning: build(nest((inner) => callSafely(async (_call, next) => next(), inner))),
    safeAwaiting: build(
      nest((inner) =>
        callSafely(async (_call, next) => {
          const result = await next();
          return result;
        }, inner),
      ),
    ),
  };
  for (const builder of Object.values(builders)) {
    assert.deepEqual(await builder.execute(args), await builders.none.execute(args));
  }
  const samples = /** @type {Record<keyof typeof builders, number[]>} */ (
    await measure(
      Object.fromEntries(
        Object.entries(builders).map(([name, builder]) => [
          name,
          { run: repeat(() => builder.execute(args)) },
        ]),
      ),
      { rounds: quick ? 41 : 201, sampleMs: 5, warmupMs: quick ? 300 : 1_000 },
    )
  );
  /** @param {keyof typeof builders} name */
  const added = (name) => medianDifference(samples[name], samples.none);
  /**
   * @param {string} title
   * @param {keyof typeof builders} left
   * @param {keyof typeof builders} right
   * @returns {import('../report.mjs').Figure}
   */
  const ratio = (title, left, right) => ({
    kind: 'figure',
    title,
    value: added(left) / added(right),
    unit: '×',
  });
  return [
    target('ten middlewares / ten nested async functions', added('handing') / added('returned'), '<=', 1),
    // No target, because even an unchecked composition by hand costs more than nested functions.
    ratio('ten async middlewares, return next() / nested, return inner()', 'returning', 'returned'),
    ratio('ten async middlewares, await next() / nested, await inner()', 'awaiting', 'awaited'),
    ratio('by hand, nothing checked, return next() / the same nested', 'bareReturning', 'returned'),
    ratio('by hand, nothing checked, await next() / the same nested', 'bareAwaiting', 'awaited'),
    ratio('by hand, may be forgotten, return next() / the same nested', 'safeReturning', 'returned'),
    ratio('by hand, may be forgotten, await next() / the same nested', 'safeAwaiting', 'awaited'),
    figure('builder.execute, no middleware', samples.none),
    difference('ten nested async functions add, return', samples.returned, samples.none),
    difference('ten nested async functions add, await', samples.awaited, samples.none),
    difference('ten middlewares add', samples.handing, samples.none),
    difference('ten async middlewares add, return next()', samples.returning, samples.none),
    difference('ten async middlewares add, await next()', samples.awaiting, samples.none),
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

/** @param {(inner: Handler) => Handler} wrap */
function nest(wrap) {
  let nested = /** @type {Handler} */ (handler);
  for (let level = 0; level < LEVELS; level++) nested = wrap(nested);
  return nested;
}

/**
 * The minimal composition: a middleware gets a `next`, and nothing is checked.
 *
 * @param {HandMiddleware} middleware
 * @param {Handler} inner
 * @returns {Handler}
 */
function callBare(middleware, inner) {
  return (call) => middleware(call, () => inner(call));
}

/**
 * The minimal composition in which a middleware may ignore the promise of `next` without crashing the process when it
 * rejects.
 *
 * @param {HandMiddleware} middleware
 * @param {Handler} inner
 * @returns {Handler}
 */
function callSafely(middleware, inner) {
  return (call) =>
    middleware(call, () => {
      const given = inner(call);
      given.then(nothing, nothing);
      return given;
    });
}

function nothing() {}
