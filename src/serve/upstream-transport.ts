import type { Transport } from '@modelcontextprotocol/client';
import { createUpstreamFetch } from './upstream-fetch.js';
import { isCommand } from './upstream-options.js';
import type { UpstreamHeaders, UpstreamSettings } from './upstream-options.js';
import type { ClientSdk } from './upstream-sdk.js';

/** How the server is spoken to: by its standard input and output, or by HTTP. */
export function createTransport(
  sdk: ClientSdk,
  settings: UpstreamSettings,
  headers: UpstreamHeaders,
): Transport {
  const { target, maxMessageBytes, name, onStderr } = settings;
  if (!isCommand(target)) {
    return new sdk.StreamableHTTPClientTransport(new URL(target.url), {
      requestInit: { headers: { ...headers } },
      fetch: createUpstreamFetch(name, maxMessageBytes),
    });
  }
  const { command, args, env, cwd } = target;
  const transport = new sdk.StdioClientTransport({
    command,
    args: [...(args ?? [])],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxMessageBytes,
  });
  const decoder = new TextDecoder();
  transport.stderr?.on('data', (chunk: Uint8Array) => onStderr(decoder.decode(chunk, { stream: true })));
  return transport;
}
