import { onTestFinished } from 'vitest';
import type { ToolsetConfig } from 'toolfold/web';
import type { ServeHttpOptions } from 'toolfold/node';
import type { Connect, TestClient } from './toolset-clients.js';
import { configOf, start, loadsOf } from './toolset-server.js';
import { jsonRequest, modernRequest } from './raw-request.js';

/**
 * Takes functions that close what a test has opened, and calls them in reverse order. A hook of this module would only run for the
 * first of the test files that share the module.
 */
export const cleanUps = {
  push: (cleanUp: () => Promise<unknown>): void =>
    onTestFinished(async () => {
      await cleanUp();
    }),
};

/** A server with toolsets, the log of its loaders and errors, and functions that open clients. */
export async function setUp(config: Partial<ToolsetConfig> = {}, options: ServeHttpOptions = {}) {
  const toolsets = configOf(config);
  const errors: unknown[] = [];
  const server = await start(toolsets, { onError: (error) => errors.push(error), ...options });
  cleanUps.push(() => server.close());
  const open = async (
    connect: Connect,
    path = '',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestClient> => {
    const client = await connect(`${server.url}${path}`, headers);
    cleanUps.push(() => client.close());
    return client;
  };
  return { server, open, loads: loadsOf(toolsets), errors };
}

/** Sends one raw 2026-07-28 request. */
export async function postModern(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  params: object = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(url, modernRequest(method, params, { headers }));
  return { status: response.status, text: await response.text() };
}

/** Sends one raw POST. */
export function send(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, jsonRequest(body, headers));
}

/** A session before 2026-07-28 of a client that opens no standing stream. */
export async function openSession(url: string, version: string, more: Readonly<Record<string, string>> = {}) {
  const response = await send(
    url,
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    },
    more,
  );
  await response.text();
  const headers = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', ...more };
  let id = 0;
  const call = (name: string, args: object, own: Readonly<Record<string, string>> = {}) =>
    send(
      url,
      { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } },
      { ...headers, ...own },
    );
  return { headers, call };
}
