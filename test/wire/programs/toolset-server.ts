import { ToolRegistry } from '../../../src/index.js';
import { serveStdio } from '../../../src/node.js';
import { configOf } from '../toolset-server.js';

const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
serveStdio(registry, {
  toolsets: configOf({ startup: { mode: 'DYNAMIC' }, exposurePolicy: { denylist: ['broken'] } }),
});
