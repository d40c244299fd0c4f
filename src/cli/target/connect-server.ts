import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { packageVersion } from '../../protocol/versions.js';
import { isInvalidAnswer } from '../../upstream/messages.js';
import { connectingMs, createHttpTransport, createStdioTransport } from '../../upstream/transport.js';
import { CommandError, exitCodes } from '../terminal/exit-codes.js';
import { explainNetwork, explainSpawn, isToolfoldError, reasonsOf } from '../terminal/explain-failure.js';
import { loadClient } from './load-client.js';
import type { ClientSdk } from './load-client.js';
import { untilAborted } from '../terminal/deadline.js';
import type { ServerTarget } from './read-target.js';
import { withoutQuery } from './strip-query.js';

export type Protocol = 'auto' | '2025' | '2026';

export interface ConnectOptions {
  readonly protocol: Protocol;
  readonly timeoutMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Gets what a started process writes to its standard error. */
  readonly onStderr: (text: string) => void;
}

export interface Connection {
  readonly client: Client;
  /** What a failure of any request says, in words. */
  explain(error: unknown): CommandError;
  close(): Promise<void>;
}

const modes = { auto: 'auto', 2025: 'legacy', 2026: { pin: '2026-07-28' } } as const;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_STDERR = 4_000;
const MAX_CLOSING_MS = 3_000;

/** Connects to a server that runs, or starts one. Where that fails nothing is left behind. */
export async function connectServer(target: ServerTarget, options: ConnectOptions): Promise<Connection> {
  const sdk = await loadClient();
  const { protocol, timeoutMs, signal } = options;
  const client = new sdk.Client(
    { name: 'toolfold-cli', version: packageVersion },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: {
        mode: modes[protocol],
        probe: { timeoutMs },
      },
    },
  );
  let said = '';
  const transport = createTransport(sdk, target, (text) => {
    said = (said + text).slice(-MAX_STDERR);
    options.onStderr(text);
  });
  let isClosed = false;
  let isFlooded = false;
  client.onerror = (error) => {
    if (isToolfoldError(error)) isFlooded = true;
  };
  client.onclose = () => void (isClosed = true);
  const explain = (error: unknown): CommandError =>
    toCommandError(error, { target, timeoutMs, isClosed, isFlooded, said: said.trim() });
  // Of its own, and never ended once it is connected: the client would take that for the end of a request.
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('It is silent.', 'TimeoutError')),
    connectingMs('command' in target && protocol === 'auto', timeoutMs),
  );
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const connecting = client.connect(transport, { timeout: timeoutMs, signal: controller.signal });
  try {
    await untilAborted(connecting, controller.signal);
  } catch (error) {
    await transport.close().catch(() => undefined);
    // The client may have started a process of its own to ask it for its protocol, and ends it now.
    await Promise.race([connecting.catch(() => undefined), sleep(MAX_CLOSING_MS, undefined, { ref: false })]);
    throw signal.aborted ? signal.reason : explain(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  return { client, explain, close: () => closeAll(client) };
}

function createTransport(sdk: ClientSdk, target: ServerTarget, onStderr: (text: string) => void): Transport {
  const limits = { maxMessageBytes: MAX_MESSAGE_BYTES };
  if ('url' in target)
    return createHttpTransport(sdk, target.url, target.headers ?? {}, {
      ...limits,
      name: withoutQuery(target.url),
    });
  const { command, args, env } = target;
  const parameters = { command, args: [...args], env: { ...env } };
  return createStdioTransport(sdk, parameters, { ...limits, name: command, onStderr });
}

/** A server of 2025 keeps a session for us, and need not know that we are gone. */
async function closeAll(client: Client): Promise<void> {
  const { transport } = client;
  if (transport && 'terminateSession' in transport && client.getProtocolEra() !== 'modern') {
    const end = (transport as { terminateSession: () => Promise<void> }).terminateSession();
    await Promise.race([end.catch(() => undefined), sleep(1_000, undefined, { ref: false })]);
  }
  await client.close();
}

interface Situation {
  readonly target: ServerTarget;
  readonly timeoutMs: number;
  readonly isClosed: boolean;
  /** Whether a message was too long. */
  readonly isFlooded: boolean;
  /** What its process wrote last to its standard error. */
  readonly said: string;
}

function toCommandError(error: unknown, situation: Situation): CommandError {
  if (error instanceof CommandError) return error;
  const { target, timeoutMs, isClosed, isFlooded, said } = situation;
  const { code, name, status } = Object(error) as Record<string, unknown>;
  const isCommand = 'command' in target;
  const who = isCommand
    ? `"${shorten([target.command, ...target.args].join(' '), 80)}"`
    : withoutQuery(target.url);
  if (isFlooded || [...reasonsOf(error)].some((reason) => isToolfoldError(reason)))
    return new CommandError(
      `${who} sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`,
      exitCodes.protocol,
    );
  const context = isCommand && said !== '' ? `\nIt wrote:\n${said}` : '';
  if (name === 'TimeoutError' || code === 'REQUEST_TIMEOUT') {
    const hint = isCommand ? ' Does it speak MCP on its standard input and output?' : '';
    return new CommandError(
      `${who} did not answer within ${timeoutMs / 1_000} s.${hint} --timeout gives it longer.${context}`,
    );
  }
  const text = messageOf(error);
  if (isInvalidAnswer(error))
    return new CommandError(`What ${who} answered is no MCP: ${text}.${context}`, exitCodes.protocol);
  if (typeof code === 'number' && status === undefined)
    return new CommandError(`The server answered with the error ${code}: ${text}.`, exitCodes.protocol);
  const spawn = explainSpawn(error);
  if (spawn !== undefined) return new CommandError(spawn);
  if (isCommand && (isClosed || code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED'))
    return new CommandError(`${who} ended, or closed its output, before it answered.${context}`);
  const http = statusOf(error);
  if (http !== undefined)
    return new CommandError(`${who} answered with HTTP status ${http}${hintFor(http)}.`);
  const network = explainNetwork(error);
  if (network !== undefined) return new CommandError(`${who} cannot be reached: ${network}.`);
  if (isIll(error))
    return new CommandError(
      `What ${who} answered is no MCP${text === '' ? '' : `: ${text}`}.${context}`,
      exitCodes.protocol,
    );
  return new CommandError(`${who} cannot be used: ${text}.${context}`);
}

/** The list of everything that a schema did not like. */
const issues = /:?\s*\[\s*\{[\s\S]*$/;

function isIll(error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error);
  return issues.test(message) || /invalid|unexpected|parse|JSON|expected/i.test(message);
}

/** What the client begins with where its first question fails. */
const PROBE = 'Version negotiation probe failed: ';

/** One line without that list, and what is behind it where the network failed. */
function messageOf(error: unknown): string {
  const messages = [...reasonsOf(error)].map(({ message }) => String(message ?? '').replace(PROBE, ''));
  const message = messages[0]?.includes('fetch failed')
    ? [...new Set(messages)].join(': ')
    : (messages[0] ?? String(error));
  return shorten(message.replace(issues, '').replaceAll(/\s+/g, ' ').trim(), 300).replace(/\.$/, '');
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function statusOf(error: unknown): number | undefined {
  const { status, data } = Object(error) as { status?: unknown; data?: { status?: unknown } };
  const found = status ?? data?.status;
  return typeof found === 'number' ? found : undefined;
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': it wants credentials, which --header can send';
  if (status === 404 || status === 405) return ': is the path right? Many servers are at /mcp';
  if (status >= 300 && status < 400)
    return ': it redirects elsewhere, where headers are not sent. Write the address that is meant';
  return '';
}
