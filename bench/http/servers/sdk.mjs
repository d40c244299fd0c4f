import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { description, listen, namesOf, repeatText, schema } from '../work.mjs';

/** @param {readonly string[]} names */
export function createSdkServer(names) {
  const server = new McpServer({ name: 'bench', version: '1' });
  for (const name of names) {
    server.registerTool(name, { description, inputSchema: schema() }, async (input) => ({
      content: [{ type: 'text', text: repeatText(input) }],
    }));
  }
  return server;
}

/**
 * The SDK's own handler.
 *
 * @param {number} count
 */
export function serve(count) {
  const names = namesOf(count);
  const handler = createMcpHandler(() => createSdkServer(names));
  return listen(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = await handler.fetch(
        new Request(`http://localhost${request.url}`, {
          method: 'POST',
          headers: /** @type {Record<string, string>} */ (request.headers),
          body: Buffer.concat(chunks),
        }),
      );
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'content-length': body.length,
      });
      response.end(body);
    }),
  );
}
