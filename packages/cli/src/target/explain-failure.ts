import { isInvalidAnswer, isTooLarge } from '@toolfold/gateway/internal';
import { CommandError, exitCodes, isToolfoldError } from '@toolfold/analysis/internal';
import { describeTarget } from './read-target.js';
import type { ServerTarget } from './read-target.js';
import { clip } from '@toolfold/schema/internal';

interface SystemError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
  readonly cause?: unknown;
  readonly data?: { readonly cause?: unknown };
}

/** Yields the error and its causes. The official client stores a cause in `data`. */
function* causesOf(error: unknown): Generator<SystemError> {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const cause = current as SystemError;
    yield cause;
    current = cause.cause ?? cause.data?.cause;
  }
}

/** Explains why a command could not be started. Returns `undefined` for other errors. */
export function explainSpawn(error: unknown): string | undefined {
  for (const { code, syscall, path } of causesOf(error)) {
    if (typeof syscall !== 'string' || !syscall.startsWith('spawn')) continue;
    const command = `"${String(path ?? syscall.slice('spawn '.length))}"`;
    if (code === 'ENOENT') return `The command ${command} was not found. Is it installed and in PATH?`;
    if (code === 'EACCES') return `The command ${command} is not executable.`;
  }
  return undefined;
}

const networkErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was reset',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS. Try http instead of https',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to the host',
};

function explainNetwork(error: unknown): string | undefined {
  for (const { code } of causesOf(error)) {
    if (typeof code !== 'string') continue;
    if (Object.hasOwn(networkErrors, code)) return networkErrors[code];
    if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `its certificate is not accepted (${code})`;
  }
  return undefined;
}

interface FailedConnection {
  readonly target: ServerTarget;
  /** Timeout from `--timeout`. `undefined` if the command has no such option. */
  readonly timeoutMs: number | undefined;
  readonly maxMessageBytes: number;
  readonly isClosed: boolean;
  /** Whether the server sent a message above the size limit. */
  readonly isFlooded: boolean;
  /** The last text that the process wrote to standard error. */
  readonly stderr: string;
}

export function explainFailure(error: unknown, connection: FailedConnection): CommandError {
  if (error instanceof CommandError) return error;
  const { target, timeoutMs, maxMessageBytes, isClosed, isFlooded, stderr } = connection;
  const { code, name, status } = Object(error) as Record<string, unknown>;
  const isCommand = 'command' in target;
  const who = isCommand ? `"${clip(describeTarget(target), 79)}"` : describeTarget(target);
  if (isFlooded || [...causesOf(error)].some(isTooLarge))
    return new CommandError(
      `${who} sent a message of more than ${maxMessageBytes / 1024 / 1024} MiB.`,
      exitCodes.protocol,
    );
  if (isToolfoldError(error)) return new CommandError(error.message, exitCodes.protocol);
  const context = isCommand && stderr !== '' ? `\nIts standard error:\n${stderr}` : '';
  if (name === 'TimeoutError' || code === 'REQUEST_TIMEOUT') {
    const limit = timeoutMs === undefined ? 'in time' : `within ${timeoutMs / 1_000} s`;
    const hint = isCommand ? ' Does it speak MCP on its standard input and output?' : '';
    const option = timeoutMs === undefined ? '' : ' Raise the limit with --timeout.';
    return new CommandError(`${who} did not answer ${limit}.${hint}${option}${context}`);
  }
  const text = describe(error);
  if (isInvalidAnswer(error))
    return new CommandError(`The answer of ${who} is not valid MCP: ${text}.${context}`, exitCodes.protocol);
  if (typeof code === 'number' && status === undefined)
    return new CommandError(`The server answered with the error ${code}: ${text}.`, exitCodes.protocol, {
      rpcCode: code,
    });
  const spawn = explainSpawn(error);
  if (spawn !== undefined) return new CommandError(spawn);
  if (isCommand && (isClosed || [...causesOf(error)].some(isClosedPipe)))
    return new CommandError(`${who} exited or closed its output before it answered.${context}`);
  const http = statusOf(error);
  if (http !== undefined)
    return new CommandError(`${who} answered with HTTP status ${http}.${hintFor(http)}`, exitCodes.failed, {
      status: http,
    });
  const network = explainNetwork(error);
  if (network !== undefined) return new CommandError(`${who} cannot be reached: ${network}.`);
  if (isMalformed(error))
    return new CommandError(
      `The answer of ${who} is not valid MCP${text === '' ? '' : `: ${text}`}.${context}`,
      exitCodes.protocol,
    );
  return new CommandError(`${who} cannot be used: ${text}.${context}`);
}

/** Maximum size of a message in connections of `fromMcpServer`. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * Explains why `fromMcpServer` cannot reach or list a server. Its own errors name a command by its last argument, and repeat texts
 * of the official client. Returns other errors unchanged.
 */
export function explainLost(
  error: unknown,
  { target, timeoutMs }: Pick<FailedConnection, 'target' | 'timeoutMs'>,
): unknown {
  if (!isToolfoldError(error) || (error.code !== 'ErrUpstreamLost' && error.code !== 'ErrToolFailed'))
    return error;
  const [, ...causes] = causesOf(error);
  if (causes.length === 0 || causes.some(isToolfoldError)) return error;
  const maxMessageBytes = MAX_MESSAGE_BYTES;
  // Omit standard error, which is already on the terminal.
  const state = { isClosed: false, isFlooded: false, stderr: '' };
  const { message } = explainFailure(causes[0], { target, timeoutMs, maxMessageBytes, ...state });
  return new CommandError(message);
}

const closedPipes: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'EPIPE']);

function isClosedPipe({ code }: SystemError): boolean {
  return closedPipes.has(code);
}

/** The JSON list of issues at the end of the client's validation errors. */
const issues = /:?\s*\[\s*\{[\s\S]*$/;

function isMalformed(error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error);
  return issues.test(message) || /invalid|unexpected|parse|JSON|expected/i.test(message);
}

/** Start of the client's errors about its protocol probe. */
const PROBE = 'Version negotiation probe failed: ';

/** Formats an error as one line, without its list of issues. Adds the causes of a network error. */
function describe(error: unknown): string {
  const messages = [...causesOf(error)].map(({ message }) => String(message ?? '').replace(PROBE, ''));
  const message = messages[0]?.includes('fetch failed')
    ? [...new Set(messages)].join(': ')
    : (messages[0] ?? String(error));
  return clip(message.replace(issues, '').replaceAll(/\s+/g, ' ').trim(), 299).replace(/\.$/, '');
}

function statusOf(error: unknown): number | undefined {
  const { status, data } = Object(error) as { status?: unknown; data?: { status?: unknown } };
  const found = status ?? data?.status;
  return typeof found === 'number' ? found : undefined;
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ' Pass credentials with --header.';
  if (status === 404 || status === 405) return ' Check the path: many servers use /mcp.';
  if (status >= 300 && status < 400)
    return ' Headers are not sent to the address that it redirects to. Pass that address instead.';
  return '';
}
