import { lookup } from 'node:dns/promises';

/** The addresses of a host name; none if it cannot be looked up, so that the request itself reports the problem. */
export async function resolveHost(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
