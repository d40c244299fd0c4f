import { description, namesOf, repeatText, schema } from '../http/work.mjs';

/**
 * mcp-use, which answers without sessions. Neither its request log nor its report home is part of the work.
 *
 * @param {number} count
 */
export async function serve(count) {
  process.env['MCP_USE_ANONYMIZED_TELEMETRY'] = 'false';
  // By a name that the type checker does not follow: this folder is installed on request.
  const { MCPServer } = await import(/** @type {string} */ ('mcp-use'));
  const server = new MCPServer({ name: 'bench', version: '1.0.0', logging: { enabled: false } });
  for (const name of namesOf(count)) {
    server.tool({ name, description, inputSchema: schema() }, async (/** @type {any} */ input) => ({
      content: [{ type: 'text', text: repeatText(input) }],
    }));
  }
  const { port } = await server.listen(0, { host: '127.0.0.1' });
  return port;
}
