import type { Client, PriorDiscovery, Transport } from '@modelcontextprotocol/client';
import { ErrUpstreamLost } from '../errors.js';
import { connectingMs, DISPOSAL_MS } from './client-sdk.js';
import type { ClientSdk } from './load-client-sdk.js';
import { createUpstreamFetch, StdioBuffer } from './untrusted-messages.js';
import { isCommand } from './options.js';
import type { ConnectionSettings, UpstreamAddress, UpstreamCommand, UpstreamHeaders } from './options.js';

/** Milliseconds that a server gets to end the session of a client that disconnects. */
const GOODBYE_MS = 2_000;
/** Maximum number of answers to one server that are in flight at once. */
const MAX_UNREAD_ANSWERS = 200;

export interface Attempt {
  /** Sent with every request to a server at an address. */
  readonly headers: UpstreamHeaders;
  /** The environment variables of a command. Default: those of the target. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The protocol that an earlier connection negotiated, which need not be probed again. */
  readonly prior: PriorDiscovery | undefined;
  /** Cancels the attempt. */
  readonly signal: AbortSignal;
}

/** Connects a client within its time limit. A failed attempt leaves no process and no connection behind. */
export async function connectClient(
  client: Client,
  sdk: ClientSdk,
  settings: ConnectionSettings,
  { headers, env, prior, signal }: Attempt,
): Promise<void> {
  const { target, protocol, connectTimeoutMs: timeout } = settings;
  const transport = createTransport(sdk, settings, headers, env);
  // The client would take the end of the caller's signal for the end of a request, even after it has connected.
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`it did not answer within ${timeout} ms`, 'TimeoutError')),
    connectingMs(isCommand(target) && protocol === 'auto' && !prior, timeout),
  );
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const connecting = client.connect(transport, {
    timeout,
    signal: controller.signal,
    ...(prior && protocol === 'auto' ? { prior } : {}),
  });
  try {
    await untilAborted(connecting, controller.signal);
  } catch (error) {
    await transport.close().catch(settings.onError);
    // The client may have started a second process to probe the protocol, which it ends now.
    await settleWithin(connecting, DISPOSAL_MS);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Closes a client, and ends the session that a 2025 server keeps for it. */
export async function closeClient(client: Client, isLost: boolean): Promise<void> {
  const { transport } = client;
  if (transport && 'terminateSession' in transport && client.getProtocolEra() !== 'modern' && !isLost)
    await settleWithin(
      (transport as { terminateSession: () => Promise<void> }).terminateSession(),
      GOODBYE_MS,
    );
  await client.close();
}

/** Waits for work, but not for long, and ignores its result. */
async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([work.catch(() => undefined), timeout]);
}

/** Returns the result of the work, or throws the reason of the signal if that ends first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** Creates the transport for a target: standard input and output of a process, or HTTP. */
function createTransport(
  sdk: ClientSdk,
  settings: ConnectionSettings,
  headers: UpstreamHeaders,
  env: Attempt['env'],
): Transport {
  const { target, name } = settings;
  const transport = isCommand(target)
    ? createStdioTransport(sdk, target, env, settings)
    : createHttpTransport(sdk, target, headers, settings);
  return limitUnreadAnswers(transport, name);
}

function createHttpTransport(
  sdk: ClientSdk,
  { url }: UpstreamAddress,
  headers: UpstreamHeaders,
  { name, maxMessageBytes }: ConnectionSettings,
): Transport {
  return new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createUpstreamFetch(name, maxMessageBytes),
  });
}

function createStdioTransport(
  sdk: ClientSdk,
  { command, args, env: ownEnv, cwd }: UpstreamCommand,
  givenEnv: Attempt['env'],
  { name, maxMessageBytes, onStderr }: ConnectionSettings,
): Transport {
  const env = givenEnv ?? (typeof ownEnv === 'function' ? undefined : ownEnv);
  const transport = new sdk.StdioClientTransport({
    command,
    args: [...(args ?? [])],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxMessageBytes,
  });
  // The client has no option for its buffer. A subclass would not work: the client probes the protocol only with its own class.
  const buffer = new StdioBuffer(sdk.parseJSONRPCMessage, name, maxMessageBytes);
  if ('_readBuffer' in transport) Object.assign(transport, { _readBuffer: buffer });
  const decoder = new TextDecoder();
  transport.stderr?.on('data', (chunk: Uint8Array) => onStderr(decoder.decode(chunk, { stream: true })));
  return transport;
}

/**
 * Closes the connection to a server that keeps asking without reading the answers. Otherwise the answers would pile up
 * here: in the buffer of a pipe, or as one open HTTP request each.
 */
function limitUnreadAnswers(transport: Transport, name: string): Transport {
  const send = transport.send.bind(transport);
  let unread = 0;
  let lost: ErrUpstreamLost | undefined;
  const end = (): ErrUpstreamLost => {
    lost = new ErrUpstreamLost(
      `The server "${name}" does not read its answers: ${MAX_UNREAD_ANSWERS} of them are unread.`,
      { details: { upstream: name } },
    );
    const { onerror } = transport;
    onerror?.(lost);
    // Closing takes a while, and the server may ask more questions until then.
    transport.onmessage = () => {};
    transport.close().catch((error: Error) => onerror?.(error));
    return lost;
  };
  transport.send = async (message, options) => {
    if (lost) throw lost;
    if ('method' in message) return send(message, options);
    if (unread >= MAX_UNREAD_ANSWERS) throw end();
    unread++;
    try {
      await send(message, options);
    } finally {
      unread--;
    }
  };
  return transport;
}
