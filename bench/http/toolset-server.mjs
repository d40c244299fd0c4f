import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { answer, loadCatalog } from './work.mjs';

const TOOLSETS = 100;

/**
 * Serves the benchmark tools in toolsets.
 *
 * @param {string} catalog
 * @param {import('toolfold/web').ToolsetConfig['startup']} startup
 * @param {import('toolfold/web').HandlerOptions['view']} [view]
 */
export async function serveToolsets(catalog, startup, view = {}) {
  const loaded = await loadCatalog(catalog);
  const tools = loaded.tools.map(({ name, description, schema }) => ({
    name,
    description,
    inputSchema: schema,
    handler: (/** @type {{ input: object }} */ { input }) => answer(input),
  }));
  const size = Math.max(1, Math.floor(tools.length / TOOLSETS));
  const keys = Array.from({ length: Math.ceil(tools.length / size) }, (_, index) => `set_${index}`);
  const { server } = await serveHttp(new ToolRegistry({ name: 'bench', rateLimiter: false }), {
    port: 0,
    requestLimit: { requests: 1_000_000_000, windowMs: 60_000 },
    view,
    toolsets: {
      catalog: Object.fromEntries(keys.map((key) => [key, { name: key, description: key, modules: [key] }])),
      moduleLoaders: Object.fromEntries(
        keys.map((key, index) => [key, () => tools.slice(index * size, (index + 1) * size)]),
      ),
      startup,
      context: {},
      exposurePolicy: {},
    },
  });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
