import { createServer } from 'node:http';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { description, listen, namesOf, repeatText, schema } from '../work.mjs';

/**
 * tmcp behind the listener that its documentation shows. It serves both revisions.
 *
 * @param {number} count
 */
export function serve(count) {
  const server = new McpServer(
    { name: 'bench', version: '1.0.0', description: 'bench' },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  );
  for (const name of namesOf(count)) {
    server.tool({ name, description, schema: schema() }, async (input) => ({
      content: [{ type: 'text', text: repeatText(input) }],
    }));
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
