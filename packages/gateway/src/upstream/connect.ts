import type { Readable } from 'node:stream';
import type { Client, PriorDiscovery, Transport } from '@modelcontextprotocol/client';
import { untilAborted } from '@toolfold/schema/internal';
import { ErrUpstreamLost } from 'toolfold/errors';
import type { ClientSdk } from './load-client-sdk.js';
import { createUpstreamFetch } from './untrusted-messages.js';
import { isCommand } from './options.js';
import { budgetOf } from './message-budget.js';
import { processTransport } from './process/process-transport.js';
import type { ConnectionSettings, UpstreamAddress, UpstreamCommand, UpstreamHeaders } from './options.js';

/** A server has this long to end the session of a client that disconnects. */
const GOODBYE_MS = 2_000;
/** Limits the answers to one server that are in flight at once. */
const MAX_UNREAD_ANSWERS = 200;
/** Passes on this many characters of a process's standard error in a second. */
const MAX_STDERR = 64 * 1024;
/** Reads a standard error that exceeds this rate only so often. */
const STDERR_PAUSE_MS = 20;

/** The probed process must exit within this time, before the actual one is started. */
const DISPOSAL_MS = 3_000;

/**
 * Returns the longest time that connecting can take. With `auto` a command is started twice, each time with the full timeout unless
 * `connectLimitMs` bounds both together.
 */
export function connectingMs(
  isStartedTwice: boolean,
  { connectTimeoutMs, connectLimitMs }: Pick<ConnectionSettings, 'connectTimeoutMs' | 'connectLimitMs'>,
): number {
  if (connectLimitMs !== undefined) return connectLimitMs;
  return isStartedTwice ? 2 * connectTimeoutMs + DISPOSAL_MS : connectTimeoutMs;
}

export interface Attempt {
  readonly headers: UpstreamHeaders;
  /** The environment variables of a command. Default: those of the target. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The protocol that an earlier connection negotiated, which need not be probed again. */
  readonly prior: PriorDiscovery | undefined;
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
  // If the client had the caller's signal, it would end a request when the caller ends, even after it has connected.
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`it did not answer within ${timeout} ms`, 'TimeoutError')),
    connectingMs(isCommand(target) && protocol === 'auto' && !prior, settings),
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

/** Waits for work at most `ms` milliseconds, and ignores its result. */
async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
  await Promise.race([work.catch(() => undefined), timeout]);
}

function createTransport(
  sdk: ClientSdk,
  settings: ConnectionSettings,
  headers: UpstreamHeaders,
  env: Attempt['env'],
): Transport {
  const { target } = settings;
  const transport = isCommand(target)
    ? createStdioTransport(sdk, target, env, settings)
    : createHttpTransport(sdk, target, headers, settings);
  return limitUnreadAnswers(transport, settings);
}

function createHttpTransport(
  sdk: ClientSdk,
  { url }: UpstreamAddress,
  headers: UpstreamHeaders,
  settings: ConnectionSettings,
): Transport {
  const transport: Transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createUpstreamFetch(settings, (flood) => {
      transport.onerror?.(flood);
      void transport.close();
    }),
  });
  return transport;
}

function createStdioTransport(
  sdk: ClientSdk,
  { command, args, env: ownEnv, cwd }: UpstreamCommand,
  givenEnv: Attempt['env'],
  settings: ConnectionSettings,
): Transport {
  const env = givenEnv ?? (typeof ownEnv === 'function' ? undefined : ownEnv);
  const transport = new (processTransport(sdk))({
    command,
    args: [...(args ?? [])],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    settings,
  });
  if (transport.stderr) readStderr(transport.stderr, settings.onStderr);
  return transport;
}

/** Passes the standard error of a process on, up to a rate. The rest of each second is dropped. */
function readStderr(stderr: Readable, onStderr: (text: string) => void): void {
  const decoder = new TextDecoder();
  let second = -Infinity;
  let room = 0;
  let left = 0;
  stderr.on('data', (chunk: Uint8Array) => {
    const text = decoder.decode(chunk, { stream: true });
    const now = performance.now();
    if (now - second >= 1_000) {
      if (left > 0) onStderr(`\n… ${left} characters left out …\n`);
      [second, room, left] = [now, MAX_STDERR, 0];
    }
    if (room > 0) onStderr(text.slice(0, room));
    left += Math.max(0, text.length - room);
    room -= Math.min(room, text.length);
    if (left === 0) return;
    // Reading slowly makes the process wait.
    stderr.pause();
    setTimeout(() => stderr.resume(), STDERR_PAUSE_MS).unref();
  });
}

/**
 * Closes the connection to a server that keeps asking without reading the answers. Otherwise the answers would pile up here: in the buffer
 * of a pipe, or as one open HTTP request each.
 */
function limitUnreadAnswers(transport: Transport, settings: ConnectionSettings): Transport {
  const { name } = settings;
  const budget = budgetOf(settings);
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
    if ('method' in message) {
      if ('id' in message) budget.expectAnswer();
      return send(message, options);
    }
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
