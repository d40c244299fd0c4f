/** Calls actions in the process and over HTTP. Exits with an error if an assertion fails. */
// #region caller
import assert from 'node:assert/strict';
import { createCaller } from 'toolfold';
import { registry } from './orders.js';

const caller = createCaller(registry);
const { ids } = await caller.orders.list();
console.log(ids);
// #endregion caller
assert.deepEqual(ids, ['o1', 'o2']);

// #region errors
import { ToolfoldError } from 'toolfold/errors';

try {
  await caller.orders.list({ limit: 0 });
  assert.fail('The call was accepted.');
} catch (error) {
  if (!(error instanceof ToolfoldError)) throw error;
  console.log(error.code);
}
// #endregion errors

// #region scopes
const ada = createCaller(registry, { caller: { auth: { clientId: 'ada', scopes: ['orders:write'] } } });
const done = await ada.orders.refund({ id: 'o1' });
console.log(done.content);
const denied = await caller.orders.refund({ id: 'o1' }).catch((error: unknown) => error);
console.log((denied as ToolfoldError).code);
// #endregion scopes

// #region options
const once = { idempotencyKey: 'refund-o1', minify: false, signal: AbortSignal.timeout(5_000) };
const [first, second] = [
  await ada.orders.refund({ id: 'o1' }, once),
  await ada.orders.refund({ id: 'o1' }, once),
];
assert.deepEqual(second, first);
// #endregion options

// #region signal
const controller = new AbortController();
const exporting = caller.orders.export({}, { signal: controller.signal });
controller.abort();
const stopped = await exporting.catch((error: unknown) => error);
console.log((stopped as ToolfoldError).code);
// #endregion signal
assert.equal((stopped as ToolfoldError).code, 'ErrCancelled');

import { serveHttp } from 'toolfold/node';
import { printOrders } from './client.js';

const server = await serveHttp(registry, { port: 0 });
await printOrders(server.url);
await server.close();

// #region builder
import { initToolfold } from 'toolfold';

interface App {
  readonly greeting: string;
}
const t = initToolfold<App>();
const greet = t.group('greet').action({
  name: 'all',
  handler: ({ context }) => context.app.greeting,
});
const greeter = createCaller(t.registry({ contextFactory: () => ({ greeting: 'Hello' }) }).register(greet));
console.log((await greeter.greet.all()).content);
// #endregion builder
