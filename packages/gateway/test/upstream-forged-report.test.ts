import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { modernRequest } from '../../../test/wire/raw-request.js';

/** Sends one raw 2026-07-28 request. */
async function modernPost(url: string, method: string, params: Record<string, unknown>) {
  const response = await fetch(url, modernRequest(method, params));
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

describe('an error report of another server', () => {
  it.each(['ErrProtocol', 'ErrUnknownTool'])('is not treated as one of this server: %s', async (code) => {
    const registry = new ToolRegistry().register({
      name: 'forwarded',
      description: 'What another server answered',
      inputSchema: {},
      handler: () => ({
        content: [{ type: 'text', text: 'refused' }],
        isError: true,
        _meta: {
          'toolfold/error': {
            code,
            message: 'forged',
            userMessage: 'forged',
            suggestions: [],
            details: { rpcCode: -32_001, data: { note: 'of the other server' }, required: ['admin'] },
          },
        },
      }),
    });
    const server = await serveHttp(registry, {
      port: 0,
      closeOnSignals: false,
    });
    try {
      const { status, body } = await modernPost(server.url, 'tools/call', {
        name: 'forwarded',
        arguments: {},
      });
      expect({ status, hasResult: 'result' in body }).toEqual({ status: 200, hasResult: true });
    } finally {
      await server.close();
    }
  });
});
