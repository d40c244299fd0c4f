import { ToolRegistry } from 'toolfold';
import { defineServer } from 'toolfold/node';
// if api-keys
import { keyFile } from 'toolfold/node';
// end
import { createNotes } from './notes.js';
// if http

const { env } = process;
// end

/** Describes the server: its tools, the form in which clients see them, and how it is served. */
export function createServer() {
  // Register more builders and definitions here.
  const registry = new ToolRegistry({ name: 'my-server', version: '0.1.0' }).register(createNotes());
  return defineServer({
    registry,
    // The form depends on the client: those that accept few tools get a search when there are too many.
    view: { form: 'auto' },
    onError: (error) => console.error(error),
    // if http
    http: {
      port: Number(env['PORT'] ?? 3000),
      host: env['HOST'] ?? '127.0.0.1',
      // The server rejects other Host headers. Behind a proxy, this is the public name.
      ...(env['ALLOWED_HOSTS'] ? { allowedHosts: env['ALLOWED_HOSTS'].split(',') } : {}),
      trustedProxies: Number(env['TRUSTED_PROXIES'] ?? 0),
      // if api-keys
      auth: keyFile(env['KEYS'] ?? 'keys.json'),
      // end
    },
    // end
    // if api-keys
    // The client that starts this process may do everything.
    stdio: { auth: { clientId: 'local', scopes: ['notes:write'] } },
    // end
  });
}

/** The `toolfold` command, `http.ts` and `stdio.ts` serve this. */
export default createServer();
