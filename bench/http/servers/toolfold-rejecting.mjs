import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { description, namesOf, repeatText, schema } from '../work.mjs';

/** Requests are counted, as by default, but never rejected. */
const requestLimit = { requests: 1_000_000_000, windowMs: 60_000 };

/** The only key that the guarded server accepts. */
const KEY = 'a'.repeat(40);
const MANY = 1_000_000_000;

/**
 * A server with plain tools, and one tool for each reason to reject a call.
 *
 * @param {number} count
 * @param {{ isGuarded?: boolean }} [options]
 */
export async function serve(count, { isGuarded = false } = {}) {
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: { calls: MANY, windowMs: 3_600_000 } });
  const tool = {
    description,
    inputSchema: schema(),
    handler: (/** @type {{ input: any }} */ { input }) => repeatText(input),
  };
  registry.register(
    ...namesOf(count).map((name) => ({ ...tool, name, inputSchema: schema() })),
    { ...tool, name: 'limited', cost: MANY + 1 },
    { ...tool, name: 'scoped', scopes: ['admin'] },
  );
  const auth = isGuarded ? { auth: apiKeys({ keys: [{ key: KEY, clientId: 'bench' }] }) } : {};
  const { server } = await serveHttp(registry, { port: 0, requestLimit, ...auth });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
