import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { answer, loadCatalog } from '../work.mjs';

/** Requests are counted, as by default, but never rejected. */
const requestLimit = { requests: 1_000_000_000, windowMs: 60_000 };

/** The only key that the guarded server accepts. */
const KEY = 'a'.repeat(40);
const MANY = 1_000_000_000;

/**
 * A server with plain tools, and one tool for each reason to reject a call.
 *
 * @param {string} catalog
 * @param {{ isGuarded?: boolean }} [options]
 */
export async function serve(catalog, { isGuarded = false } = {}) {
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: { calls: MANY, windowMs: 3_600_000 } });
  const { tools } = await loadCatalog(catalog);
  const definitions = tools.map(({ name, description, schema }) => ({
    name,
    description,
    inputSchema: schema,
    handler: (/** @type {{ input: object }} */ { input }) => answer(input),
  }));
  const [tool] = definitions;
  if (!tool) throw new Error('An empty catalog.');
  registry.register(
    ...definitions,
    { ...tool, name: 'limited', cost: MANY + 1 },
    { ...tool, name: 'scoped', scopes: ['admin'] },
  );
  const auth = isGuarded ? { auth: apiKeys({ keys: [{ key: KEY, clientId: 'bench' }] }) } : {};
  const { server } = await serveHttp(registry, { port: 0, requestLimit, ...auth });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
