import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ToolRegistry } from 'toolfold';
import { createModuleAdapter } from 'toolfold/web';
import { readNote, registerTools } from './register-tools.js';

const registry = new ToolRegistry({ name: 'notes' });
registry.register(...(await createModuleAdapter('notes', registerTools)()));

serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  registry.attachToServer(server);
  server.registerResource(
    'note',
    new ResourceTemplate('note://{id}', { list: undefined }),
    { mimeType: 'text/plain' },
    async (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: readNote(String(id)) }],
    }),
  );
  return server;
});
