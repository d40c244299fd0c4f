import { createHandler } from 'toolfold/web';
import { registry } from './registry.js';

const mcp = createHandler(registry, { allowedHosts: ['mcp.example.com'] });

/** The part of an event of API Gateway (payload version 2.0) or of a function URL that is needed here. */
interface LambdaEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string; readonly sourceIp: string } };
}

export async function handler({ headers, rawPath, rawQueryString, body, ...event }: LambdaEvent) {
  const { method, sourceIp } = event.requestContext.http;
  // 2025 clients open a stream for notifications with GET. It never ends, so the function would run until it times out.
  if (method === 'GET' && headers['accept']?.includes('text/event-stream'))
    return { statusCode: 405, headers: { allow: 'POST, DELETE' }, body: '' };
  const url = new URL(`https://${headers['host']}${rawPath}?${rawQueryString}`);
  const request = new Request(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: event.isBase64Encoded ? Buffer.from(body, 'base64') : body }),
  });
  const response = await mcp.fetch(request, { address: sourceIp });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
