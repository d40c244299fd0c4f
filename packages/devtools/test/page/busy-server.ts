/**
 * A server with the page in its own process, so that its calls do not wait for the test and the browser. It sends the address of the
 * page, makes calls at a steady rate when it gets the order, and sends how long they took.
 */
import { devtools } from '@toolfold/devtools';
import { createLiveServer } from './live-server.js';

export interface BusyOrder {
  readonly calls: number;
  readonly perSecond: number;
  /** One in this many calls fails. */
  readonly failEvery: number;
}

export interface BusyReport {
  /** Milliseconds from the first call to the answer of the last one. */
  readonly ms: number;
  /** The most calls that began within 50 milliseconds. */
  readonly largestBurst: number;
}

const { registry, call } = createLiveServer();
const { url } = await devtools(registry, { port: 0, enabled: true });
process.once('message', (order: BusyOrder) => void run(order).then((report) => process.send?.(report)));
process.once('disconnect', () => process.exit());
process.send?.({ url });

async function run({ calls, perSecond, failEvery }: BusyOrder): Promise<BusyReport> {
  const start = performance.now();
  const running: Promise<unknown>[] = [];
  const begun = new Map<number, number>();
  while (running.length < calls) {
    const passed = performance.now() - start;
    const due = Math.min(calls, Math.ceil((passed / 1_000) * perSecond));
    const slot = Math.floor(passed / 50);
    begun.set(slot, (begun.get(slot) ?? 0) + due - running.length);
    while (running.length < due)
      running.push(running.length % failEvery === 0 ? call('cancel', { id: 'o-1' }) : call('list'));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
  return { ms: performance.now() - start, largestBurst: Math.max(...begun.values()) };
}
