import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';
import { configOf } from '../toolset-server.js';

const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
serveStdio(registry, {
  toolsets: configOf({ startup: { mode: 'DYNAMIC' }, exposurePolicy: { denylist: ['broken'] } }),
});
