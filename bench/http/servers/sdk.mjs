import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { description, listen, namesOf, repeatText, schema } from '../work.mjs';

/**
 * Returns the factory with which the SDK creates a server for each request or session. Schemas are reused, as an author
 * would do, because creating them would dominate the cost.
 *
 * @param {number} count
 */
export function sdkServers(count) {
  const tools = namesOf(count).map((name) => ({ name, config: { description, inputSchema: schema() } }));
  return () => {
    const server = new McpServer({ name: 'bench', version: '1' });
    for (const { name, config } of tools) {
      server.registerTool(name, config, async (input) => ({
        content: [{ type: 'text', text: repeatText(input) }],
      }));
    }
    return server;
  };
}

/**
 * The SDK's own handler.
 *
 * @param {number} count
 */
export function serve(count) {
  const handler = createMcpHandler(sdkServers(count));
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
