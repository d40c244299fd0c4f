import { randomBytes } from 'node:crypto';
import { createHandler } from 'toolfold/web';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuth } from './auth.js';
import { createRegistry } from './registry.js';

const key = randomBytes(32).toString('hex');
const handler = createHandler(createRegistry(), { auth: createAuth(`ada=${key}`) });
afterAll(() => handler.close());

async function statusWith(headers: Record<string, string>): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    },
  });
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    }),
  );
  return response.status;
}

describe('authentication', () => {
  it('accepts a known key', async () => {
    expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200);
    expect(await statusWith({ 'x-api-key': key })).toBe(200);
  });

  it('rejects requests without a known key', async () => {
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${'x'.repeat(32)}` })).toBe(401);
  });

  it('needs keys to start', () => {
    expect(() => createAuth('')).toThrow('API_KEYS');
    expect(() => createAuth('ada=short')).toThrow('32');
  });
});
