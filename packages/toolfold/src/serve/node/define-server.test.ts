import { describe, expect, expectTypeOf, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { apiKeys } from '../auth/api-keys.js';
import { defineServer } from './define-server.js';

const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'ping',
  description: 'Pings',
  inputSchema: {},
  handler: () => 'pong',
});
const auth = apiKeys({ keys: [{ key: 'k'.repeat(32), clientId: 'ada' }] });

describe('a described server', () => {
  it('has complete options for both transports, and the type of its registry', () => {
    const local = { clientId: 'local', scopes: ['a'] };
    const offer = { view: { form: 'auto' }, scopes: 'hide' } as const;
    const server = defineServer({ registry, ...offer, http: { auth, port: 0 }, stdio: { auth: local } });
    expect(server).toEqual({
      registry,
      http: { ...offer, auth, port: 0 },
      stdio: { ...offer, auth: local },
    });
    expectTypeOf(server.registry).toEqualTypeOf(registry);
    expect(defineServer(server)).toEqual(server);
  });

  it.each([
    [{ registry, https: {} }, 'defineServer has no option "https". Did you mean "http"?'],
    [{ registry, http: { prot: 1 } }, 'serveHttp has no option "prot".'],
    [{ registry, stdio: { port: 1 } }, 'serveStdio has no option "port".'],
    [{ registry: {} }, 'defineServer needs a ToolRegistry'],
  ])('is rejected with a mistake: %#', (description, message) => {
    const define = () => defineServer(description as Parameters<typeof defineServer>[0]);
    expect(define).toThrow(ErrInvalidOptions);
    expect(define).toThrow(message);
  });
});
