import { createServer } from 'node:http';
import { parseWith, toStandardSchema } from '../json-validation.mjs';
import { answer, listen, loadCatalog } from '../work.mjs';

/**
 * The minimum work of an MCP server: parse, validate, call, stringify.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  const schemas = new Map(tools.map(({ name, schema }) => [name, toStandardSchema(schema)]));
  return listen(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
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
    }),
  );
}
