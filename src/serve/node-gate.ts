import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReadHeader } from './authenticator.js';
import type { GateAnswer } from './gate.js';

/** Node keeps the first of several `Authorization` headers without a word. Here they come joined, like any other. */
export function readNodeHeader({ headers, rawHeaders }: IncomingMessage): ReadHeader {
  return (name) =>
    name === 'authorization' ? joinAll(rawHeaders, name) : (headers[name] as string | undefined);
}

export function writeGateAnswer({ status, headers, body }: GateAnswer, response: ServerResponse): void {
  // An answer without content has no length either.
  const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}

function joinAll(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? '';
    if (raw.length !== name.length || raw.toLowerCase() !== name) continue;
    joined = joined === undefined ? rawHeaders[index + 1] : `${joined}, ${rawHeaders[index + 1]}`;
  }
  return joined;
}
