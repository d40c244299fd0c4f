import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import type { StdioClientTransport, StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { boundAnswers } from './answers.js';
import { createUpstreamFetch } from './fetch.js';
import { LineBuffer, repairAnswer, tooLarge } from './messages.js';
import { isCommand } from './options.js';
import type { UpstreamHeaders, UpstreamSettings } from './options.js';
import type { ClientSdk } from './sdk.js';

/** The exports of the official client that transports need. */
export type TransportSdk = Pick<
  ClientSdk,
  'parseJSONRPCMessage' | 'StdioClientTransport' | 'StreamableHTTPClientTransport'
>;

interface TransportOptions {
  /** The name of the server in errors. */
  readonly name: string;
  readonly maxMessageBytes: number;
}

/** Milliseconds in which the probed process must exit before the actual one is started. */
const DISPOSAL_MS = 3_000;

/** The longest time that connecting can take. With `auto` a command is started twice, each time with the full timeout. */
export function connectingMs(isStartedTwice: boolean, connectTimeoutMs: number): number {
  return isStartedTwice ? 2 * connectTimeoutMs + DISPOSAL_MS : connectTimeoutMs;
}

/** Speaks to the server over its standard input and output, or over HTTP. */
export function createTransport(
  sdk: TransportSdk,
  settings: UpstreamSettings,
  headers: UpstreamHeaders,
): Transport {
  const { target, onStderr } = settings;
  if (!isCommand(target)) return createHttpTransport(sdk, target.url, headers, settings);
  const { command, args, env, cwd } = target;
  const parameters = {
    command,
    args: [...(args ?? [])],
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  };
  return createStdioTransport(sdk, parameters, { ...settings, onStderr });
}

export function createHttpTransport(
  sdk: TransportSdk,
  url: string | URL,
  headers: UpstreamHeaders,
  { name, maxMessageBytes }: TransportOptions,
): StreamableHTTPClientTransport {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createUpstreamFetch(name, maxMessageBytes),
  });
  return boundAnswers(transport, name);
}

export function createStdioTransport(
  sdk: TransportSdk,
  parameters: StdioServerParameters,
  { name, maxMessageBytes, onStderr }: TransportOptions & { readonly onStderr: (text: string) => void },
): StdioClientTransport {
  const transport = new sdk.StdioClientTransport({
    ...parameters,
    stderr: 'pipe',
    maxBufferSize: maxMessageBytes,
  });
  // The client has no option for its buffer. A subclass would not work: the client probes the protocol only with its own class.
  const buffer = new MessageBuffer(sdk.parseJSONRPCMessage, name, maxMessageBytes);
  if ('_readBuffer' in transport) Object.assign(transport, { _readBuffer: buffer });
  const decoder = new TextDecoder();
  transport.stderr?.on('data', (chunk: Uint8Array) => onStderr(decoder.decode(chunk, { stream: true })));
  return boundAnswers(transport, name);
}

/** In place of the client's own buffer, which drops answers that are not valid JSON-RPC. */
class MessageBuffer {
  readonly #parse: (message: unknown) => JSONRPCMessage;
  readonly #lines: LineBuffer;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #isClosed = false;

  constructor(parse: (message: unknown) => JSONRPCMessage, name: string, maxBytes: number) {
    this.#parse = parse;
    this.#lines = new LineBuffer(maxBytes, () => {
      // The process is stopped, and its remaining output is dropped.
      this.#isClosed = true;
      return tooLarge(name, maxBytes);
    });
  }

  append(chunk: Uint8Array): void {
    if (!this.#isClosed) this.#waiting.push(...this.#lines.add(chunk));
  }

  readMessage(): JSONRPCMessage | null {
    for (let line; (line = this.#waiting[this.#next++]);) {
      if (line.length <= 1) continue;
      let message: unknown;
      try {
        message = JSON.parse(new TextDecoder().decode(line));
      } catch {
        // Some servers also write log lines to standard output. Skip them.
        continue;
      }
      return this.#parse(repairAnswer(message));
    }
    this.#drop();
    return null;
  }

  clear(): void {
    this.#lines.clear();
    this.#drop();
  }

  #drop(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}
