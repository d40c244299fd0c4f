/**
 * Runs one server in a separate process: `node server-process.mjs <title of a case>`. Reports its port, and on request
 * the longest time that the event loop was blocked since the last report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { serveHttp } from '../../dist/node.js';
import { ToolRegistry } from '../../dist/index.js';
import { cases } from './cases.mjs';

// The benchmark may exit first.
process.on('disconnect', () => process.exit());

const found = cases.find(({ title }) => title === process.argv[2]);
if (!found) throw new Error(`There is no case "${process.argv[2]}".`);
const registry = new ToolRegistry({ name: 'bench', rateLimiter: false, ...found.registry });
registry.register(...found.tools());
found.prepare?.(registry);
const { server } = await serveHttp(registry, { port: 0, requestLimit: false, ...found.server });

/**
 * Other processes may occupy the cores, and other threads compile and collect garbage. Only the time in which the event
 * loop thread worked counts, so a stall is at most its processor time, if Linux reports it.
 */
const clockFile = '/proc/thread-self/schedstat';
const readCpu = existsSync(clockFile)
  ? () => Number(readFileSync(clockFile, 'latin1').split(' ', 1)[0]) / 1_000_000
  : () => performance.now();
const readClocks = () => ({ wall: performance.now(), cpu: readCpu() });
let last = readClocks();
let longest = 0;
const tick = () => {
  const now = readClocks();
  longest = Math.max(longest, Math.min(now.wall - last.wall, now.cpu - last.cpu));
  last = now;
};
setInterval(tick, 1);

process.on('message', () => {
  tick();
  process.send?.({ longest });
  longest = 0;
});
process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port });
