import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';
import { ErrInvalidOptions } from '../errors.js';

/** What is needed of the official client. */
export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport'>;

/** Throws where the client is not installed: a server must not find that out with its first call. */
export function assertClientSdk(place: string): void {
  try {
    // Only where the runtime can tell without loading it.
    if (typeof import.meta.resolve === 'function') import.meta.resolve('@modelcontextprotocol/client');
  } catch (cause) {
    if (isNotFound(cause)) throw notInstalled(place, cause);
  }
}

function isNotFound(thrown: unknown): boolean {
  return (thrown as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
}

function notInstalled(place: string, cause: unknown): ErrInvalidOptions {
  return new ErrInvalidOptions(`${place} needs the package @modelcontextprotocol/client.`, {
    hint: 'Install it: npm install @modelcontextprotocol/client',
    cause,
  });
}

let loading: Promise<ClientSdk> | undefined;

/** Most servers forward nothing, and need not load it. */
export function loadClientSdk(): Promise<ClientSdk> {
  return (loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw isNotFound(error) ? notInstalled('fromMcpServer', error) : error;
  }));
}

async function load(): Promise<ClientSdk> {
  const [sdk, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  return { ...sdk, StdioClientTransport };
}
