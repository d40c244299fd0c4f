import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { description, namesOf, repeatText, schema } from '../work.mjs';

/** Requests are counted, as by default, but never rejected. */
const requestLimit = { requests: 1_000_000_000, windowMs: 60_000 };

/** @param {number} count */
export async function serve(count) {
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  registry.register(
    ...namesOf(count).map((name) => ({
      name,
      description,
      inputSchema: schema(),
      handler: (/** @type {{ input: any }} */ { input }) => repeatText(input),
    })),
  );
  const { server } = await serveHttp(registry, { port: 0, requestLimit });
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
