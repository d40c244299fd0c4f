/** The side of the server: says its port, reports when it is asked to, and ends when it is told. */
import type { RunningServer } from 'toolfold/node';
import { BlockWatch } from './block-watch.js';
import type { Report } from './report.js';

export function reportServer(running: Pick<RunningServer, 'url' | 'server' | 'close'>): void {
  const warnings: string[] = [];
  process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));
  const watch = new BlockWatch();
  const report = async (): Promise<void> => {
    const maxBlockMs = watch.take();
    await collectGarbage();
    const connections = await new Promise<number>((resolve) => {
      running.server.getConnections((_error, count) => resolve(count));
    });
    const { heapUsed, rss } = process.memoryUsage();
    const facts: Report = { heapUsed, rss, maxBlockMs, connections, warnings: [...warnings] };
    // What collecting garbage on demand takes is no fault of the server.
    watch.take();
    process.send?.(facts);
  };
  // Whoever started it may be gone before it has been told to end.
  const leave = (): void => process.exit(1);
  process.on('disconnect', leave);
  process.on('message', (question) => {
    if (question === 'report') void report();
    else if (question === 'close') {
      process.off('disconnect', leave);
      void running.close().then(() => process.disconnect());
    }
  });
  process.send?.({ port: Number(new URL(running.url).port) });
}

/** Some of it is let go only by what runs when the rest has been collected. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
