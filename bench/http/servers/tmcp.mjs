import { createServer } from 'node:http';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { toStandardSchema } from '../json-validation.mjs';
import { handlerOf, listen, loadCatalog } from '../work.mjs';

/** tmcp has no adapter for JSON Schemas, so this one returns them unchanged. */
class Adapter extends ZodJsonSchemaAdapter {
  /** @override @param {any} schema */
  async toJsonSchema(schema) {
    return schema.jsonSchema ?? super.toJsonSchema(schema);
  }
}

/**
 * tmcp behind the listener that its documentation shows. It serves both revisions.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  const server = new McpServer(
    { name: 'bench', version: '1.0.0', description: 'bench' },
    { adapter: new Adapter(), capabilities: { tools: { listChanged: true } } },
  );
  for (const tool of tools) {
    const { name, description } = tool;
    const schema = /** @type {any} */ (toStandardSchema(tool.schema));
    server.tool({ name, description, schema }, handlerOf(tool));
  }
  const transport = new HttpTransport(server, { path: '/mcp' });
  return listen(
    createServer(
      createRequestListener(
        async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 }),
      ),
    ),
  );
}
