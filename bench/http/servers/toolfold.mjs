import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { answer, loadCatalog } from '../work.mjs';

/** Requests are counted, as by default, but never rejected. */
const requestLimit = { requests: 1_000_000_000, windowMs: 60_000 };

/** @param {string} catalog */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  registry.register(
    ...tools.map(({ name, description, schema, run = answer }) => ({
      name,
      description,
      inputSchema: schema,
      handler: (/** @type {{ input: object }} */ { input }) => run(input),
    })),
  );
  const { server } = await serveHttp(registry, { port: 0, requestLimit });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
