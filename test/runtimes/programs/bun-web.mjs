/* global Bun */
import { createHandler } from 'toolfold/web';
import { registry } from './registry.mjs';

const handler = createHandler(registry);
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request, bun) => handler.fetch(request, { address: bun.requestIP(request)?.address }),
});
console.log(`http://127.0.0.1:${server.port}/mcp`);
