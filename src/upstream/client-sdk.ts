import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';
import { ErrInvalidOptions } from '../errors.js';

/** The parts of the official client that Toolfold uses. It is an optional peer dependency. */
export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport'>;

/** Milliseconds in which the probed process must exit before the actual one is started. */
export const DISPOSAL_MS = 3_000;

/** The longest time that connecting can take. With `auto` a command is started twice, each time with the full timeout. */
export function connectingMs(isStartedTwice: boolean, connectTimeoutMs: number): number {
  return isStartedTwice ? 2 * connectTimeoutMs + DISPOSAL_MS : connectTimeoutMs;
}

/** Throws if the client is not installed, so that a missing package shows at startup and not in the first call. */
export function assertClientSdk(place: string): void {
  try {
    // Some runtimes cannot resolve a package without loading it.
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
