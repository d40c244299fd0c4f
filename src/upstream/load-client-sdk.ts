import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';
import { isNotFound, notInstalled } from './client-sdk.js';

/** The parts of the official client that Toolfold uses. It is an optional peer dependency. */
export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport'>;

let loading: Promise<ClientSdk> | undefined;

/** Loads the official client on first use, because most servers forward nothing. */
export function loadClientSdk(place = 'fromMcpServer'): Promise<ClientSdk> {
  return (loading ??= importClientSdk().catch((error: unknown) => {
    loading = undefined;
    throw isNotFound(error) ? notInstalled(place, error) : error;
  }));
}

async function importClientSdk(): Promise<ClientSdk> {
  const [sdk, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  return { ...sdk, StdioClientTransport };
}
