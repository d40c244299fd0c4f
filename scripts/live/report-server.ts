/** The server process: sends its port, reports on request, and stops on request. */
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
    // The time of a forced garbage collection does not count.
    watch.take();
    process.send?.(facts);
  };
  // The parent process may exit before it stops this one.
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

/** Collects garbage three times, because finalizers release more memory after each collection. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
