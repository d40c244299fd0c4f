import { createServer } from 'node:http';
import { z } from 'zod';

/**
 * A tool of every server. Without `run`, its handler answers with its input as JSON.
 *
 * @typedef {{
 *   name: string,
 *   description: string,
 *   schema: z.ZodObject | JsonSchema,
 *   run?: (input: object) => Promise<string>,
 * }} Tool
 * @typedef {{ type: 'object', properties?: Record<string, object>, required?: string[] }} JsonSchema
 */
/** The call that is measured, and what its handler receives. @typedef {{ name: string, input: object, output: object }} Sample */
/** @typedef {{ tools: Tool[], sample: Sample }} Catalog */

/** Catalogs by name. `ordinary` takes the number of its tools, as in `ordinary-1000`. */
export const catalogs = /** @type {const} */ ({
  'ordinary-1000': '1,000 tools with Zod schemas',
  github: "GitHub's 117 tools with JSON Schemas",
  finance: '253 finance tools with Zod schemas',
});

/**
 * Each call makes new schemas, for which no library has cached anything.
 *
 * @param {string} name
 * @returns {Promise<Catalog>}
 */
export async function loadCatalog(name) {
  const [kind, count] = name.split('-');
  const { createTools, sample } = await import(`./catalogs/${kind}.mjs`);
  return { tools: createTools(Number(count)), sample };
}

/** @param {object} input */
export const answer = (input) => JSON.stringify(input);

/**
 * The handler of a tool for servers whose handlers return content.
 *
 * @param {Tool} tool
 */
export function handlerOf({ run }) {
  const toContent = (/** @type {string} */ text) => ({
    content: [{ type: /** @type {const} */ ('text'), text }],
  });
  return run
    ? async (/** @type {any} */ input) => toContent(await run(input))
    : async (/** @type {any} */ input) => toContent(answer(input));
}

/**
 * @param {Tool['schema']} schema
 * @returns {schema is z.ZodObject}
 */
export const isZod = (schema) => schema instanceof z.ZodObject;

/**
 * @param {import('node:http').Server} server
 * @param {number} [port]
 * @returns {Promise<number>} the port
 */
export function listen(server, port = 0) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
    );
  });
}

/** Finds a free port for servers that do not report theirs. */
export async function findFreePort() {
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
