import type { IncomingMessage } from 'node:http';
import type { ReadHeader } from '../auth/authenticator.js';

/** Node keeps the first of several `Authorization` headers without a word. Here they come joined, like any other. */
export function readNodeHeader({ headers, rawHeaders }: IncomingMessage): ReadHeader {
  return (name) =>
    name === 'authorization' ? joinAll(rawHeaders, name) : (headers[name] as string | undefined);
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
