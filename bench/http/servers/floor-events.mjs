import { createServer } from 'node:http';
import { listen, namesOf, repeatText, schema } from '../work.mjs';

/**
 * The floor, but with the body read by events instead of an iterator, which is 25 % faster.
 *
 * @param {number} count
 */
export function serve(count) {
  const parsers = new Map(namesOf(count).map((name) => [name, schema()]));
  return listen(
    createServer((request, response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
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
      });
    }),
  );
}
