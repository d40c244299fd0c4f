import { ToolRegistry } from '../../../src/index.js';
import { serveStdio } from '../../../src/serve/node.js';

const registry = new ToolRegistry({ name: 'stdio', version: '1.0.0' }).register({
  name: 'ping',
  description: 'Answers',
  inputSchema: {},
  handler: () => 'pong',
});
serveStdio(registry);
