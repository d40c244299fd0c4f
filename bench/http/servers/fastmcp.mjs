import { FastMCP } from 'fastmcp';
import { description, findFreePort, namesOf, repeatText, schema } from '../work.mjs';

/**
 * fastmcp with sessions and JSON answers, the faster of its two ways to answer.
 *
 * @param {number} count
 */
export async function serve(count) {
  const logger = { debug() {}, error() {}, info() {}, log() {}, warn() {} };
  const server = new FastMCP({ name: 'bench', version: '1.0.0', ping: { enabled: false }, logger });
  for (const name of namesOf(count)) {
    server.addTool({
      name,
      description,
      parameters: schema(),
      execute: async (input) => repeatText(/** @type {any} */ (input)),
    });
  }
  const port = await findFreePort();
  await server.start({
    transportType: 'httpStream',
    httpStream: { port, host: '127.0.0.1', endpoint: '/mcp', enableJsonResponse: true },
  });
  return port;
}
