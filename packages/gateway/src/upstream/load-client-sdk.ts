import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';

/** The parts of the official client that Toolfold uses. */
export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport' | 'getDefaultEnvironment'>;

let loading: Promise<ClientSdk> | undefined;

/** Loads the official client on first use, because most servers forward nothing. */
export function loadClientSdk(): Promise<ClientSdk> {
  return (loading ??= importClientSdk());
}

async function importClientSdk(): Promise<ClientSdk> {
  const [sdk, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  return { ...sdk, StdioClientTransport, getDefaultEnvironment };
}
