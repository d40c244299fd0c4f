/** Serves the tracker with API keys. `npx tsx serve.ts` prints the address and the keys. */
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { ADMIN, WRITE } from './app.js';
import { createTracker } from './server.js';
import { Store } from './store.js';

const store = new Store();
store.addProject('WEB', 'Website', 'ada');
const keys = [
  { key: crypto.randomUUID(), clientId: 'ada', scopes: [WRITE, ADMIN, 'reports:export'] },
  { key: crypto.randomUUID(), clientId: 'bob', scopes: [] },
];
// #region serve
const running = await serveHttp(createTracker({ store }), {
  port: 3000,
  auth: apiKeys({ keys }),
  // Callers see only the actions that they may call.
  scopes: 'hide',
});
// #endregion serve
console.log(running.url);
for (const { clientId, key } of keys) console.log(`${clientId}: x-api-key: ${key}`);
