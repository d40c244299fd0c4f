import { createServer } from 'node:http';
import { parseWith, toStandardSchema } from '../json-validation.mjs';
import { answer, listen, loadCatalog } from '../work.mjs';

/**
 * The floor, but with the body read by events instead of an iterator, which is 25 % faster.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  const schemas = new Map(tools.map(({ name, schema }) => [name, toStandardSchema(schema)]));
  return listen(
    createServer((request, response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const input = parseWith(/** @type {any} */ (schemas.get(params.name)), params.arguments);
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: { content: [{ type: 'text', text: answer(input) }], resultType: 'complete' },
        });
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      });
    }),
  );
}
