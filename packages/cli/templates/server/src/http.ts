import { serveHttp } from 'toolfold/node';
import { registry } from './registry.js';

const { env } = process;

const { url } = await serveHttp(registry, {
  port: Number(env['PORT'] ?? 3000),
  host: env['HOST'] ?? '127.0.0.1',
  // The server rejects other Host headers. Behind a proxy, this is the public name.
  ...(env['ALLOWED_HOSTS'] ? { allowedHosts: env['ALLOWED_HOSTS'].split(',') } : {}),
  trustedProxies: Number(env['TRUSTED_PROXIES'] ?? 0),
  onError: (error) => console.error(error),
});
console.log(`Serving MCP at ${url}`);
