/** Reports the resident memory that threads take: while 16 runs wait for calls, and after their end. Needs --expose-gc. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRunner } from './registry.mjs';

const THREADS = 16;
const readMemory = async () => {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage().rss / 1_048_576;
};

let waiting = 0;
let [release, onAll] = [() => {}, () => {}];
const released = new Promise((resolve) => (release = () => resolve(undefined)));
const allWait = new Promise((resolve) => (onAll = () => resolve(undefined)));
const pause = () => {
  if (++waiting === THREADS) onAll();
  return released;
};
// All threads start at once, so each takes longer than it computes.
const { run, exposure } = await createRunner(pause, { cpuMs: 20_000 });
const before = await readMemory();
await run('1');
const one = await readMemory();
const code =
  'const rows = Array.from({ length: 10000 }, (_, id) => ({ id, name: `row ${id}` })); await tools.pause({}); rows.length';
// A caller may have only some of the threads.
const runs = Promise.all(Array.from({ length: THREADS }, (_, index) => run(code, `caller-${index}`)));
runs.catch(() => undefined);
await Promise.race([allWait, runs]);
const busy = await readMemory();
release();
await runs;
const idle = await readMemory();
await exposure.close();
const closed = await readMemory();
process.send?.({ threads: THREADS, before, one, busy, idle, closed });
process.exit();
