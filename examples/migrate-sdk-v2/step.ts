import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ToolRegistry, createModuleAdapter } from 'toolfold';
import { Exposure } from 'toolfold/node';
import { readNote, registerTools } from './register-tools.js';

const registry = new ToolRegistry({ name: 'notes' });
const exposure = new Exposure(registry, {
  toolsets: {
    catalog: { notes: { name: 'Notes', description: 'Reading and writing', modules: ['notes'] } },
    moduleLoaders: { notes: createModuleAdapter('notes', registerTools) },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: {},
    exposurePolicy: {},
  },
});

serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  registry.attachToServer(server, { view: exposure });
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
