import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
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
await server.connect(new StdioServerTransport());
