import assert from 'node:assert/strict';
import { devNull } from 'node:os';
import { BasicTracerProvider, NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';
import pino from 'pino';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { observeWithOpenTelemetry } from 'toolfold/otel';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, ratio, target } from '../report.mjs';
import { actionName, createDefinition, createPlainArguments, createPlainSchema } from '../subjects.mjs';

/** @typedef {import('toolfold').ToolRegistryOptions<unknown>} Options */
/** @typedef {(key?: string) => Promise<import('toolfold').CallToolResult>} Call */

const scopes = ['repo:read', 'repo:write'];
/** Callers that take turns, so that nothing is reused from the previous call. Their number is a power of two. */
const callers = Array.from({ length: 64 }, (_, index) => ({
  auth: {
    token: `b7f0c1d29e5a43${index + 10}`,
    clientId: 'bench-client',
    scopes: ['profile', ...scopes],
    extra: { sub: `user-13${index + 10}` },
  },
}));
const strangers = callers.map(({ auth }) => ({ auth: { ...auth, scopes: ['profile'] } }));
const args = { action: actionName(0), ...createPlainArguments() };
/** More than any run uses, so that every call is counted and none is rejected. */
const limit = { calls: 1e12, windowMs: 60_000 };

/** Measures guards and observers, each against the same call without them. */
export async function run({ quick = false } = {}) {
  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  await assertGuarded();
  // Measured separately, because the JIT optimises each kind of call less when a round contains many kinds.
  return [
    ...(await compareGuarded(effort)),
    ...(await compareUnobserved(effort)),
    ...(await compareParts(effort)),
    ...(await compareKept(effort)),
    ...(await compareTraced(effort)),
  ];
}

/** @param {import('../measure.mjs').Effort} effort */
async function compareGuarded(effort) {
  const calls = {
    bare: serve(),
    guarded: serve({ rateLimiter: limit, logger: createLogger() }, { scopes }),
  };
  const samples = await measureCalls(calls, effort);
  return [
    target('scopes, rate limit and request log / bare', medianRatio(samples.guarded, samples.bare), '<=', 4),
    figure('bare: registry.executeTool, six plain fields', samples.bare),
    figure('scopes, rate limit and request log', samples.guarded),
  ];
}

/**
 * Both run the same code: without an observer, only a check for observers remains. The measured difference is noise,
 * and the target limits it.
 *
 * @param {import('../measure.mjs').Effort} effort
 */
async function compareUnobserved(effort) {
  const calls = { bare: serve(), absent: serve(/** @type {object} */ ({ observe: undefined })) };
  const samples = await measureCalls(calls, { ...effort, rounds: 2 * effort.rounds });
  return [target('observe: undefined / bare', medianRatio(samples.absent, samples.bare), '<=', 1.05)];
}

/** @param {import('../measure.mjs').Effort} effort */
async function compareParts(effort) {
  const calls = {
    bare: serve(),
    scopes: serve({}, { scopes }),
    limit: serve({ rateLimiter: limit }),
    log: serve({ logger: createLogger() }),
    pino: serve({ logger: pino(pino.destination({ dest: devNull, sync: true })) }),
    budget: serve({ outputBudget: { bytes: 100_000 } }),
  };
  const samples = await measureCalls(calls, effort);
  return [
    ratio('scopes only / bare', samples.scopes, samples.bare),
    ratio('rate limit only / bare', samples.limit, samples.bare),
    ratio('request log only, kept in a variable / bare', samples.log, samples.bare),
    ratio('request log only, by pino to /dev/null / bare', samples.pino, samples.bare),
    ratio('output budget that is not exceeded / bare', samples.budget, samples.bare),
  ];
}

/** @param {import('../measure.mjs').Effort} effort */
async function compareKept(effort) {
  let count = 0;
  const idempotent = serve({}, { idempotency: true });
  const cached = serve({}, { cached: { ttlMs: 3_600_000 } });
  const calls = {
    bare: serve(),
    fresh: () => idempotent(`call-${count++}`),
    repeated: () => idempotent('the same call'),
    cached: () => cached(),
  };
  const samples = await measureCalls(calls, effort);
  return [
    ratio('idempotency, a fresh key / bare', samples.fresh, samples.bare),
    ratio('idempotency, a repeated key / bare', samples.repeated, samples.bare),
    ratio('a cached action, hit / bare', samples.cached, samples.bare),
    figure('idempotency, a fresh key', samples.fresh),
    figure('idempotency, a repeated key', samples.repeated),
    figure('a cached action, hit', samples.cached),
  ];
}

/** @param {import('../measure.mjs').Effort} effort */
async function compareTraced(effort) {
  const provider = new BasicTracerProvider({ spanProcessors: [new NoopSpanProcessor()] });
  const calls = {
    bare: serve(),
    passing: serve({ observe: (_call, proceed) => proceed() }),
    api: serve({ observe: observeWithOpenTelemetry() }),
    sdk: serve({ observe: observeWithOpenTelemetry({ tracer: provider.getTracer('bench') }) }),
  };
  const samples = await measureCalls(calls, effort);
  return [
    ratio('observe that does nothing / bare', samples.passing, samples.bare),
    ratio('OpenTelemetry, its API without an SDK / bare', samples.api, samples.bare),
    ratio('OpenTelemetry, spans of the SDK, not exported / bare', samples.sdk, samples.bare),
    figure('OpenTelemetry, its API without an SDK', samples.api),
    figure('OpenTelemetry, spans of the SDK, not exported', samples.sdk),
  ];
}

/**
 * Creates a registry with one action, and returns a function that calls it. All registries get the same callers and
 * arguments.
 *
 * @param {Options} options
 * @param {Partial<import('toolfold').ToolDefinition<import('zod').ZodObject>>} more
 * @returns {Call}
 */
function serve(options = {}, more = {}, from = callers) {
  const definition = { ...createDefinition(0, createPlainSchema()), ...more };
  const builder = new GroupedToolBuilder('platform').action(definition);
  const registry = new ToolRegistry({ rateLimiter: false, ...options }).register(builder);
  let turn = 0;
  return (idempotencyKey) => {
    const caller = from[turn++ & (from.length - 1)];
    return registry.executeTool({ name: 'platform', arguments: args, caller, idempotencyKey });
  };
}

/**
 * @template {string} Name
 * @param {Record<Name, Call>} calls
 * @param {import('../measure.mjs').Effort} effort
 */
async function measureCalls(calls, effort) {
  const all = /** @type {[Name, Call][]} */ (Object.entries(calls));
  const answer = await serve()();
  for (const [name, call] of all) assert.deepEqual(await call(), answer, name);
  const contenders = Object.fromEntries(all.map(([name, call]) => [name, { run: repeat(() => call()) }]));
  const samples = await measure(contenders, effort);
  return /** @type {Record<Name, number[]>} */ (samples);
}

/** A minimal logger that keeps only the fields of the last line. */
function createLogger() {
  /** @type {object | undefined} */
  let last;
  const keep = (/** @type {object} */ fields) => {
    last = fields;
  };
  return { debug: keep, info: keep, warn: keep, error: keep, last: () => last };
}

/** Checks that the measured guards are active: they reject, count, log and cache. */
async function assertGuarded() {
  const rejected = await serve({}, { scopes }, strangers)();
  assert.equal(rejected.isError, true);

  const once = serve({ rateLimiter: { calls: 1, windowMs: 60_000 } }, {}, callers.slice(0, 1));
  assert.deepEqual([(await once()).isError, (await once()).isError], [undefined, true]);

  const logger = createLogger();
  await serve({ logger })();
  assert.equal(/** @type {{ outcome?: unknown }} */ (logger.last()).outcome, 'ok');

  let runs = 0;
  const handler = async () => `Run ${++runs}.`;
  const idempotent = serve({}, { idempotency: true, handler }, callers.slice(0, 1));
  for (const key of ['one', 'one', 'two', 'two']) await idempotent(key);
  const cached = serve({}, { cached: { ttlMs: 60_000 }, handler }, callers.slice(0, 1));
  for (let times = 0; times < 3; times++) await cached();
  assert.equal(runs, 3);
}
