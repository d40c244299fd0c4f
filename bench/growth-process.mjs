// Registers an ordinary catalog, serves it, and answers readings of `growth.mjs`: node growth-process.mjs <tools>
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { answer, loadCatalog } from './http/work.mjs';

process.on('disconnect', () => process.exit());

/** Microseconds of processor time since the start. */
function readCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes in use after full garbage collections. */
async function readMemory() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first registration of a process also compiles the code.
const warm = new ToolRegistry({ name: 'warm' });
for (const { name, description, schema } of (await loadCatalog('ordinary-100')).tools)
  warm.register({ name, description, inputSchema: schema, handler: () => '' });
const { tools } = await loadCatalog(`ordinary-${process.argv[2]}`);
const begun = readCpu();
const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
registry.register(
  ...tools.map(({ name, description, schema }) => ({
    name,
    description,
    inputSchema: schema,
    handler: (/** @type {{ input: object }} */ { input }) => answer(input),
  })),
);
const register = readCpu() - begun;
const requestLimit = { requests: 1_000_000_000, windowMs: 60_000 };
const { server } = await serveHttp(registry, { port: 0, requestLimit });
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
process.send?.({ port, register });
process.on('message', async (/** @type {'cpu' | 'memory'} */ what) => {
  process.send?.({ value: what === 'cpu' ? readCpu() : await readMemory() });
});
