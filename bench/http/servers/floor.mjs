import { createServer } from 'node:http';
import { listen, namesOf, repeatText, schema } from '../work.mjs';

/**
 * The minimum work of an MCP server: parse, validate, call, stringify.
 *
 * @param {number} count
 */
export function serve(count) {
  const parsers = new Map(namesOf(count).map((name) => [name, schema()]));
  return listen(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const input = /** @type {any} */ (parsers.get(params.name)).parse(params.arguments);
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: repeatText(input) }], resultType: 'complete' },
      });
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    }),
  );
}
