import { setImmediate } from 'node:timers/promises';

/**
 * One way of doing the work. `run` does the work `times` times. `prepare` creates its input and is not measured.
 *
 * @typedef {{
 *   run: (times: number, prepared: any) => unknown,
 *   prepare?: (times: number) => unknown,
 *   times?: number,
 *   clean?: boolean,
 * }} Contender
 */

/** @typedef {{ rounds: number, sampleMs?: number, warmupMs?: number }} Effort */

/**
 * Measures every contender once per round in rotating order, and returns the microseconds per run of each round.
 *
 * The clock is the processor time of this process, so that other work on the machine does not count.
 *
 * @template {string} Name
 * @param {Record<Name, Contender>} contenders
 * @param {Effort} effort
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function measure(contenders, { rounds, sampleMs = 10, warmupMs = 300 }) {
  const all = /** @type {[Name, Contender][]} */ (Object.entries(contenders)).map(([name, contender]) => ({
    name,
    contender,
    times: contender.times ?? 1,
    samples: /** @type {number[]} */ ([]),
  }));
  // The warm-up is interleaved too, so that the JIT sees all contenders.
  let step = 1;
  for (let spent = 0; spent < warmupMs * all.length; step = Math.min(step * 2, 256)) {
    for (const { contender } of all) spent += await sample(contender, contender.times ?? step);
  }
  for (const each of all) {
    if (each.contender.times === undefined) each.times = await calibrate(each.contender, sampleMs);
  }
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < all.length; index++) {
      const each = all[(index + round) % all.length];
      if (!each) continue;
      each.samples.push(((await sample(each.contender, each.times)) / each.times) * 1000);
    }
  }
  return /** @type {Record<Name, number[]>} */ (
    Object.fromEntries(all.map(({ name, samples }) => [name, samples]))
  );
}

/**
 * @param {Contender} contender
 * @param {number} times
 * @returns {Promise<number>} milliseconds
 */
async function sample(contender, times) {
  // The targets of weak references stay in memory until the event loop turns.
  await setImmediate();
  const prepared = contender.prepare?.(times);
  if (contender.clean) globalThis.gc?.({ type: 'minor' });
  const start = process.cpuUsage();
  await contender.run(times, prepared);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * @param {Contender} contender
 * @param {number} sampleMs
 */
async function calibrate(contender, sampleMs) {
  let times = 1;
  for (;;) {
    const ms = await sample(contender, times);
    if (ms >= sampleMs) return times;
    times = Math.ceil(times * Math.min(10, Math.max(1.5, (sampleMs * 1.1) / Math.max(ms, 0.01))));
  }
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/**
 * The median of the ratios within each round, because disturbances affect both contenders of a round.
 *
 * @param {readonly number[]} left
 * @param {readonly number[]} right
 */
export function medianRatio(left, right) {
  return median(left.map((value, round) => value / (right[round] ?? 0)));
}

/**
 * @param {readonly number[]} left
 * @param {readonly number[]} right
 */
export function medianDifference(left, right) {
  return median(left.map((value, round) => value - (right[round] ?? 0)));
}

/**
 * Awaits a call `times` times in a row.
 *
 * @param {(at: number) => Promise<unknown>} call
 * @returns {(times: number) => Promise<void>}
 */
export function repeat(call) {
  return async (times) => {
    for (let at = 0; at < times; at++) await call(at);
  };
}
