/**
 * One server in a process of its own: `node server-process.mjs <title of a case>`. Reports its port, and on request the
 * longest time for which the event loop did not run since the last report.
 */
import { serveHttp } from '../../dist/serve/node.js';
import { ToolRegistry } from '../../dist/index.js';
import { cases } from './cases.mjs';

// The benchmark may end first.
process.on('disconnect', () => process.exit());

const found = cases.find(({ title }) => title === process.argv[2]);
if (!found) throw new Error(`There is no case "${process.argv[2]}".`);
const registry = new ToolRegistry({ name: 'bench', rateLimiter: false, ...found.registry });
registry.register(...found.tools());
const { server } = await serveHttp(registry, { port: 0, ...found.server });

/** Other processes may hold the cores. Only time in which this one worked counts, so it is at most its processor time. */
const readClocks = () => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1_000 };
};
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
