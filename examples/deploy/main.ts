/** Calls the functions for serverless platforms as these platforms do. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as functions from './function.js';
import { handler } from './lambda.js';

async function callThrough(fetch: (request: Request) => Promise<Response>): Promise<unknown> {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
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

for (const fetch of [throughLambda, throughFunction]) {
  const content = await callThrough(fetch);
  console.log(fetch.name, content);
  assert.deepEqual(content, [{ type: 'text', text: 'Hello Ada' }]);
}
