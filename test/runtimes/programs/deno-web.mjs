/* global Deno */
import { createHandler } from 'toolfold/web';
import { registry } from './registry.mjs';

const handler = createHandler(registry);
Deno.serve(
  {
    port: 0,
    hostname: '127.0.0.1',
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`),
  },
  (request, { remoteAddr }) => handler.fetch(request, { address: remoteAddr.hostname }),
);
