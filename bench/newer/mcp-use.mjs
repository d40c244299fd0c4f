import { answer, loadCatalog } from '../http/work.mjs';

/**
 * mcp-use, which answers without sessions. Its request log and telemetry are disabled.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  process.env['MCP_USE_ANONYMIZED_TELEMETRY'] = 'false';
  // The cast to a string keeps the type checker from resolving the package, which is installed on request.
  const { MCPServer } = await import(/** @type {string} */ ('mcp-use'));
  const server = new MCPServer({ name: 'bench', version: '1.0.0', logging: { enabled: false } });
  for (const { name, description, schema } of tools) {
    server.tool({ name, description, inputSchema: schema }, async (/** @type {any} */ input) => ({
      content: [{ type: 'text', text: answer(input) }],
    }));
  }
  const { port } = await server.listen(0, { host: '127.0.0.1' });
  return port;
}
