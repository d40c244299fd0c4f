import { PerformanceObserver } from 'node:perf_hooks';

/** Runs one server in a separate process: `node server-process.mjs <kind> <catalog>`. Reports its port when it serves. */

// The parent process may exit first.
process.on('disconnect', () => process.exit());

const [kind, catalog] = process.argv.slice(2);
const { serve } = await import(`./servers/${kind}.mjs`);
process.send?.({ port: await serve(catalog) });

/** Bytes in use after a full garbage collection. */
async function readMemory() {
  for (let pass = 0; pass < 5; pass++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Microseconds of processor time since the start. */
function readCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of garbage collection since the start. */
let collected = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collected += duration * 1_000;
}).observe({ entryTypes: ['gc'] });

const readings = {
  memory: readMemory,
  cpu: readCpu,
  rss: () => process.memoryUsage.rss(),
  gc: () => collected,
};

process.on('message', async (/** @type {keyof typeof readings} */ what) => {
  process.send?.({ value: await readings[what]() });
});
