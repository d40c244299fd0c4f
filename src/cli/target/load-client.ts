import type * as Sdk from '@modelcontextprotocol/client';
import type * as Stdio from '@modelcontextprotocol/client/stdio';
import { CommandError } from '../terminal/exit-codes.js';

export type ClientSdk = typeof Sdk & Pick<typeof Stdio, 'StdioClientTransport'>;

/** The official client, which is needed for servers that run and not for files. */
export async function loadClient(): Promise<ClientSdk> {
  assertInstalled('Servers at an address or behind a command need', '@modelcontextprotocol/client');
  const [sdk, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  return { ...sdk, StdioClientTransport };
}

/** All that are missing at once, before anything is started. */
export function assertInstalled(what: string, ...names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  throw new CommandError(
    `${what} ${missing.join(' and ')}. Install it beside toolfold: npm install ${missing.join(' ')}`,
  );
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
