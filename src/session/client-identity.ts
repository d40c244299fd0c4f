import { createHash } from 'node:crypto';

/** What a request shows of the client that sent it. */
export interface ClientTraits {
  readonly header: (name: string) => string | undefined;
  /** The address at the other end of the connection. */
  readonly address?: string | undefined;
}

export interface ClientIdentityOptions {
  /** How many proxies in front add themselves to `X-Forwarded-For`. What more it says is the client's own word. */
  readonly trustedProxies?: number;
}

const MAX_ID = 256;

/**
 * A name for a client, for fairness and logs. It is never a proof of who that is: a client can send any.
 */
export function clientIdOf(
  { header, address }: ClientTraits,
  { trustedProxies = 0 }: ClientIdentityOptions = {},
): string {
  const named = header('mcp-client-id')?.trim();
  if (named) return named.slice(0, MAX_ID);
  const ip = addressOf(header('x-forwarded-for'), address, trustedProxies);
  const traits = `${ip}|${header('user-agent') ?? ''}|${header('accept') ?? ''}`;
  return `auto-${createHash('sha256').update(traits).digest('hex').slice(0, 16)}`;
}

/** The address that the last proxy we trust has seen. */
function addressOf(forwarded: string | undefined, address = '', trustedProxies: number): string {
  if (trustedProxies === 0 || forwarded === undefined) return address;
  const hops = forwarded.split(',').map((hop) => hop.trim());
  return hops.at(-trustedProxies) ?? hops[0] ?? address;
}
