/**
 * Runs one server in a separate process: `node server-process.mjs <title of a case>`. Reports its port, and on request
 * the longest time that the event loop was blocked since the last report.
 */
import { serveHttp } from '../../packages/toolfold/dist/node.js';
import { ToolRegistry } from '../../packages/toolfold/dist/index.js';
import { watchBlocking } from '../blocking.mjs';
import { cases } from './cases.mjs';

// The benchmark may exit first.
process.on('disconnect', () => process.exit());

const found = cases.find(({ title }) => title === process.argv[2]);
if (!found) throw new Error(`There is no case "${process.argv[2]}".`);
const registry = new ToolRegistry({ name: 'bench', rateLimiter: false, ...found.registry });
registry.register(...found.tools());
found.prepare?.(registry);
const { server } = await serveHttp(registry, { port: 0, requestLimit: false, ...found.server });

const readLongest = watchBlocking();
process.on('message', () => process.send?.({ longest: readLongest() }));
process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port });
