import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { CallToolResult, ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import type { McpTool } from '@toolfold/profiles';
import { createHandler } from 'toolfold/web';
import type { HandlerOptions } from 'toolfold/web';
import { answerOf } from './session-requests.js';
import { jsonRequest, modernRequest } from './raw-request.js';

type Json = Readonly<Record<string, unknown>>;

/** A client that checks nothing itself, so that a test sees what the server sends. */
export interface RawClient {
  readonly era: '2026-07-28' | '2025-11-25';
  readonly list: () => Promise<readonly McpTool[]>;
  readonly call: (name: string, args: Json) => Promise<CallToolResult>;
}

/** Serves a registry over HTTP, and returns a function that opens a client of each era under a name. */
export async function serveRaw(
  registry: ToolRegistry,
  options: HandlerOptions = {},
): Promise<(name?: string) => Promise<readonly RawClient[]>> {
  const handler = createHandler(registry, options);
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return async (name = 'some-client') => [modernClient(url, name), await sessionClient(url, name)];
}

function modernClient(url: string, name: string): RawClient {
  const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '9.9.9' } };
  return createClient('2026-07-28', async (method, params) =>
    answerOf(await fetch(url, modernRequest(method, params, { meta }))),
  );
}

async function sessionClient(url: string, name: string): Promise<RawClient> {
  const clientInfo = { name, version: '9.9.9' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await fetch(url, jsonRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  await opened.text();
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  let id = 0;
  const send = async (message: Json): Promise<Response> => fetch(url, jsonRequest(message, headers));
  await (await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).text();
  return createClient('2025-11-25', async (method, more) =>
    answerOf(await send({ jsonrpc: '2.0', id: ++id, method, params: more })),
  );
}

function createClient(
  era: RawClient['era'],
  request: (method: string, params: Json) => Promise<Json>,
): RawClient {
  const resultOf = async (method: string, params: Json): Promise<Json> => {
    const answer = await request(method, params);
    if (!answer['result']) throw new Error(JSON.stringify(answer));
    return answer['result'] as Json;
  };
  return {
    era,
    list: async () => (await resultOf('tools/list', {}))['tools'] as readonly McpTool[],
    call: async (name, args) =>
      (await resultOf('tools/call', { name, arguments: args })) as unknown as CallToolResult,
  };
}

/** The tools that a server with default options lists for an unknown client, which are the same in both eras. */
export async function listOverHttp(registry: ToolRegistry): Promise<readonly McpTool[]> {
  const [modern, session] = await Promise.all((await (await serveRaw(registry))()).map(({ list }) => list()));
  expect(session).toEqual(modern);
  return modern ?? [];
}
