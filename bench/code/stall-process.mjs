/** Serves the code form over HTTP, and reports the longest block of its event loop since the last report. */
import { serveHttp } from '../../packages/toolfold/dist/node.js';
import { apiKeys } from '../../packages/toolfold/dist/web.js';
import { watchBlocking } from '../blocking.mjs';
import { keys } from './keys.mjs';
import { createRegistry } from './registry.mjs';

// The benchmark may exit first.
process.on('disconnect', () => process.exit());

const running = await serveHttp(createRegistry(), {
  port: 0,
  requestLimit: false,
  auth: apiKeys({ keys: keys.map((key, index) => ({ key, clientId: `caller-${index}`, scopes: [] })) }),
  view: { form: 'code', pinned: ['echo'] },
});
const readLongest = watchBlocking();
process.on('message', () => process.send?.({ longest: readLongest() }));
process.send?.({ url: running.url });
