import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { HandlerOptions, McpHandler } from 'toolfold/web';
import type { NodeRequest } from 'toolfold/node';

/** A served registry, and a function that sends requests to it. */
export interface Face {
  readonly send: (init: RequestInit & { headers: Record<string, string> }) => Promise<Response>;
  readonly handler: McpHandler;
  readonly close: () => Promise<void>;
}
export type OpenFace = (registry: ToolRegistry, options?: HandlerOptions) => Promise<Face>;

/** A header that names the caller, instead of real authentication. */
const USER = 'x-user';

function authOf(user: string | null | undefined): AuthInfo | undefined {
  return user ? { token: `token of ${user}`, clientId: 'test', scopes: [], extra: { sub: user } } : undefined;
}

const openFetch: OpenFace = async (registry, options) => {
  const handler = createHandler(registry, options);
  return {
    handler,
    send: async (init) => {
      const request = new Request('http://localhost/mcp', init);
      return handler.fetch(request, { authInfo: authOf(request.headers.get(USER)) });
    },
    close: () => handler.close(),
  };
};

const openHttp: OpenFace = async (registry, options) => {
  const handler = createHandler(registry, options);
  const listener = toNodeListener(handler);
  const server = createServer((request: NodeRequest, response) => {
    const auth = authOf(request.headers[USER] as string | undefined);
    if (auth) request.auth = auth;
    listener(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    handler,
    send: (init) => fetch(`http://127.0.0.1:${port}/mcp`, init),
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
};

/** Both ways to serve a registry, which must behave alike. */
export const faces: readonly (readonly [name: string, open: OpenFace])[] = [
  ['fetch', openFetch],
  ['HTTP', openHttp],
];
