import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ToolRegistry } from 'toolfold';
import { callTool, tools } from './switch.js';

const registry = new ToolRegistry({ name: 'notes' });
for (const { annotations, ...tool } of tools) {
  registry.register({
    ...tool,
    metadata: { annotations },
    handler: ({ input }) => callTool(tool.name, input),
  });
}
const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: {} });
registry.attachToServer(server);
await server.connect(new StdioServerTransport());
