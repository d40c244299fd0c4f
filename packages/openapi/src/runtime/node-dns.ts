import { lookup } from 'node:dns/promises';

/** Returns the addresses of a host name. Returns none if the lookup fails, because the request itself then reports the problem. */
export async function resolveHost(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
