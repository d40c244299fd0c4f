import { defineServer } from 'toolfold/node';
import { registry } from './registry.js';

const { env } = process;

export default defineServer({
  registry,
  onError: (error) => console.error(error),
  http: {
    port: Number(env['PORT'] ?? 3000),
    host: env['HOST'] ?? '127.0.0.1',
    // The names in the Host header that clients send: that of the proxy, seen from outside.
    ...(env['ALLOWED_HOSTS'] ? { allowedHosts: env['ALLOWED_HOSTS'].split(',') } : {}),
    // One proxy appends the address of the client to X-Forwarded-For.
    trustedProxies: Number(env['TRUSTED_PROXIES'] ?? 0),
    // Less than the time after which Docker or systemd kills the process.
    graceMs: 5_000,
  },
});
