/** Serves a registry and its page, and reads the page as a browser would. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
import { createRegistry } from './registry.js';

// #region serve
import { devtools } from '@toolfold/devtools';
import { serveHttp } from 'toolfold/node';

const registry = createRegistry();
const view = { form: 'search' } as const;
const running = await serveHttp(registry, { port: 0, view });
const page = await devtools(registry, { port: 0, view, lockfile: 'library.lock.json' });
if (page.url !== undefined) console.log(`Page: ${page.url}`);
// #endregion serve

const url = new URL(page.url ?? '');
assert.match(await (await fetch(url)).text(), /<title>Toolfold<\/title>/);

// The fragment of the address holds the token. Without it, the page shows nothing.
const token = url.hash.slice('#token='.length);
const ask = (headers: Record<string, string>) => fetch(new URL('/api/server', url), { headers });
assert.equal((await ask({})).status, 401);
assert.equal((await ask({ 'x-toolfold-token': token, origin: 'https://evil.example' })).status, 403);
const { name, form } = (await (await ask({ 'x-toolfold-token': token })).json()) as Record<string, unknown>;
assert.deepEqual({ name, form }, { name: 'library', form: 'search' });
console.log(`It shows the server "${String(name)}" in the form ${String(form)}.`);

await page.close();
await running.close();

// #region production
process.env['NODE_ENV'] = 'production';
const off = await devtools(registry);
assert.equal(off.url, undefined);
// #endregion production
await off.close();
