import { createServer } from 'node:http';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { handlerOf, isZod, listen, loadCatalog } from '../work.mjs';

/**
 * Returns the factory with which the SDK creates a server for each request or session. Schemas are reused, as an author
 * would do, because creating them would dominate the cost.
 *
 * @param {string} catalog
 */
export async function sdkServers(catalog) {
  const { tools } = await loadCatalog(catalog);
  const configs = tools.map((tool) => ({
    name: tool.name,
    config: {
      description: tool.description,
      inputSchema: isZod(tool.schema) ? tool.schema : fromJsonSchema(tool.schema),
    },
    handler: handlerOf(tool),
  }));
  return () => {
    const server = new McpServer({ name: 'bench', version: '1' });
    for (const { name, config, handler } of configs) server.registerTool(name, config, handler);
    return server;
  };
}

/**
 * The SDK's own handler.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const handler = createMcpHandler(await sdkServers(catalog));
  return listen(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const reply = await handler.fetch(
        new Request(`http://localhost${request.url}`, {
          method: 'POST',
          headers: /** @type {Record<string, string>} */ (request.headers),
          body: Buffer.concat(chunks),
        }),
      );
      const body = Buffer.from(await reply.arrayBuffer());
      response.writeHead(reply.status, {
        ...Object.fromEntries(reply.headers),
        'content-length': body.length,
      });
      response.end(body);
    }),
  );
}
