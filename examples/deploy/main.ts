/** Calls the functions for serverless platforms as these platforms do. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as functions from './function.js';
import { handler } from './lambda.js';

type Fetch = (request: Request) => Promise<Response>;

async function callThrough(fetch: Fetch, mode: 'auto' | 'legacy'): Promise<unknown> {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  const address = new URL('https://mcp.example.com/mcp');
  await client.connect(
    new StreamableHTTPClientTransport(address, { fetch: (url, init) => fetch(new Request(url, init)) }),
  );
  const { content } = await client.callTool({ name: 'greet', arguments: { who: 'Ada' } });
  await client.close();
  return content;
}

async function throughLambda(request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const body = await request.text();
  const { statusCode, headers, ...answer } = await handler({
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: { host, ...Object.fromEntries(request.headers) },
    isBase64Encoded: false,
    ...(body === '' ? {} : { body }),
    requestContext: { http: { method: request.method, sourceIp: '192.0.2.1' } },
  });
  return new Response(answer.body, { status: statusCode, headers });
}

const throughFunction = (request: Request): Promise<Response> =>
  (request.method === 'GET' ? functions.GET : functions.POST)(
    new Request(request, { headers: { ...Object.fromEntries(request.headers), host: 'mcp.example.com' } }),
  );

for (const fetch of [throughLambda, throughFunction])
  for (const mode of ['auto', 'legacy'] as const) {
    const content = await callThrough(fetch, mode);
    console.log(fetch.name, mode, content);
    assert.deepEqual(content, [{ type: 'text', text: 'Hello Ada' }]);
  }

// The function must not wait for the stream of a session, which never ends.
const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
};
const clientInfo = { name: 'example', version: '1.0.0' };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
const url = 'https://mcp.example.com/mcp';
const { headers: opened } = await throughLambda(new Request(url, { ...post, body }));
const session = opened.get('mcp-session-id');
assert.ok(session);
const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
assert.equal((await throughLambda(new Request(url, { headers }))).status, 405);
